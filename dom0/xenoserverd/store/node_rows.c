// SPDX-License-Identifier: Apache-2.0
/* See node_rows.h. The node has one row; a domain has one in restarts for as
 * long as it is to be started again. */
#include "store/node_rows.h"

#include "store/statement.h"

/* 1: there is a row, and s is at it. */
static int first(struct db *db, sqlite3_stmt *s, struct error *err)
{
	return s ? statement_step(db, s, err) : -1;
}

int node_started(struct db *db, const char *boot, struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err, "SELECT 1 FROM node WHERE boot = ?1", "t", boot);
	int same = first(db, s, err);

	if (same)
		return same < 0 ? -1 : 0;
	if (execute(db, err,
		    "INSERT OR IGNORE INTO restarts "
		    "SELECT id FROM domains WHERE state = 'running' OR "
		    "(state = 'shutting_down' AND id IN (SELECT domain_id FROM "
		    "operations WHERE action = 'reboot' AND state = 'running'))",
		    "") < 0 ||
	    execute(db, err,
		    "INSERT OR REPLACE INTO node (id, boot, stopping_wall_ms) "
		    "VALUES (1, ?1, 0)",
		    "t", boot) < 0)
		return -1;
	return 1;
}

int node_stop(struct db *db, int64_t now_wall_ms, struct error *err)
{
	return execute(db, err,
		       "UPDATE node SET stopping_wall_ms = ?1 "
		       "WHERE stopping_wall_ms = 0",
		       "i", now_wall_ms) < 0
		       ? -1
		       : 0;
}

int node_stopping(struct db *db, int64_t *since_wall_ms, struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err, "SELECT stopping_wall_ms FROM node", "");
	int found = first(db, s, err);

	*since_wall_ms = found == 1 ? sqlite3_column_int64(s, 0) : 0;
	return found < 0 ? -1 : 0;
}

int restart_add(struct db *db, const char *domain_id, struct error *err)
{
	return execute(db, err,
		       "INSERT OR IGNORE INTO restarts (domain_id) VALUES (?1)",
		       "t", domain_id) < 0
		       ? -1
		       : 0;
}

int restart_wanted(struct db *db, const char *domain_id, struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err, "SELECT 1 FROM restarts WHERE domain_id = ?1", "t",
		domain_id);

	return first(db, s, err);
}

int restart_remove(struct db *db, const char *domain_id, struct error *err)
{
	return execute(db, err, "DELETE FROM restarts WHERE domain_id = ?1",
		       "t", domain_id) < 0
		       ? -1
		       : 0;
}

int domain_next_up(struct db *db, const char *after, char id[ID_MAX],
		   struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT id FROM domains WHERE id > ?1 AND state IN "
			  "('building', 'running', 'paused', 'shutting_down') "
			  "ORDER BY id LIMIT 1",
			  "t", after);
	int found = first(db, s, err);

	if (found == 1)
		column_text(s, 0, id, ID_MAX);
	return found;
}
