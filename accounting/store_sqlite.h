/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in an SQLite database, through the caller's own connection, so that
 * what it appends is part of the caller's transaction if there is one, begun as
 * IMMEDIATE: a transaction that has only read may find the store ACCT_BUSY. One
 * thread at a time.
 *
 * The connection is set to a write-ahead log and synchronous=FULL: what is
 * committed is on the disk. Rows can be appended in order and read; triggers
 * refuse everything else.
 */
#ifndef ACCOUNTING_STORE_SQLITE_H
#define ACCOUNTING_STORE_SQLITE_H

#include "store.h"

struct sqlite3;

/* Makes the tables if there are none; otherwise they must be of this schema,
 * name and currency. Not within a transaction. */
MUST_CHECK int acct_sqlite_open(struct sqlite3 *db,
				const struct acct_ledger_info *info,
				struct acct_store **out,
				struct acct_error *err);

/* Opens what is there, whatever its name and currency, also to read only. */
MUST_CHECK int acct_sqlite_open_existing(struct sqlite3 *db,
					 struct acct_store **out,
					 struct acct_error *err);

/* The connection stays the caller's. Accepts NULL. */
void acct_sqlite_close(struct acct_store *store);

#endif
