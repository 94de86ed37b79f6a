// SPDX-License-Identifier: Apache-2.0
/* See watchers.h. */
#include "console/watchers.h"

#include <sys/socket.h>

bool watchers_add(struct watchers *w, int fd)
{
	if (w->count == WATCHERS_MAX)
		return false;
	w->fds[w->count++] = fd;
	return true;
}

void watchers_remove(struct watchers *w, int fd)
{
	for (unsigned int i = 0; i < w->count; i++)
		if (w->fds[i] == fd) {
			w->fds[i] = w->fds[--w->count];
			return;
		}
}

void watchers_show(struct watchers *w, const char *bytes, size_t count)
{
	unsigned int i = 0;

	while (i < w->count) {
		ssize_t sent = send(w->fds[i], bytes, count,
				    MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent == (ssize_t)count) {
			i++;
			continue;
		}
		shutdown(w->fds[i], SHUT_RDWR);
		w->fds[i] = w->fds[--w->count];
	}
}

void watchers_end(struct watchers *w)
{
	while (w->count)
		shutdown(w->fds[--w->count], SHUT_RDWR);
}
