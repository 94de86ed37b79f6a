// SPDX-License-Identifier: Apache-2.0
/* See idempotency_rows.h. */
#include "store/idempotency_rows.h"

#include <string.h>

#include "store/statement.h"
#include "util/clock.h"

int idempotency_find(struct db *db, const char *scope, const char *key,
		     struct kept_answer *out, struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err,
		"SELECT body_digest, status, location, etag, answer "
		"FROM idempotency WHERE scope = ? AND key = ? AND "
		"created_wall_ms > ?",
		"tti", scope, key, wall_now_ms() - IDEMPOTENCY_KEPT_MS);
	int rc = s ? statement_step(db, s, err) : -1;

	if (rc != 1)
		return rc;
	column_text(s, 0, out->body_digest, sizeof(out->body_digest));
	out->status = sqlite3_column_int(s, 1);
	column_text(s, 2, out->location, sizeof(out->location));
	column_text(s, 3, out->etag, sizeof(out->etag));
	out->text = strdup((const char *)sqlite3_column_text(s, 4));
	if (!out->text)
		return error_set(err, ERR_SYSTEM, "no memory");
	return 1;
}

int idempotency_keep(struct db *db, const char *scope, const char *key,
		     const struct kept_answer *a, struct error *err)
{
	int64_t now = wall_now_ms();

	if (execute(db, err,
		    "DELETE FROM idempotency WHERE created_wall_ms <= ?", "i",
		    now - IDEMPOTENCY_KEPT_MS) < 0)
		return -1;
	return execute(db, err,
		       "INSERT INTO idempotency (scope, key, body_digest, "
		       "status, location, etag, answer, created_wall_ms) "
		       "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		       "tttittti", scope, key, a->body_digest,
		       (int64_t)a->status, a->location, a->etag, a->text,
		       now) < 0
		       ? -1
		       : 0;
}
