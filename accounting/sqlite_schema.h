/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the SQLite store: making them, and what the database has to be
 * like. For store_sqlite.c only. */
#ifndef ACCOUNTING_SQLITE_SCHEMA_H
#define ACCOUNTING_SQLITE_SCHEMA_H

#include "store.h"

#define ACCT_SCHEMA_VERSION 1

struct sqlite3;
struct sqlite3_stmt;

/* Fills in err from the connection's last error; returns -1. */
int acct_sqlite_failed(struct sqlite3 *db, const char *doing,
		       struct acct_error *err);

/* false: it does not fit, or is not text. */
bool sqlite_take_text(struct sqlite3_stmt *s, int column, char *out,
		      size_t room);

/* Write-ahead log and synchronous=FULL. A database in memory has no log, and
 * nothing of it outlives the program. */
MUST_CHECK int sqlite_set_durable(struct sqlite3 *db, struct acct_error *err);

/* 1: there is a ledger, 0: there is none, -1. */
MUST_CHECK int sqlite_schema_exists(struct sqlite3 *db, struct acct_error *err);
/* All or nothing. */
MUST_CHECK int sqlite_schema_create(struct sqlite3 *db,
				    const struct acct_ledger_info *info,
				    struct acct_error *err);
MUST_CHECK int sqlite_take_info(struct sqlite3 *db,
				struct acct_ledger_info *out,
				struct acct_error *err);

#endif
