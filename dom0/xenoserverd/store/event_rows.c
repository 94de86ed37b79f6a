// SPDX-License-Identifier: Apache-2.0
/* See event_rows.h. */
#include "store/event_rows.h"

#include <string.h>

#include "store/statement.h"
#include "util/clock.h"

/* Old ones are removed that many at a time. */
#define PRUNE_EVERY 1000

int event_add(struct db *db, const struct event *e, struct error *err)
{
	int64_t id;

	if (execute(db, err,
		    "INSERT INTO events (at_wall_ms, type, tenant, subject, "
		    "operation_id, actor, request_id, state, message) "
		    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    "itttttttt", wall_now_ms(), e->type, e->tenant, e->subject,
		    e->operation_id, e->actor, e->request_id, e->state,
		    e->message) < 0)
		return -1;
	id = sqlite3_last_insert_rowid(db->sqlite);
	if (id % PRUNE_EVERY)
		return 0;
	return execute(db, err, "DELETE FROM events WHERE id <= ?", "i",
		       id - EVENTS_KEPT) < 0
		       ? -1
		       : 0;
}

int event_list(struct db *db, int64_t after, const char *tenant, int64_t limit,
	       event_visit visit, void *context, struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err,
		"SELECT id, at_wall_ms, type, tenant, subject, operation_id, "
		"actor, request_id, state, message FROM events WHERE id > ?1 "
		"AND (?2 IS NULL OR tenant = ?2) ORDER BY id LIMIT ?3",
		"iti", after, tenant, limit);
	int rc = -1;

	while (s && (rc = statement_step(db, s, err)) == 1) {
		struct event e = { .id = sqlite3_column_int64(s, 0),
				   .at_wall_ms = sqlite3_column_int64(s, 1) };

		column_text(s, 2, e.type, sizeof(e.type));
		column_text(s, 3, e.tenant, sizeof(e.tenant));
		column_text(s, 4, e.subject, sizeof(e.subject));
		column_text(s, 5, e.operation_id, sizeof(e.operation_id));
		column_text(s, 6, e.actor, sizeof(e.actor));
		column_text(s, 7, e.request_id, sizeof(e.request_id));
		column_text(s, 8, e.state, sizeof(e.state));
		column_text(s, 9, e.message, sizeof(e.message));
		if (visit(context, &e, err))
			return -1;
	}
	return rc;
}

int event_range(struct db *db, int64_t *oldest, int64_t *newest,
		struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT coalesce(min(id), 0), coalesce(max(id), 0) "
			  "FROM events",
			  "");

	if (!s || statement_step(db, s, err) < 0)
		return -1;
	*oldest = sqlite3_column_int64(s, 0);
	*newest = sqlite3_column_int64(s, 1);
	return 0;
}
