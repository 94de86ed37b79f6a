// SPDX-License-Identifier: Apache-2.0
/*
 * The token that comes in a file, before anybody has one that is asked for. It
 * is in the store before the file goes; a file that is found again brings
 * nothing back, not even a token that was revoked since.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "store/event_rows.h"
#include "util/auto_cleanup.h"
#include "util/clock.h"
#include "util/log.h"

#define TEXT_MAX 128
#define PREFIX "xs_tok_"
#define ID_BYTES (strlen("tok_") + ID_TAIL)
#define SECRET_DIGITS 64
#define YEAR_MS (365LL * 24 * 3600 * 1000)

static int read_text(const char *path, char out[TEXT_MAX], struct error *err)
{
	int auto_close fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count = fd < 0 ? -1 : read(fd, out, TEXT_MAX - 1);

	if (count < 0)
		return error_set(err,
				 errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM,
				 "%.80s: %s", path, strerror(errno));
	out[count] = '\0';
	out[strcspn(out, "\r\n")] = '\0';
	return 0;
}

static bool parse(const char *text, struct token *t)
{
	const char *id = text + strlen("xs_");
	const char *secret = id + ID_BYTES + 1;

	if (strlen(text) != strlen("xs_") + ID_BYTES + 1 + SECRET_DIGITS ||
	    strncmp(text, PREFIX, strlen(PREFIX)) != 0 || secret[-1] != '_' ||
	    strspn(secret, "0123456789abcdef") != SECRET_DIGITS)
		return false;
	snprintf(t->id, sizeof(t->id), "%.*s", (int)ID_BYTES, id);
	digest_make(t->secret_digest, secret, SECRET_DIGITS);
	return true;
}

static int insert(struct db *db, struct token *t, struct error *err)
{
	struct event e = { .type = "token.created", .actor = "node" };
	struct token found;

	if (token_find(db, t->id, &found, err) == 0)
		return 0;
	if (err->code != ERR_NOT_FOUND)
		return -1;
	t->role = ROLE_OPERATOR;
	snprintf(t->description, sizeof(t->description), "taken from a file");
	t->created_wall_ms = wall_now_ms();
	t->expires_wall_ms = t->created_wall_ms + YEAR_MS;
	memcpy(e.subject, t->id, sizeof(e.subject));
	log_info("op=token.taken token=%s", t->id);
	return token_insert(db, t, err) || event_add(db, &e, err) ? -1 : 0;
}

static int keep(const char *store_path, struct token *t, struct error *err)
{
	struct db *db;
	int rc;

	if (db_open(&db, store_path, err))
		return -1;
	rc = db_begin(db, err);
	if (rc == 0 && (insert(db, t, err) || db_commit(db, err))) {
		db_rollback(db);
		rc = -1;
	}
	db_close(db);
	return rc;
}

int take_operator_token(const struct service_options *o, struct error *err)
{
	const char *path = o->operator_token_path;
	struct token t = { .role = ROLE_OPERATOR };
	char text[TEXT_MAX];
	bool valid;

	if (!path)
		return 0;
	if (read_text(path, text, err))
		return err->code == ERR_NOT_FOUND ? 0 : -1;
	valid = parse(text, &t);
	explicit_bzero(text, sizeof(text));
	if (!valid) {
		log_failure("op=token.take file=%s message=\"no token\"", path);
		return 0;
	}
	if (keep(o->orchestration.store_path, &t, err))
		return -1;
	if (unlink(path))
		log_failure("op=token.take file=%s message=\"%s\"", path,
			    strerror(errno));
	return 0;
}
