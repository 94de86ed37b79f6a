// SPDX-License-Identifier: Apache-2.0
/* The consoles of the fake machine, see fake_machine.h: a thread for each that
 * watches, which follows the file until the domain ends. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "console/watchers.h"
#include "fake_machine.h"

#define PATH_BYTES 256
#define LOOK_EVERY_MS 10

struct watch {
	struct machine machine;
	char domain[64], path[PATH_BYTES];
	int fd;
	off_t seen;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int watches;

static int count(int more)
{
	int now;

	pthread_mutex_lock(&mutex);
	now = watches += more;
	pthread_mutex_unlock(&mutex);
	return now;
}

static bool show(struct watch *w, int log)
{
	char bytes[16384];
	ssize_t n = pread(log, bytes, sizeof(bytes), w->seen);

	if (n <= 0)
		return n == 0;
	w->seen += n;
	return send(w->fd, bytes, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) == n;
}

/* Echoed, with the carriage return that a terminal would add. */
static bool hear(const struct watch *w, int log)
{
	struct pollfd p = { w->fd, POLLIN, 0 };
	char bytes[512];
	ssize_t n;

	if (poll(&p, 1, LOOK_EVERY_MS) <= 0)
		return true;
	n = recv(w->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	return n > 0 && write(log, bytes, (size_t)n) == n;
}

static void *follow(void *context)
{
	struct watch *w = context;
	int log = open(w->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	while (log >= 0 && fake_machine_has(&w->machine, w->domain) &&
	       hear(w, log) && show(w, log))
		;
	close(log);
	close(w->fd);
	free(w);
	count(-1);
	return NULL;
}

int fake_console_open(void *self, const char *handle, int *fd,
		      struct error *err)
{
	struct watch *w = calloc(1, sizeof(*w));
	int ends[2];
	pthread_t thread;

	if (!w || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		abort();
	w->machine.self = self;
	w->fd = ends[0];
	snprintf(w->domain, sizeof(w->domain), "%s.domain", handle);
	snprintf(w->path, sizeof(w->path), "%s/%s.log", (const char *)self,
		 handle);
	if (!fake_machine_has(&w->machine, w->domain) ||
	    count(0) >= WATCHERS_MAX) {
		error_fill(err, count(0) ? ERR_BUSY : ERR_NOT_FOUND,
			   "no console");
		close(ends[0]);
		close(ends[1]);
		free(w);
		return -1;
	}
	count(1);
	if (pthread_create(&thread, NULL, follow, w))
		abort();
	pthread_detach(thread);
	*fd = ends[1];
	return 0;
}

int fake_console_log(void *self, const char *handle, struct console_part *p,
		     char *out, struct error *err)
{
	return console_log_read(self, handle, p, out, err);
}

void fake_console_forget(void *self, const char *handle)
{
	console_log_remove(self, handle);
}
