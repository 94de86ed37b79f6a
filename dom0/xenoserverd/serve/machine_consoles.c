// SPDX-License-Identifier: Apache-2.0
/* The machine's consoles, see machine.h: each who watches has a socket whose
 * other end is the reactor's, and is that end's owner. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/machine_calls.h"

/* The kept part of a console, and a burst; what the socket does not hold is
 * too much. */
#define ROOM_BYTES (256 * 1024)

struct watcher {
	struct reactor *reactor;
	struct guests *guests;
	struct reactor_source source;
	char handle[CONFIG_NAME_MAX];
};

static struct console *console_of(const struct watcher *w)
{
	struct error err;
	struct guest *g = guests_find(w->guests, w->handle, &err);

	return g ? &g->console : NULL;
}

static void end(struct watcher *w)
{
	struct console *c = console_of(w);

	if (c)
		watchers_remove(&c->watchers, w->source.fd);
	reactor_remove(w->reactor, &w->source);
	close(w->source.fd);
	free(w);
}

/* What is typed; or the end, by whichever side. */
static void readable(struct reactor_source *source)
{
	struct watcher *w = source->owner;
	struct console *c = console_of(w);
	char bytes[512];
	ssize_t n = recv(source->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || !c)
		end(w);
	else
		console_type(c, bytes, (size_t)n);
}

struct opening {
	const char *handle;
	struct reactor *reactor;
	int fd;
};

static int perform_open(void *context, struct guests *guests, struct error *err)
{
	struct opening *o = context;
	struct guest *g = guests_find(guests, o->handle, err);
	struct watcher *w;

	if (!g)
		return -1;
	w = calloc(1, sizeof(*w));
	if (!w)
		return error_set(err, ERR_SYSTEM, "no memory");
	w->reactor = o->reactor;
	w->guests = guests;
	w->source = (struct reactor_source){ o->fd, readable, w };
	snprintf(w->handle, sizeof(w->handle), "%s", g->config.name);
	if (reactor_add(o->reactor, &w->source, err)) {
		free(w);
		return -1;
	}
	if (console_watch(&g->console, o->fd))
		return 0;
	reactor_remove(o->reactor, &w->source);
	free(w);
	if (!g->console.ring)
		return error_set(err, ERR_NOT_FOUND, "it has no console now");
	return error_set(err, ERR_BUSY, "%d watch it already", WATCHERS_MAX);
}

int machine_console_open(void *self, const char *handle, int *fd,
			 struct error *err)
{
	struct opening o = { handle, guest_machine_options(self)->reactor, -1 };
	int room = ROOM_BYTES, ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
		       ends))
		return error_set(err, ERR_SYSTEM, "socketpair: %s",
				 strerror(errno));
	/* Less room than that only means to be too slow sooner. */
	if (setsockopt(ends[0], SOL_SOCKET, SO_SNDBUFFORCE, &room,
		       sizeof(room)))
		setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	o.fd = ends[0];
	if (guest_machine_ask(self, perform_open, &o, err)) {
		close(ends[0]);
		close(ends[1]);
		return -1;
	}
	*fd = ends[1];
	return 0;
}

int machine_console_log(void *self, const char *handle, struct console_part *p,
			char *out, struct error *err)
{
	const char *folder = guest_machine_options(self)->guests->log_folder;

	if (!folder)
		return error_set(err, ERR_UNSUPPORTED,
				 "consoles have no logs on this node");
	return console_log_read(folder, handle, p, out, err);
}

void machine_console_forget(void *self, const char *handle)
{
	const char *folder = guest_machine_options(self)->guests->log_folder;

	if (folder)
		console_log_remove(folder, handle);
}
