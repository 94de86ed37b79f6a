/* SPDX-License-Identifier: Apache-2.0 */
/* Statements, for the files of this room: prepared, bound, stepped, and
 * finalized when they go out of scope. */
#ifndef STORE_STATEMENT_H
#define STORE_STATEMENT_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "store/db.h"

struct acct_store;

struct db {
	sqlite3 *sqlite;
	struct acct_store *ledger; /* store/ledger.c; NULL: not opened */
};

static inline void cleanup_stmt(sqlite3_stmt **s)
{
	sqlite3_finalize(*s);
}

#define auto_stmt __attribute__((cleanup(cleanup_stmt)))

/* One letter of kinds per value: t: const char *, NULL is NULL; i: int64_t.
 * Texts live as long as the statement. NULL: failed. */
sqlite3_stmt *statement(struct db *db, struct error *err, const char *sql,
			const char *kinds, ...);
/* 1: a row; 0: no more; -1: failed. */
int statement_step(struct db *db, sqlite3_stmt *s, struct error *err);
/* Without rows: how many rows were changed; -1: failed. */
int execute(struct db *db, struct error *err, const char *sql,
	    const char *kinds, ...);
/* The text of a column, "" for NULL, cut to size. */
void column_text(sqlite3_stmt *s, int column, char *out, size_t size);
/* Fills err in from the last failure of the handle. */
int sqlite_failed(struct db *db, struct error *err);

/* store/migrate.c: to the latest layout, without foreign keys: steps may make
 * tables anew. */
int migrate(struct db *db, struct error *err);
/* To an earlier one, of so many steps. */
int migrate_to(struct db *db, int64_t last, struct error *err);

#endif
