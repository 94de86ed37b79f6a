// SPDX-License-Identifier: Apache-2.0
/*
 * See server.h. A client that does not send its request, or read its answer,
 * holds up nobody: its files never block.
 */
#include "serve/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve/guests.h"
#include "serve/reactor.h"
#include "serve/verbs.h"
#include "util/log.h"
#include "xenstore/domain_nodes.h"

/* Bytes of an answer, and of a request, that need no thought. */
#define ANSWER_USUAL 65536
#define REQUEST_USUAL 4096

/* The token of the watch that says that some domain has ended. */
#define ENDED_TOKEN "ended"

struct server {
	struct reactor *reactor;
	struct guests guests;
	struct reactor_source events, watches, listener, signals;
	struct client *first;
};

struct client {
	struct client *next;
	struct server *server;
	struct reactor_source source;
	char console_of[CONFIG_NAME_MAX]; /* "": still asks */
	size_t have, room;
	char *request; /* its length, then its bytes */
};

static struct guest *console_guest(const struct client *c)
{
	struct error err;

	return *c->console_of
		       ? guests_find(&c->server->guests, c->console_of, &err)
		       : NULL;
}

static void client_end(struct client *c)
{
	struct client **at = &c->server->first;
	struct guest *g = console_guest(c);

	if (g && g->console.viewer_fd == c->source.fd)
		g->console.viewer_fd = -1;
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	reactor_remove(c->server->reactor, &c->source);
	close(c->source.fd);
	free(c->request);
	free(c);
}

/* A socket holds a short answer as it is; a long one is given the room, twice
 * over, since the kernel's own structures are in it, too. */
static void answer(int fd, const char *bytes, size_t count)
{
	int room = (int)count * 2;

	if (count > ANSWER_USUAL &&
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)))
		log_warning("op=answer errno=%d", errno);
	if (send(fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		log_warning("op=answer errno=%d", errno);
}

static void answer_error(int fd, const struct error *err)
{
	char line[300];
	int length = snprintf(line, sizeof(line), "error %s: %s\n",
			      error_word(err->code), err->message);

	answer(fd, line, (size_t)length);
}

/* true: the client stays. */
static bool attach(struct client *c, const char *name)
{
	struct error err;
	struct guest *g = guests_find(&c->server->guests, name, &err);

	if (!g) {
		answer_error(c->source.fd, &err);
		return false;
	}
	snprintf(c->console_of, sizeof(c->console_of), "%s", g->config.name);
	if (g->console.viewer_fd >= 0)
		shutdown(g->console.viewer_fd, SHUT_RDWR);
	answer(c->source.fd, "ok\n", 3);
	console_attach(&g->console, c->source.fd);
	return true;
}

static bool perform(struct client *c, char *bytes, size_t count)
{
	char *words[VERB_WORDS_MAX];
	struct strbuf out = { .text = NULL };
	unsigned int n = 0;
	struct error err;

	for (char *p = bytes; p < bytes + count && n < VERB_WORDS_MAX;
	     p += strlen(p) + 1)
		words[n++] = p;
	if (n == 0)
		return false;
	if (n == 2 && strcmp(words[0], "console") == 0)
		return attach(c, words[1]);
	strbuf_add(&out, "ok\n");
	if (verb_perform(&c->server->guests, words, n, &out, &err))
		answer_error(c->source.fd, &err);
	else
		answer(c->source.fd, out.text, out.length);
	strbuf_clear(&out);
	return false;
}

/* What is typed. */
static void read_console(struct client *c)
{
	char bytes[512];
	ssize_t n = recv(c->source.fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	struct guest *g = console_guest(c);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || !g)
		client_end(c);
	else
		console_type(&g->console, bytes, (size_t)n);
}

/* For the request of that length. */
static bool make_room(struct client *c, uint32_t length)
{
	size_t room = sizeof(length) + (size_t)length;
	char *larger;

	if (room > SERVER_REQUEST_MAX)
		return false;
	if (room <= c->room)
		return true;
	larger = realloc(c->request, room);
	if (!larger)
		return false;
	c->request = larger;
	c->room = room;
	return true;
}

static void read_client(struct reactor_source *source)
{
	struct client *c = source->owner;
	uint32_t length = 0;
	ssize_t n;

	if (*c->console_of) {
		read_console(c);
		return;
	}
	n = recv(source->fd, c->request + c->have, c->room - c->have,
		 MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		client_end(c);
		return;
	}
	c->have += (size_t)n;
	if (c->have < sizeof(length))
		return;
	memcpy(&length, c->request, sizeof(length));
	if (!make_room(c, length)) {
		client_end(c);
		return;
	}
	if (c->have < sizeof(length) + length)
		return;
	/* The last word ends where the request does, whatever was sent. */
	if (!length || c->request[sizeof(length) + length - 1] != '\0' ||
	    !perform(c, c->request + sizeof(length), length))
		client_end(c);
}

static void accept_client(struct reactor_source *source)
{
	struct server *s = source->owner;
	int fd = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC);
	struct client *c;
	struct error err;

	if (fd < 0)
		return;
	c = calloc(1, sizeof(*c));
	if (c)
		c->request = malloc(REQUEST_USUAL);
	if (!c || !c->request) {
		free(c);
		close(fd);
		return;
	}
	c->room = REQUEST_USUAL;
	c->server = s;
	c->source = (struct reactor_source){ fd, read_client, c };
	c->next = s->first;
	s->first = c;
	if (reactor_add(s->reactor, &c->source, &err))
		client_end(c);
}

static void read_events(struct reactor_source *source)
{
	struct server *s = source->owner;
	int port = hv_event_next(s->guests.hv);

	if (port >= 0)
		guests_event(&s->guests, (uint32_t)port);
}

static void read_watches(struct reactor_source *source)
{
	struct server *s = source->owner;
	char path[STORE_PATH_MAX], token[STORE_TOKEN_MAX];

	while (store_next_event(s->guests.store, path, token))
		if (strcmp(token, ENDED_TOKEN) == 0)
			guests_look_after(&s->guests);
		else
			guests_follow(&s->guests, token);
}

static void read_signals(struct reactor_source *source)
{
	struct server *s = source->owner;

	reactor_stop(s->reactor);
}

static int open_listener(const char *path, struct error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(address.sun_path))
		return error_set(err, ERR_INVALID, "socket %s: too long", path);
	memcpy(address.sun_path, path, strlen(path) + 1);
	unlink(path);
	/* Who may connect may do everything. */
	umask(0077);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(fd, 16))
		return error_set(err, ERR_SYSTEM, "socket %s: %s", path,
				 strerror(errno));
	return fd;
}

static int open_signals(struct error *err)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		return error_set(err, ERR_SYSTEM, "signals: %s",
				 strerror(errno));
	return fd;
}

static int add(struct server *s, struct reactor_source *source, int fd,
	       void (*readable)(struct reactor_source *source),
	       struct error *err)
{
	*source = (struct reactor_source){ fd, readable, s };
	return fd < 0 ? -1 : reactor_add(s->reactor, source, err);
}

/* In order; what is opened is closed by the process's end. */
static int start(struct server *s, const struct server_options *o,
		 struct error *err)
{
	char *folder;

	/* For as long as the process lives. */
	if (asprintf(&folder, "%s.domains", o->socket_path) < 0)
		return error_set(err, ERR_SYSTEM, "no memory");
	s->guests.record_folder = folder;
	s->guests.log_folder = o->log_folder;
	s->guests.lease_folder = o->lease_folder;
	if (hv_open(&s->guests.hv, err) || store_open(&s->guests.store, err) ||
	    domain0_nodes_write(s->guests.store, err) ||
	    devices_create_own(&s->guests.own, s->guests.hv, s->guests.store,
			       err) ||
	    guests_adopt(&s->guests, err) || reactor_open(&s->reactor, err) ||
	    add(s, &s->signals, open_signals(err), read_signals, err) ||
	    store_watch(s->guests.store, "@releaseDomain", ENDED_TOKEN, err) ||
	    add(s, &s->watches, store_fd(s->guests.store), read_watches, err) ||
	    add(s, &s->events, hv_event_fd(s->guests.hv), read_events, err))
		return -1;
	if (add(s, &s->listener, open_listener(o->socket_path, err),
		accept_client, err))
		return -1;
	return o->extend ? o->extend(o->extend_context, s->reactor, &s->guests,
				     err)
			 : 0;
}

int server_run(const struct server_options *o, struct error *err)
{
	static struct server server;
	struct server *s = &server;
	int rc = start(s, o, err);

	if (rc == 0) {
		log_info("op=serve socket=%s hypervisor=%s", o->socket_path,
			 hv_is_own(s->guests.hv) ? "own" : "other");
		rc = reactor_run(s->reactor, err);
		/* When the socket is gone, all is recorded. */
		guests_leave(&s->guests);
		unlink(o->socket_path);
	}
	reactor_close(s->reactor);
	store_close(s->guests.store);
	hv_close(s->guests.hv);
	return rc;
}
