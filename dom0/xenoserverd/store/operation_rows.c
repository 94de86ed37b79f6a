// SPDX-License-Identifier: Apache-2.0
/* See operation_rows.h. */
#include "store/operation_rows.h"

#include <string.h>

#include "store/statement.h"
#include "util/clock.h"

#define COLUMNS                                                                \
	"id, action, domain_id, tenant, state, from_state, starts, "           \
	"deadline_wall_ms, actor, request_id, created_wall_ms, "               \
	"started_wall_ms, finished_wall_ms, problem_code, problem"

static const char *const words[OPERATION_STATES] = {
	[OPERATION_QUEUED] = "queued",
	[OPERATION_RUNNING] = "running",
	[OPERATION_SUCCEEDED] = "succeeded",
	[OPERATION_FAILED] = "failed",
};

const char *operation_state_word(enum operation_state s)
{
	return words[s];
}

bool operation_state_parse(enum operation_state *out, const char *word)
{
	for (unsigned int i = 0; i < OPERATION_STATES; i++)
		if (strcmp(word, words[i]) == 0) {
			*out = i;
			return true;
		}
	return false;
}

int operation_insert(struct db *db, const struct operation *o,
		     struct error *err)
{
	if (execute(db, err,
		    "INSERT INTO operations (" COLUMNS ") VALUES "
		    "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    "ttttttiittiiitt", o->id, domain_action_word(o->action),
		    o->domain_id, o->tenant, words[o->state],
		    domain_state_word(o->from_state), (int64_t)o->starts,
		    o->deadline_wall_ms, o->actor, o->request_id,
		    o->created_wall_ms, o->started_wall_ms, o->finished_wall_ms,
		    o->problem_code, o->problem) >= 0)
		return 0;
	if (err->code == ERR_EXISTS)
		error_fill(err, ERR_BUSY, "an operation on %s is not finished",
			   o->domain_id);
	return -1;
}

int operation_save(struct db *db, const struct operation *o, struct error *err)
{
	int changed = execute(
		db, err,
		"UPDATE operations SET state = ?, starts = ?, "
		"deadline_wall_ms = ?, started_wall_ms = ?, "
		"finished_wall_ms = ?, problem_code = ?, problem = ? "
		"WHERE id = ? AND state IN ('queued', 'running')",
		"tiiiittt", words[o->state], (int64_t)o->starts,
		o->deadline_wall_ms, o->started_wall_ms, o->finished_wall_ms,
		o->problem_code, o->problem, o->id);

	if (changed == 0)
		return error_set(err, ERR_BUSY, "operation %s is finished",
				 o->id);
	return changed < 0 ? -1 : 0;
}

static void read_operation(sqlite3_stmt *s, struct operation *o)
{
	char word[32];

	memset(o, 0, sizeof(*o));
	column_text(s, 0, o->id, sizeof(o->id));
	column_text(s, 1, word, sizeof(word));
	domain_action_parse(&o->action, word);
	column_text(s, 2, o->domain_id, sizeof(o->domain_id));
	column_text(s, 3, o->tenant, sizeof(o->tenant));
	column_text(s, 4, word, sizeof(word));
	operation_state_parse(&o->state, word);
	column_text(s, 5, word, sizeof(word));
	domain_state_parse(&o->from_state, word);
	o->starts = sqlite3_column_int(s, 6);
	o->deadline_wall_ms = sqlite3_column_int64(s, 7);
	column_text(s, 8, o->actor, sizeof(o->actor));
	column_text(s, 9, o->request_id, sizeof(o->request_id));
	o->created_wall_ms = sqlite3_column_int64(s, 10);
	o->started_wall_ms = sqlite3_column_int64(s, 11);
	o->finished_wall_ms = sqlite3_column_int64(s, 12);
	column_text(s, 13, o->problem_code, sizeof(o->problem_code));
	column_text(s, 14, o->problem, sizeof(o->problem));
}

/* The first row of a statement that the caller has made: 1; 0: none. */
static int first(struct db *db, sqlite3_stmt *s, struct operation *out,
		 struct error *err)
{
	int rc = s ? statement_step(db, s, err) : -1;

	if (rc == 1)
		read_operation(s, out);
	return rc;
}

int operation_find(struct db *db, const char *tenant, const char *id,
		   struct operation *out, struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT " COLUMNS " FROM operations WHERE id = ?1 "
			  "AND (?2 IS NULL OR tenant = ?2)",
			  "tt", id, tenant);
	int rc = first(db, s, out, err);

	if (rc == 0)
		return error_set(err, ERR_NOT_FOUND, "no operation %.60s", id);
	return rc < 0 ? -1 : 0;
}

int operation_open(struct db *db, const char *domain_id, struct operation *out,
		   struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT " COLUMNS " FROM operations "
			  "WHERE domain_id = ? AND "
			  "state IN ('queued', 'running')",
			  "t", domain_id);
	int rc = first(db, s, out, err);

	if (rc == 0)
		return error_set(err, ERR_NOT_FOUND, "nothing is done to it");
	return rc < 0 ? -1 : 0;
}

/* 1 for a volume's, 0 for a domain's. */
#define IS_VOLUMES "(substr(domain_id, 1, 4) = 'vol_')"

static int next(struct db *db, bool of_volumes, struct operation *out,
		struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err,
		"SELECT " COLUMNS
		" FROM operations WHERE state = 'queued' AND " IS_VOLUMES
		" = ? ORDER BY seq LIMIT 1",
		"i", (int64_t)of_volumes);

	return first(db, s, out, err);
}

int operation_next(struct db *db, struct operation *out, struct error *err)
{
	return next(db, false, out, err);
}

int volume_operation_next(struct db *db, struct operation *out,
			  struct error *err)
{
	return next(db, true, out, err);
}

int operation_overdue(struct db *db, int64_t now_wall_ms, struct operation *out,
		      struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT " COLUMNS " FROM operations "
			  "WHERE state = 'running' AND deadline_wall_ms > 0 "
			  "AND deadline_wall_ms <= ? ORDER BY seq LIMIT 1",
			  "i", now_wall_ms);

	return first(db, s, out, err);
}

static int resume(struct db *db, bool of_volumes, struct error *err)
{
	if (execute(db, err,
		    "UPDATE journal SET outcome = 'interrupted', "
		    "ended_wall_ms = ?1 WHERE outcome = '' AND operation_id IN "
		    "(SELECT id FROM operations WHERE " IS_VOLUMES " = ?2)",
		    "ii", wall_now_ms(), (int64_t)of_volumes) < 0)
		return -1;
	return execute(
		db, err,
		"UPDATE operations SET state = 'queued' "
		"WHERE state = 'running' AND deadline_wall_ms = 0 AND " IS_VOLUMES
		" = ?",
		"i", (int64_t)of_volumes);
}

int operations_resume(struct db *db, struct error *err)
{
	return resume(db, false, err);
}

int volume_operations_resume(struct db *db, struct error *err)
{
	return resume(db, true, err);
}

int operation_list(struct db *db, const struct operation_filter *f,
		   operation_visit visit, void *context, struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err,
		"SELECT " COLUMNS " FROM operations WHERE "
		"(?1 IS NULL OR id < ?1) AND (?2 IS NULL OR tenant = ?2) AND "
		"(?3 IS NULL OR domain_id = ?3) AND "
		"(?4 IS NULL OR state = ?4) ORDER BY id DESC LIMIT ?5",
		"tttti", f->after, f->tenant, f->domain_id, f->state, f->limit);
	struct operation o;
	int rc;

	while ((rc = first(db, s, &o, err)) == 1)
		if (visit(context, &o, err))
			return -1;
	return rc;
}

int operation_counts(struct db *db, uint64_t counts[OPERATION_STATES],
		     struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT state, count(*) FROM operations "
			  "GROUP BY state",
			  "");
	int rc = -1;

	memset(counts, 0, OPERATION_STATES * sizeof(*counts));
	while (s && (rc = statement_step(db, s, err)) == 1) {
		enum operation_state state;
		char word[32];

		column_text(s, 0, word, sizeof(word));
		if (operation_state_parse(&state, word))
			counts[state] = (uint64_t)sqlite3_column_int64(s, 1);
	}
	return rc;
}

int journal_begin(struct db *db, const char *operation_id, const char *act,
		  struct error *err)
{
	return execute(db, err,
		       "INSERT INTO journal (operation_id, act, "
		       "begun_wall_ms, ended_wall_ms, outcome) "
		       "VALUES (?, ?, ?, 0, '')",
		       "tti", operation_id, act, wall_now_ms()) < 0
		       ? -1
		       : 0;
}

int journal_end(struct db *db, const char *operation_id, const char *outcome,
		struct error *err)
{
	return execute(db, err,
		       "UPDATE journal SET outcome = ?, ended_wall_ms = ? "
		       "WHERE operation_id = ? AND outcome = ''",
		       "tit", outcome, wall_now_ms(), operation_id) < 0
		       ? -1
		       : 0;
}

int journal_read(struct db *db, const char *operation_id,
		 struct journal_entry *out, int max, struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT act, outcome, begun_wall_ms, ended_wall_ms "
			  "FROM journal WHERE operation_id = ? ORDER BY seq",
			  "t", operation_id);
	int count = 0, rc = -1;

	while (s && count < max && (rc = statement_step(db, s, err)) == 1) {
		struct journal_entry *e = &out[count++];

		column_text(s, 0, e->act, sizeof(e->act));
		column_text(s, 1, e->outcome, sizeof(e->outcome));
		e->begun_wall_ms = sqlite3_column_int64(s, 2);
		e->ended_wall_ms = sqlite3_column_int64(s, 3);
	}
	return rc < 0 ? -1 : count;
}
