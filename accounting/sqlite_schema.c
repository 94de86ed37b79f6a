// SPDX-License-Identifier: Apache-2.0
/*
 * See sqlite_schema.h. The tables:
 *
 *   acct_ledger   one row: schema, name, currency
 *   acct_tariff   a row per version
 *   acct_price    its prices
 *   acct_entry    the ledger
 *
 * Triggers refuse to change or delete a row of any of them, and to insert one
 * out of order.
 */
#include "sqlite_schema.h"

#include <sqlite3.h>
#include <string.h>

#define APPEND_ONLY(table)                                                     \
	"CREATE TRIGGER " table "_no_update BEFORE UPDATE ON " table           \
	" BEGIN SELECT RAISE(ABORT, '" table " is append-only'); END;"         \
	"CREATE TRIGGER " table "_no_delete BEFORE DELETE ON " table           \
	" BEGIN SELECT RAISE(ABORT, '" table " is append-only'); END;"

/* OR REPLACE would delete without a trigger; so inserting has one as well. */
#define INSERT_ONLY_IF(table, condition)                                       \
	"CREATE TRIGGER " table "_in_order BEFORE INSERT ON " table            \
	" WHEN NOT (" condition ")"                                            \
	" BEGIN SELECT RAISE(ABORT, '" table " is append-only'); END;"

static const char schema[] =
	"CREATE TABLE acct_ledger ("
	" one INTEGER PRIMARY KEY CHECK (one = 1),"
	" schema INTEGER NOT NULL,"
	" id TEXT NOT NULL,"
	" currency TEXT NOT NULL) STRICT;"

	"CREATE TABLE acct_tariff ("
	" version INTEGER PRIMARY KEY,"
	" name TEXT NOT NULL,"
	" currency TEXT NOT NULL,"
	" effective_from_ns INTEGER NOT NULL UNIQUE) STRICT;"

	"CREATE TABLE acct_price ("
	" version INTEGER NOT NULL REFERENCES acct_tariff,"
	" meter INTEGER NOT NULL,"
	" micro INTEGER NOT NULL CHECK (micro >= 0),"
	" per INTEGER NOT NULL CHECK (per > 0),"
	" PRIMARY KEY (version, meter)) STRICT, WITHOUT ROWID;"

	"CREATE TABLE acct_entry ("
	" seq INTEGER PRIMARY KEY,"
	" kind INTEGER NOT NULL,"
	" account TEXT NOT NULL,"
	" domain TEXT NOT NULL,"
	" incarnation INTEGER NOT NULL,"
	" meter INTEGER NOT NULL,"
	" device INTEGER NOT NULL,"
	" flags INTEGER NOT NULL,"
	" start_ns INTEGER NOT NULL,"
	" end_ns INTEGER NOT NULL,"
	" start_value INTEGER NOT NULL,"
	" end_value INTEGER NOT NULL,"
	" tariff INTEGER NOT NULL,"
	" price_micro INTEGER NOT NULL,"
	" price_per INTEGER NOT NULL,"
	" carry_in TEXT NOT NULL,"
	" carry_out TEXT NOT NULL,"
	" amount_micro INTEGER NOT NULL,"
	" refers_to INTEGER NOT NULL,"
	" note TEXT NOT NULL,"
	" hash BLOB NOT NULL CHECK (length(hash) = 32)) STRICT;"

	"CREATE INDEX acct_entry_source"
	" ON acct_entry (domain, incarnation, meter, device, seq);"
	"CREATE INDEX acct_entry_account ON acct_entry (account, end_ns);"
	/* Few rows: which sources there were, which tariffs are published. */
	"CREATE INDEX acct_entry_open"
	" ON acct_entry (domain, incarnation, meter, device) WHERE kind = 2;"
	"CREATE INDEX acct_entry_tariff ON acct_entry (tariff) WHERE kind = 1;"

	APPEND_ONLY("acct_ledger") APPEND_ONLY("acct_tariff") APPEND_ONLY(
		"acct_price") APPEND_ONLY("acct_entry")
		INSERT_ONLY_IF("acct_ledger",
			       "NOT EXISTS (SELECT 1 FROM acct_ledger)")
			INSERT_ONLY_IF(
				"acct_tariff",
				"NEW.version ="
				" (SELECT coalesce(max(version), 0) + 1 FROM acct_tariff)"
				" AND NOT EXISTS (SELECT 1 FROM acct_tariff"
				" WHERE effective_from_ns >= NEW.effective_from_ns)")
	/* The entry that publishes a version is written after its prices. */
	INSERT_ONLY_IF("acct_price",
		       "NEW.version = (SELECT max(version) FROM acct_tariff)"
		       " AND NEW.version > (SELECT coalesce(max(tariff), 0)"
		       " FROM acct_entry WHERE kind = 1)")
		INSERT_ONLY_IF(
			"acct_entry",
			"NEW.seq ="
			" (SELECT coalesce(max(seq), 0) + 1 FROM acct_entry)");

int acct_sqlite_failed(sqlite3 *db, const char *doing, struct acct_error *err)
{
	int code = sqlite3_errcode(db) & 0xff;

	return acct_fail(err,
			 code == SQLITE_BUSY || code == SQLITE_LOCKED
				 ? ACCT_BUSY
				 : ACCT_STORE,
			 "%s: %s", doing, sqlite3_errmsg(db));
}

bool sqlite_take_text(sqlite3_stmt *s, int column, char *out, size_t room)
{
	const unsigned char *text = sqlite3_column_text(s, column);
	size_t length = (size_t)sqlite3_column_bytes(s, column);

	if (!text || length >= room || memchr(text, 0, length))
		return false;
	memcpy(out, text, length + 1);
	return true;
}

/* The single row of a statement that is asked once: 1, 0 or -1. The caller
 * finalizes *out in any case. */
static int ask(sqlite3 *db, const char *text, sqlite3_stmt **out,
	       struct acct_error *err)
{
	int code = sqlite3_prepare_v2(db, text, -1, out, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_step(*out);
	if (code == SQLITE_ROW || code == SQLITE_DONE)
		return code == SQLITE_ROW;
	return acct_sqlite_failed(db, "ledger", err);
}

/* A database in memory has no log, and nothing of it outlives the program. */
int sqlite_set_durable(sqlite3 *db, struct acct_error *err)
{
	const char *file = sqlite3_db_filename(db, "main");
	const char *mode;
	sqlite3_stmt *s = NULL;
	int result = ask(db, "PRAGMA journal_mode = WAL", &s, err);

	if (result > 0) {
		mode = (const char *)sqlite3_column_text(s, 0);
		if (file && *file && (!mode || strcmp(mode, "wal") != 0))
			result = acct_fail(err, ACCT_STORE,
					   "ledger: no write-ahead log here");
	}
	sqlite3_finalize(s);
	if (result < 0)
		return -1;
	if (sqlite3_exec(db, "PRAGMA synchronous = FULL", NULL, NULL, NULL))
		return acct_sqlite_failed(db, "ledger", err);
	return 0;
}

int sqlite_schema_create(sqlite3 *db, const struct acct_ledger_info *info,
			 struct acct_error *err)
{
	sqlite3_stmt *s = NULL;
	int code;

	if (!acct_id_valid(info->id) || !acct_currency_valid(info->currency))
		return acct_fail(err, ACCT_INVALID,
				 "a ledger needs a name and a currency");
	if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		return acct_sqlite_failed(db, "ledger", err);
	code = sqlite3_exec(db, schema, NULL, NULL, NULL);
	if (!code)
		code = sqlite3_prepare_v2(
			db, "INSERT INTO acct_ledger VALUES (1, ?1, ?2, ?3)",
			-1, &s, NULL);
	if (!code) {
		sqlite3_bind_int64(s, 1, ACCT_SCHEMA_VERSION);
		sqlite3_bind_text(s, 2, info->id, -1, SQLITE_STATIC);
		sqlite3_bind_text(s, 3, info->currency, -1, SQLITE_STATIC);
		code = sqlite3_step(s) == SQLITE_DONE ? 0 : SQLITE_ERROR;
	}
	if (code)
		acct_sqlite_failed(db, "making the ledger", err);
	sqlite3_finalize(s);
	if (!code && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL))
		code = acct_sqlite_failed(db, "making the ledger", err);
	if (code && !sqlite3_get_autocommit(db))
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return code ? -1 : 0;
}

int sqlite_schema_exists(sqlite3 *db, struct acct_error *err)
{
	sqlite3_stmt *s = NULL;
	int found = ask(db,
			"SELECT 1 FROM sqlite_schema"
			" WHERE type = 'table' AND name = 'acct_ledger'",
			&s, err);

	sqlite3_finalize(s);
	return found;
}

int sqlite_take_info(sqlite3 *db, struct acct_ledger_info *out,
		     struct acct_error *err)
{
	sqlite3_stmt *s = NULL;
	int found = ask(db, "SELECT schema, id, currency FROM acct_ledger", &s,
			err);
	int result = found < 0 ? -1 : 0;

	if (!found)
		result = acct_fail(err, ACCT_CORRUPT, "the ledger has no name");
	else if (found > 0 && sqlite3_column_int64(s, 0) != ACCT_SCHEMA_VERSION)
		result = acct_fail(err, ACCT_INVALID,
				   "the ledger has schema %lld, this is %d",
				   (long long)sqlite3_column_int64(s, 0),
				   ACCT_SCHEMA_VERSION);
	else if (found > 0 &&
		 (!sqlite_take_text(s, 1, out->id, sizeof(out->id)) ||
		  !sqlite_take_text(s, 2, out->currency,
				    sizeof(out->currency)) ||
		  !acct_id_valid(out->id) ||
		  !acct_currency_valid(out->currency)))
		result = acct_fail(err, ACCT_CORRUPT,
				   "the ledger's name or currency");
	sqlite3_finalize(s);
	return result;
}
