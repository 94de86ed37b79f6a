// SPDX-License-Identifier: Apache-2.0
/* See store.h: over libxenstore, which reads the socket with one thread of its
 * own once there is a watch. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xenstore.h>

#include "util/auto_cleanup.h"
#include "xenstore/store.h"

struct store {
	struct xs_handle *xs;
	xs_transaction_t transaction;
};

static int fail(struct error *err, const char *what)
{
	enum error_code code = ERR_SYSTEM;

	if (errno == EAGAIN)
		code = ERR_BUSY;
	else if (errno == ENOENT)
		code = ERR_NOT_FOUND;
	return error_set(err, code, "xenstore: %s: %s", what, strerror(errno));
}

int store_open(struct store **out, struct error *err)
{
	struct store *s = calloc(1, sizeof(*s));

	if (!s)
		return fail(err, "memory");
	s->xs = xs_open(XS_UNWATCH_FILTER);
	if (!s->xs) {
		free(s);
		return fail(err, "connection");
	}
	*out = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	xs_close(s->xs);
	free(s);
}

int store_begin(struct store *s, struct error *err)
{
	s->transaction = xs_transaction_start(s->xs);
	return s->transaction == XBT_NULL ? fail(err, "transaction") : 0;
}

int store_end(struct store *s, struct error *err)
{
	xs_transaction_t t = s->transaction;

	s->transaction = XBT_NULL;
	return xs_transaction_end(s->xs, t, false) ? 0
						   : fail(err, "transaction");
}

int store_write(struct store *s, const char *path, const char *value,
		struct error *err)
{
	if (!xs_write(s->xs, s->transaction, path, value,
		      (unsigned int)strlen(value)))
		return fail(err, path);
	return 0;
}

int store_writef(struct store *s, const char *directory, const char *name,
		 struct error *err, const char *format, ...)
{
	char path[STORE_PATH_MAX], value[STORE_PATH_MAX * 2];
	va_list ap;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	va_start(ap, format);
	vsnprintf(value, sizeof(value), format, ap);
	va_end(ap);
	return store_write(s, path, value, err);
}

bool store_read(struct store *s, const char *path, char *value, size_t size)
{
	unsigned int length;
	char auto_free *text = xs_read(s->xs, s->transaction, path, &length);

	if (!text)
		return false;
	snprintf(value, size, "%s", text);
	return true;
}

bool store_read_number(struct store *s, const char *directory, const char *name,
		       uint32_t *value)
{
	char path[STORE_PATH_MAX], text[16];
	unsigned long long number;
	char *end;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (!store_read(s, path, text, sizeof(text)) || *text < '0' ||
	    *text > '9')
		return false;
	number = strtoull(text, &end, 10);
	if (*end || number > UINT32_MAX)
		return false;
	*value = (uint32_t)number;
	return true;
}

void store_remove(struct store *s, const char *path)
{
	xs_rm(s->xs, s->transaction, path);
}

int store_make(struct store *s, const char *path, struct error *err)
{
	return xs_mkdir(s->xs, s->transaction, path) ? 0 : fail(err, path);
}

int store_permit(struct store *s, const char *path, uint32_t owner,
		 uint32_t reader, struct error *err)
{
	struct xs_permissions p[2] = {
		{ .id = owner, .perms = XS_PERM_NONE },
		{ .id = reader, .perms = XS_PERM_READ },
	};

	if (!xs_set_permissions(s->xs, s->transaction, path, p, 2))
		return fail(err, path);
	return 0;
}

int store_own(struct store *s, const char *path, uint32_t owner,
	      uint32_t reader, struct error *err)
{
	if (store_make(s, path, err))
		return -1;
	return store_permit(s, path, owner, reader, err);
}

int store_introduce(struct store *s, uint32_t id, uint64_t ring_mfn,
		    uint32_t port, struct error *err)
{
	if (!xs_introduce_domain(s->xs, id, ring_mfn, port))
		return fail(err, "introducing the domain");
	return 0;
}

void store_release(struct store *s, uint32_t id)
{
	xs_release_domain(s->xs, id);
}

int store_watch(struct store *s, const char *path, const char *token,
		struct error *err)
{
	return xs_watch(s->xs, path, token) ? 0 : fail(err, path);
}

void store_unwatch(struct store *s, const char *path, const char *token)
{
	xs_unwatch(s->xs, path, token);
}

int store_fd(struct store *s)
{
	return xs_fileno(s->xs);
}

bool store_next_event(struct store *s, char path[STORE_PATH_MAX],
		      char token[STORE_TOKEN_MAX])
{
	char auto_free **event = xs_check_watch(s->xs);

	if (!event)
		return false;
	snprintf(path, STORE_PATH_MAX, "%s", event[XS_WATCH_PATH]);
	snprintf(token, STORE_TOKEN_MAX, "%s", event[XS_WATCH_TOKEN]);
	return true;
}
