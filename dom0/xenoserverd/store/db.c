// SPDX-License-Identifier: Apache-2.0
/* See db.h and statement.h. */
#include "store/db.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounting/store_sqlite.h"
#include "store/statement.h"

#define BUSY_TIMEOUT_MS 10000

int sqlite_failed(struct db *db, struct error *err)
{
	enum error_code code = ERR_SYSTEM;

	switch (sqlite3_extended_errcode(db->sqlite)) {
	case SQLITE_CONSTRAINT_UNIQUE:
	case SQLITE_CONSTRAINT_PRIMARYKEY:
		code = ERR_EXISTS;
		break;
	case SQLITE_BUSY:
	case SQLITE_BUSY_SNAPSHOT:
		code = ERR_BUSY;
		break;
	default:
		break;
	}
	return error_set(err, code, "store: %s", sqlite3_errmsg(db->sqlite));
}

static int bind_all(sqlite3_stmt *s, const char *kinds, va_list ap)
{
	for (int i = 1; *kinds; kinds++, i++) {
		int rc =
			*kinds == 't'
				? sqlite3_bind_text(s, i,
						    va_arg(ap, const char *),
						    -1, SQLITE_STATIC)
				: sqlite3_bind_int64(s, i, va_arg(ap, int64_t));

		if (rc)
			return rc;
	}
	return 0;
}

static sqlite3_stmt *prepare(struct db *db, struct error *err, const char *sql,
			     const char *kinds, va_list ap)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(db->sqlite, sql, -1, &s, NULL) ||
	    bind_all(s, kinds, ap)) {
		sqlite_failed(db, err);
		sqlite3_finalize(s);
		return NULL;
	}
	return s;
}

sqlite3_stmt *statement(struct db *db, struct error *err, const char *sql,
			const char *kinds, ...)
{
	sqlite3_stmt *s;
	va_list ap;

	va_start(ap, kinds);
	s = prepare(db, err, sql, kinds, ap);
	va_end(ap);
	return s;
}

int statement_step(struct db *db, sqlite3_stmt *s, struct error *err)
{
	switch (sqlite3_step(s)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return sqlite_failed(db, err);
	}
}

int execute(struct db *db, struct error *err, const char *sql,
	    const char *kinds, ...)
{
	auto_stmt sqlite3_stmt *s;
	va_list ap;

	va_start(ap, kinds);
	s = prepare(db, err, sql, kinds, ap);
	va_end(ap);
	if (!s || statement_step(db, s, err) < 0)
		return -1;
	return sqlite3_changes(db->sqlite);
}

void column_text(sqlite3_stmt *s, int column, char *out, size_t size)
{
	const unsigned char *text = sqlite3_column_text(s, column);

	snprintf(out, size, "%s", text ? (const char *)text : "");
}

int db_open(struct db **out, const char *path, struct error *err)
{
	struct db *db = calloc(1, sizeof(*db));

	if (!db)
		return error_set(err, ERR_SYSTEM, "no memory");
	if (sqlite3_open_v2(path, &db->sqlite,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_NOMUTEX,
			    NULL)) {
		sqlite_failed(db, err);
		error_prefix(err, "%s", path);
		db_close(db);
		return -1;
	}
	sqlite3_extended_result_codes(db->sqlite, 1);
	sqlite3_busy_timeout(db->sqlite, BUSY_TIMEOUT_MS);
	if (execute(db, err, "PRAGMA journal_mode = WAL", "") < 0 ||
	    execute(db, err, "PRAGMA synchronous = FULL", "") < 0 ||
	    migrate(db, err) ||
	    execute(db, err, "PRAGMA foreign_keys = ON", "") < 0) {
		db_close(db);
		return -1;
	}
	*out = db;
	return 0;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	acct_sqlite_close(db->ledger);
	sqlite3_close(db->sqlite);
	free(db);
}

int db_begin(struct db *db, struct error *err)
{
	/* At once: a reader that turns writer might find its view too old. */
	return execute(db, err, "BEGIN IMMEDIATE", "") < 0 ? -1 : 0;
}

int db_commit(struct db *db, struct error *err)
{
	return execute(db, err, "COMMIT", "") < 0 ? -1 : 0;
}

void db_rollback(struct db *db)
{
	struct error ignored;

	if (!sqlite3_get_autocommit(db->sqlite))
		execute(db, &ignored, "ROLLBACK", "");
}
