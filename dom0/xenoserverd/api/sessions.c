// SPDX-License-Identifier: Apache-2.0
/* See sessions.h. A session is the thread's own once it has taken it from the
 * list of new ones. */
#include "api/sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/log.h"
#include "util/strbuf.h"
#include "util/websocket.h"

#define SESSIONS_MAX 64
#define PAYLOAD_MOST 4096
/* What a client has not read yet; more is too slow. */
#define BACKLOG_MOST (512 * 1024)
#define TICK_MS 1000
#define PING_MS 20000
#define SILENCE_MS 60000

struct session;

struct end {
	struct session *session; /* NULL: it is the bell */
	int fd;
	bool machine;
};

struct session {
	struct session *next;
	struct MHD_UpgradeResponseHandle *handle;
	struct end machine, client;
	bool writes;
	char name[32];
	struct websocket_reader reader;
	uint8_t in[WEBSOCKET_HEAD_MAX + PAYLOAD_MOST];
	size_t have;
	struct strbuf out;
	size_t sent;
	bool waits_to_write;
	int64_t pinged_ms, heard_ms; /* monotonic */
	enum websocket_status over;  /* 0: goes on */
};

struct sessions {
	pthread_t thread;
	int epoll;
	struct end bell;
	struct session *first; /* the thread's */
	pthread_mutex_t mutex; /* of all below */
	bool close;
	unsigned int places; /* taken */
	struct session *fresh;
};

static void watch(struct sessions *all, struct end *e, int operation,
		  uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = e };

	if (epoll_ctl(all->epoll, operation, e->fd, &event))
		log_warning("op=console.session errno=%d", errno);
}

/* As much as the client takes now. */
static void flush(struct sessions *all, struct session *s)
{
	bool more;

	while (s->sent < s->out.length) {
		ssize_t n = send(s->client.fd, s->out.text + s->sent,
				 s->out.length - s->sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && !s->over)
			s->over = WEBSOCKET_GOING_AWAY;
		if (n <= 0)
			break;
		s->sent += (size_t)n;
	}
	more = s->sent < s->out.length;
	if (!more) {
		strbuf_clear(&s->out);
		s->sent = 0;
	}
	if (more != s->waits_to_write)
		watch(all, &s->client, EPOLL_CTL_MOD,
		      EPOLLIN | (more ? EPOLLOUT : 0));
	s->waits_to_write = more;
}

static void put(struct session *s, enum websocket_opcode o, const void *bytes,
		size_t count)
{
	uint8_t head[WEBSOCKET_HEAD_MAX];
	size_t length = websocket_head(head, o, count, NULL);

	if (s->out.length - s->sent + count > BACKLOG_MOST) {
		s->over = WEBSOCKET_POLICY;
		return;
	}
	strbuf_add_bytes(&s->out, head, length);
	strbuf_add_bytes(&s->out, bytes, count);
}

/* The client hears why, if it listens. */
static void finish(struct sessions *all, struct session *s)
{
	uint8_t why[2] = { (uint8_t)(s->over >> 8), (uint8_t)s->over };
	struct session **at = &all->first;

	put(s, WEBSOCKET_CLOSE, why, sizeof(why));
	flush(all, s);
	log_info("op=console.session request=%s ended=%d", s->name, s->over);
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	epoll_ctl(all->epoll, EPOLL_CTL_DEL, s->client.fd, NULL);
	epoll_ctl(all->epoll, EPOLL_CTL_DEL, s->machine.fd, NULL);
	close(s->machine.fd);
	shutdown(s->client.fd, SHUT_WR);
	MHD_upgrade_action(s->handle, MHD_UPGRADE_ACTION_CLOSE);
	strbuf_clear(&s->out);
	free(s);
	sessions_give_back(all);
}

/* What the machine does not take now is not typed: it is faster than hands. */
static void type(struct session *s, const struct websocket_frame *f)
{
	if (s->writes && f->count &&
	    send(s->machine.fd, f->payload, f->count,
		 MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
	    errno != EAGAIN)
		s->over = WEBSOCKET_GOING_AWAY;
}

static void take(struct session *s, const struct websocket_frame *f)
{
	switch (f->opcode) {
	case WEBSOCKET_CLOSE:
		s->over = WEBSOCKET_NORMAL;
		break;
	case WEBSOCKET_PING:
		put(s, WEBSOCKET_PONG, f->payload, f->count);
		break;
	case WEBSOCKET_PONG:
		break;
	default:
		type(s, f);
	}
}

static void take_frames(struct session *s)
{
	struct websocket_frame f;
	size_t at = 0;
	ssize_t n = 0;

	while (!s->over && (n = websocket_read(&s->reader, s->in + at,
					       s->have - at, &f)) > 0) {
		take(s, &f);
		at += (size_t)n;
	}
	if (n < 0)
		s->over = s->reader.wrong;
	memmove(s->in, s->in + at, s->have - at);
	s->have -= at;
}

static void read_client(struct session *s)
{
	ssize_t n = recv(s->client.fd, s->in + s->have, sizeof(s->in) - s->have,
			 MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		s->over = WEBSOCKET_GOING_AWAY;
		return;
	}
	s->heard_ms = monotonic_now_ms();
	s->have += (size_t)n;
	take_frames(s);
}

static void read_machine(struct session *s)
{
	char bytes[16384];
	ssize_t n = recv(s->machine.fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0)
		s->over = WEBSOCKET_GOING_AWAY;
	else
		put(s, WEBSOCKET_BINARY, bytes, (size_t)n);
}

static void adopt(struct sessions *all)
{
	struct session *s, *next;

	pthread_mutex_lock(&all->mutex);
	s = all->fresh;
	all->fresh = NULL;
	pthread_mutex_unlock(&all->mutex);
	for (; s; s = next) {
		next = s->next;
		s->next = all->first;
		all->first = s;
		watch(all, &s->machine, EPOLL_CTL_ADD, EPOLLIN);
		watch(all, &s->client, EPOLL_CTL_ADD, EPOLLIN);
		take_frames(s);
		if (s->over)
			finish(all, s);
	}
}

static void serve(struct sessions *all, const struct epoll_event *event)
{
	struct end *e = event->data.ptr;
	struct session *s = e->session;
	uint64_t count;

	if (!s) {
		if (read(e->fd, &count, sizeof(count)) == sizeof(count))
			adopt(all);
		return;
	}
	if (e->machine)
		read_machine(s);
	else if (event->events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		read_client(s);
	flush(all, s);
	if (s->over)
		finish(all, s);
}

static void tick(struct sessions *all)
{
	int64_t now = monotonic_now_ms();
	struct session *next;

	for (struct session *s = all->first; s; s = next) {
		next = s->next;
		if (now - s->heard_ms > SILENCE_MS) {
			s->over = WEBSOCKET_POLICY;
		} else if (now - s->pinged_ms > PING_MS) {
			s->pinged_ms = now;
			put(s, WEBSOCKET_PING, "", 0);
			flush(all, s);
		}
		if (s->over)
			finish(all, s);
	}
}

static bool closing(struct sessions *all)
{
	bool close;

	pthread_mutex_lock(&all->mutex);
	close = all->close;
	pthread_mutex_unlock(&all->mutex);
	return close;
}

static void *run(void *context)
{
	struct sessions *all = context;
	int64_t ticked_ms = monotonic_now_ms();
	struct epoll_event event;

	while (!closing(all)) {
		/* One at a time: what is finished is never served again. */
		if (epoll_wait(all->epoll, &event, 1, TICK_MS) > 0)
			serve(all, &event);
		if (monotonic_now_ms() - ticked_ms >= TICK_MS) {
			ticked_ms = monotonic_now_ms();
			tick(all);
		}
	}
	adopt(all);
	while (all->first) {
		all->first->over = WEBSOCKET_GOING_AWAY;
		finish(all, all->first);
	}
	return NULL;
}

static void ring(struct sessions *all)
{
	uint64_t one = 1;

	if (write(all->bell.fd, &one, sizeof(one)) != sizeof(one))
		log_warning("op=console.session errno=%d", errno);
}

int sessions_open(struct sessions **out, struct error *err)
{
	struct sessions *all = calloc(1, sizeof(*all));

	if (!all)
		return error_set(err, ERR_SYSTEM, "no memory");
	pthread_mutex_init(&all->mutex, NULL);
	all->epoll = epoll_create1(EPOLL_CLOEXEC);
	all->bell.fd = eventfd(0, EFD_CLOEXEC);
	watch(all, &all->bell, EPOLL_CTL_ADD, EPOLLIN);
	if (all->epoll < 0 || all->bell.fd < 0 ||
	    pthread_create(&all->thread, NULL, run, all)) {
		free(all);
		return error_set(err, ERR_SYSTEM, "consoles cannot be served");
	}
	*out = all;
	return 0;
}

void sessions_end(struct sessions *all)
{
	if (!all)
		return;
	pthread_mutex_lock(&all->mutex);
	all->close = true;
	pthread_mutex_unlock(&all->mutex);
	ring(all);
	pthread_join(all->thread, NULL);
}

void sessions_close(struct sessions *all)
{
	if (!all)
		return;
	close(all->epoll);
	close(all->bell.fd);
	pthread_mutex_destroy(&all->mutex);
	free(all);
}

bool sessions_reserve(struct sessions *all)
{
	bool there;

	pthread_mutex_lock(&all->mutex);
	there = !all->close && all->places < SESSIONS_MAX;
	all->places += there;
	pthread_mutex_unlock(&all->mutex);
	return there;
}

void sessions_give_back(struct sessions *all)
{
	pthread_mutex_lock(&all->mutex);
	all->places--;
	pthread_mutex_unlock(&all->mutex);
}

/* false: all are ended. */
static bool hand_over(struct sessions *all, struct session *s)
{
	bool open;

	pthread_mutex_lock(&all->mutex);
	open = !all->close;
	if (open) {
		s->next = all->fresh;
		all->fresh = s;
	}
	pthread_mutex_unlock(&all->mutex);
	return open;
}

void sessions_start(struct sessions *all, const struct session_start *start)
{
	static const uint8_t going_away[] = { 0x88, 2,
					      WEBSOCKET_GOING_AWAY >> 8,
					      WEBSOCKET_GOING_AWAY & 0xff };
	struct session *s = calloc(1, sizeof(*s));

	if (s && start->early_bytes <= sizeof(s->in)) {
		s->handle = start->handle;
		s->machine = (struct end){ s, start->machine_fd, true };
		s->client = (struct end){ s, start->client_fd, false };
		s->writes = start->writes;
		memcpy(s->name, start->name, sizeof(s->name));
		s->reader.masked = true;
		s->reader.most = PAYLOAD_MOST;
		s->have = start->early_bytes;
		if (s->have)
			memcpy(s->in, start->early, s->have);
		s->pinged_ms = s->heard_ms = monotonic_now_ms();
		if (hand_over(all, s)) {
			ring(all);
			return;
		}
	}
	free(s);
	close(start->machine_fd);
	/* Who does not hear it sees the end of the stream. */
	if (send(start->client_fd, going_away, sizeof(going_away),
		 MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		log_warning("op=console.session errno=%d", errno);
	MHD_upgrade_action(start->handle, MHD_UPGRADE_ACTION_CLOSE);
	sessions_give_back(all);
}
