// SPDX-License-Identifier: Apache-2.0
/* See reactor.h. Events are taken one at a time, so a source that has been
 * removed meanwhile is never called. */
#include "serve/reactor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct reactor {
	int fd;
	bool stopped;
};

int reactor_open(struct reactor **out, struct error *err)
{
	struct reactor *r = calloc(1, sizeof(*r));

	if (!r)
		return error_set(err, ERR_SYSTEM, "no memory");
	r->fd = epoll_create1(EPOLL_CLOEXEC);
	if (r->fd < 0) {
		free(r);
		return error_set(err, ERR_SYSTEM, "epoll: %s", strerror(errno));
	}
	*out = r;
	return 0;
}

void reactor_close(struct reactor *r)
{
	if (!r)
		return;
	close(r->fd);
	free(r);
}

int reactor_add(struct reactor *r, struct reactor_source *s, struct error *err)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = s };

	if (epoll_ctl(r->fd, EPOLL_CTL_ADD, s->fd, &event))
		return error_set(err, ERR_SYSTEM, "epoll: %s", strerror(errno));
	return 0;
}

void reactor_remove(struct reactor *r, struct reactor_source *s)
{
	epoll_ctl(r->fd, EPOLL_CTL_DEL, s->fd, NULL);
}

int reactor_run(struct reactor *r, struct error *err)
{
	struct epoll_event event;

	while (!r->stopped) {
		int n = epoll_wait(r->fd, &event, 1, -1);
		struct reactor_source *s = event.data.ptr;

		if (n < 0 && errno != EINTR)
			return error_set(err, ERR_SYSTEM, "epoll: %s",
					 strerror(errno));
		if (n > 0)
			s->readable(s);
	}
	return 0;
}

void reactor_stop(struct reactor *r)
{
	r->stopped = true;
}
