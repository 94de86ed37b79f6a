// SPDX-License-Identifier: Apache-2.0
/* See console.h. */
#include "console/console.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "console/console_log.h"
#include "console/console_ring.h"
#include "util/log.h"

/* Reference of the console's page in every domain's grant table. */
#define CONSOLE_REF 0

static int open_log(const char *folder, const char *name)
{
	int fd;

	if (!folder || !*folder)
		return -1;
	fd = console_log_open(folder, name);
	if (fd < 0)
		log_warning("op=console.log name=%s folder=%s failed", name,
			    folder);
	return fd;
}

static void keep(struct console *c, const char *bytes, size_t count)
{
	size_t at = c->written % CONSOLE_KEPT_BYTES;
	size_t first = count;

	if (first > CONSOLE_KEPT_BYTES - at)
		first = CONSOLE_KEPT_BYTES - at;
	memcpy(c->kept + at, bytes, first);
	memcpy(c->kept, bytes + first, count - first);
	c->written += count;
}

/* What the log's end says was kept before, by another process maybe. */
static void keep_log(struct console *c)
{
	char bytes[CONSOLE_KEPT_BYTES];
	off_t length = lseek(c->log_fd, 0, SEEK_END);
	off_t from =
		length > CONSOLE_KEPT_BYTES ? length - CONSOLE_KEPT_BYTES : 0;
	ssize_t n = pread(c->log_fd, bytes, sizeof(bytes), from);

	if (n > 0)
		keep(c, bytes, (size_t)n);
}

int console_open(struct console *c, struct hv *hv, uint32_t id,
		 uint32_t remote_port, const char *folder, const char *name,
		 struct error *err)
{
	c->hv = hv;
	c->viewer_fd = -1;
	c->written = 0;
	c->watchers.count = 0;
	c->ring = hv_grant_map(hv, id, CONSOLE_REF, err);
	if (!c->ring)
		return -1;
	if (hv_event_bind(hv, id, remote_port, &c->port, err)) {
		hv_grant_unmap(hv, c->ring);
		c->ring = NULL;
		return -1;
	}
	c->log_fd = open_log(folder, name);
	if (c->log_fd >= 0)
		keep_log(c);
	return 0;
}

void console_close(struct console *c)
{
	if (!c->ring)
		return;
	console_serve(c);
	hv_event_unbind(c->hv, c->port);
	hv_grant_unmap(c->hv, c->ring);
	c->ring = NULL;
	if (c->log_fd >= 0)
		close(c->log_fd);
	watchers_end(&c->watchers);
}

/* A viewer that does not read misses some: nobody waits for it. */
static void show(const struct console *c, const char *bytes, size_t count)
{
	if (c->viewer_fd >= 0 &&
	    send(c->viewer_fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
}

void console_serve(struct console *c)
{
	char bytes[CONSOLE_RING_OUT_BYTES];
	uint32_t end;
	size_t count;

	if (!c->ring)
		return;
	count = console_ring_peek(c->ring, bytes, &end);
	/* A full disk costs the log, not the console. */
	if (count && c->log_fd >= 0 &&
	    console_log_add(c->log_fd, bytes, count)) {
		close(c->log_fd);
		c->log_fd = -1;
	}
	/* A ring that makes no sense is put right, too. */
	console_ring_drop(c->ring, end);
	if (!count)
		return;
	hv_event_notify(c->hv, c->port);
	keep(c, bytes, count);
	show(c, bytes, count);
	watchers_show(&c->watchers, bytes, count);
}

void console_attach(struct console *c, int fd)
{
	size_t at = c->written % CONSOLE_KEPT_BYTES;

	c->viewer_fd = fd;
	if (c->written > CONSOLE_KEPT_BYTES)
		show(c, c->kept + at, CONSOLE_KEPT_BYTES - at);
	show(c, c->kept, at);
}

bool console_watch(struct console *c, int fd)
{
	size_t at = c->written % CONSOLE_KEPT_BYTES;
	struct watchers one = { 1, { fd } };

	if (!c->ring || c->watchers.count == WATCHERS_MAX)
		return false;
	if (c->written > CONSOLE_KEPT_BYTES)
		watchers_show(&one, c->kept + at, CONSOLE_KEPT_BYTES - at);
	if (at)
		watchers_show(&one, c->kept, at);
	/* Its socket has room for that, or it is none. */
	return one.count && watchers_add(&c->watchers, fd);
}

void console_type(struct console *c, const char *bytes, size_t count)
{
	if (!c->ring || !count)
		return;
	console_ring_put(c->ring, bytes, count);
	hv_event_notify(c->hv, c->port);
}
