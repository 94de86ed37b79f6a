// SPDX-License-Identifier: Apache-2.0
/* Any contents of the tables: a row of a good ledger gets other values, and
 * hashes made anew if the input says so. Verifying and statements come to an
 * end, with a verdict; without new hashes every change is found. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "ledger.h"
#include "store_sqlite.h"
#include "verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROWS 8
#define COLUMNS 20

static sqlite3 *db;
static struct acct_store *store;
static uint8_t good[ACCT_HASH_BYTES];

static const char *const columns[COLUMNS] = {
	"kind",      "account",     "domain",    "incarnation", "meter",
	"device",    "flags",       "start_ns",  "end_ns",      "start_value",
	"end_value", "tariff",      "carry_in",  "carry_out",   "amount_micro",
	"refers_to", "price_micro", "price_per", "note",        "hash",
};

static void check(bool right)
{
	if (!right)
		abort();
}

static void run(const char *sql)
{
	check(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
}

static void make_ledger(void)
{
	struct acct_ledger_info info = { "node-1", "EUR" };
	struct acct_tariff t = { .version = 1,
				 .name = "standard",
				 .currency = "EUR",
				 .effective_from_ns = 1000,
				 .prices = { [ACCT_VCPU] = { 3, 1000 },
					     [ACCT_MEMORY] = { 5, 77 } } };
	struct acct_source cpu = { "web", 1, ACCT_VCPU, 0 };
	struct acct_source memory = { "web", 1, ACCT_MEMORY, 0 };
	struct acct_reading r[] = { { 10, 0 }, { 3000, 900 }, { 5000, 20 } };
	struct acct_adjustment a = { "acme", NULL, 10, -5, 1, "credit" };
	struct acct_error err;

	check(!sqlite3_open(":memory:", &db));
	check(!acct_sqlite_open(db, &info, &store, &err));
	check(!acct_ledger_open(store, &cpu, "acme", &r[0], &err));
	check(!acct_ledger_publish(store, &t, 10, &err));
	check(!acct_ledger_read(store, &cpu, &r[1], false, &err));
	check(!acct_ledger_read(store, &cpu, &r[2], true, &err));
	check(!acct_ledger_open(store, &memory, "acme", &r[1], &err));
	check(!acct_ledger_read(store, &memory, &r[2], false, &err));
	check(!acct_ledger_adjust(store, &a, &err));
	run("DROP TRIGGER acct_entry_no_update");
}

static int ignore(void *context, const struct acct_line *line,
		  struct acct_error *err)
{
	char text[ACCT_LINE_TEXT];

	(void)context;
	(void)err;
	check(*acct_line_text(line, &store->info, text));
	return 0;
}

/* Hashes of rows that can be read at all. */
static void reforge(void)
{
	struct acct_head head = { 0 };
	struct acct_entry e;
	struct acct_error err;
	sqlite3_stmt *s;

	acct_genesis_hash(&store->info, head.hash);
	check(!sqlite3_prepare_v2(db,
				  "UPDATE acct_entry SET hash = ?1"
				  " WHERE seq = ?2",
				  -1, &s, NULL));
	while (store->ops->next(store, head.seq, &e, &err) == 1) {
		acct_entry_hash(&e, head.hash, head.hash);
		head.seq = e.seq;
		sqlite3_bind_blob(s, 1, head.hash, ACCT_HASH_BYTES,
				  SQLITE_TRANSIENT);
		sqlite3_bind_int64(s, 2, (sqlite3_int64)e.seq);
		check(sqlite3_step(s) == SQLITE_DONE);
		sqlite3_reset(s);
	}
	sqlite3_finalize(s);
}

/* The head byte, then for each change: row, column, a value of up to 16. */
static void change(const uint8_t *data, size_t size)
{
	char sql[100];

	while (size >= 3) {
		uint8_t row = data[0] % ROWS + 1, column = data[1] % COLUMNS;
		size_t length = data[2] % 17;
		int64_t number = 0;
		sqlite3_stmt *s;

		data += 3;
		size -= 3;
		if (length > size)
			length = size;
		memcpy(&number, data, length < 8 ? length : 8);
		snprintf(sql, sizeof(sql),
			 "UPDATE OR IGNORE acct_entry SET %s = ?1"
			 " WHERE seq = %u",
			 columns[column], row);
		check(!sqlite3_prepare_v2(db, sql, -1, &s, NULL));
		if (column == COLUMNS - 1)
			sqlite3_bind_blob(s, 1, data, (int)length,
					  SQLITE_TRANSIENT);
		else if (strchr("adcn", columns[column][0]) &&
			 strcmp(columns[column], "device") != 0 &&
			 strcmp(columns[column], "amount_micro") != 0)
			sqlite3_bind_text(s, 1, (const char *)data, (int)length,
					  SQLITE_TRANSIENT);
		else
			sqlite3_bind_int64(s, 1, number);
		sqlite3_step(s);
		sqlite3_finalize(s);
		data += length;
		size -= length;
	}
}

/* Over all columns but the hash: whether anything is another value. */
static bool same_rows(void)
{
	struct acct_head head = { 0 };
	struct acct_entry e;
	struct acct_error err;
	int found;

	acct_genesis_hash(&store->info, head.hash);
	while ((found = store->ops->next(store, head.seq, &e, &err)) == 1) {
		acct_entry_hash(&e, head.hash, head.hash);
		head.seq = e.seq;
	}
	return !found && !memcmp(head.hash, good, sizeof(good));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct acct_query q = { .window = { 500, 4000 } };
	struct acct_statement made;
	struct acct_verdict v;
	struct acct_error err = { .code = ACCT_OK };

	if (!size)
		return 0;
	if (!db) {
		make_ledger();
		check(!acct_verify(store, NULL, &v, &err) && v.good);
		check(v.head.seq == ROWS);
		memcpy(good, v.head.hash, sizeof(good));
	}
	run("BEGIN");
	change(data + 1, size - 1);
	if (data[0] & 1)
		reforge();
	check(!acct_verify(store, NULL, &v, &err));
	check(v.good || *v.what);
	if (!(data[0] & 1) && v.good)
		check(same_rows());
	if (acct_statement(store, &q, ignore, NULL, &made, &err))
		check(err.code == ACCT_CORRUPT || err.code == ACCT_OVERFLOW);
	else
		check(made.entries <= ROWS);
	run("ROLLBACK");
	return 0;
}
