/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node's memory: one SQLite file, written ahead and synced at each commit,
 * so that what was committed is there after any end. A handle belongs to one
 * thread; threads that need the file open it each for themselves. Rows are read
 * outside a transaction or in one, and written in one only.
 */
#ifndef STORE_DB_H
#define STORE_DB_H

#include "util/error.h"

struct db;

/* Created, or brought to this program's layout, if need be. A file of a later
 * layout is refused. */
int db_open(struct db **out, const char *path, struct error *err);
/* NULL: nothing. A transaction that is open is rolled back. */
void db_close(struct db *db);

/* Waits for other writers' transactions, a bounded time: ERR_BUSY. */
int db_begin(struct db *db, struct error *err);
int db_commit(struct db *db, struct error *err);
/* Nothing, if there is no transaction. */
void db_rollback(struct db *db);

#endif
