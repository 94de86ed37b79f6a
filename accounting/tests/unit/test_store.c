// SPDX-License-Identifier: Apache-2.0
/* Tests of the SQLite store: each call is all or nothing, also in the caller's
 * transaction, and nothing but appending is possible. */
#include <unistd.h>

#include "sqlite_statements.h"
#include "world.h"

static struct world w;

static int set_up(void **state)
{
	(void)state;
	world_open(&w, NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_verify(&w);
	world_close(&w);
	return 0;
}

static enum acct_error_code try_read(const struct acct_source *s, int64_t at_ns,
				     uint64_t value, bool final)
{
	struct acct_reading r = { at_ns, value };
	struct acct_error err = { .code = ACCT_OK };
	uint64_t rows = world_rows(&w);

	if (acct_ledger_read(w.store, s, &r, final, &err))
		assert_int_equal(world_rows(&w), rows);
	return err.code;
}

static void the_callers_transaction_decides(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0);

	(void)state;
	world_run(&w, "CREATE TABLE state (of TEXT); INSERT INTO state VALUES"
		      " ('running')");
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	world_run(&w, "BEGIN; UPDATE state SET of = 'dead'");
	world_read(&w, &s, NOVEMBER + 10, 5, true);
	assert_int_equal(world_rows(&w), 2);
	world_run(&w, "ROLLBACK");
	assert_int_equal(world_rows(&w), 1);
	assert_int_equal(world_ask(&w, "SELECT of = 'running' FROM state"), 1);
	world_run(&w, "BEGIN; UPDATE state SET of = 'dead'");
	/* What is refused undoes nothing of the caller's. */
	assert_int_equal(try_read(&s, -1, 5, true), ACCT_INVALID);
	world_read(&w, &s, NOVEMBER + 10, 5, true);
	assert_int_equal(try_read(&s, NOVEMBER + 11, 6, true), ACCT_INVALID);
	world_run(&w, "COMMIT");
	assert_int_equal(world_rows(&w), 2);
	assert_int_equal(world_ask(&w, "SELECT of = 'dead' FROM state"), 1);
}

static void refused(const char *sql)
{
	assert_int_equal(sqlite3_exec(w.db, sql, NULL, NULL, NULL),
			 SQLITE_CONSTRAINT);
}

static void rows_can_only_be_appended(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0);

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	world_read(&w, &s, NOVEMBER + 10, 5, true);
	refused("UPDATE acct_entry SET note = 'x'");
	refused("DELETE FROM acct_entry WHERE seq = 3");
	refused("REPLACE INTO acct_entry SELECT * FROM acct_entry"
		" WHERE seq = 3");
	refused("INSERT INTO acct_entry SELECT 9, kind, account, domain,"
		" incarnation, meter, device, flags, start_ns, end_ns,"
		" start_value, end_value, tariff, price_micro, price_per,"
		" carry_in, carry_out, amount_micro, refers_to, note, hash"
		" FROM acct_entry WHERE seq = 3");
	refused("UPDATE acct_tariff SET name = 'x'");
	refused("DELETE FROM acct_tariff");
	refused("REPLACE INTO acct_tariff SELECT * FROM acct_tariff");
	refused("UPDATE acct_price SET micro = 0");
	refused("DELETE FROM acct_price");
	refused("REPLACE INTO acct_price SELECT * FROM acct_price");
	refused("INSERT INTO acct_price VALUES (1, 9, 1, 1)");
	refused("UPDATE acct_ledger SET id = 'x'");
	refused("DELETE FROM acct_ledger");
	refused("REPLACE INTO acct_ledger VALUES (1, 1, 'x', 'EUR')");
	assert_int_equal(world_rows(&w), 3);
}

static void another_ledger_is_refused(void **state)
{
	struct acct_ledger_info other = { "node-2", "EUR" };
	struct acct_ledger_info dollars = { "node-1", "USD" };
	struct acct_store *store;
	struct acct_error err;

	(void)state;
	assert_int_equal(acct_sqlite_open(w.db, &other, &store, &err), -1);
	assert_int_equal(err.code, ACCT_EXISTS);
	assert_int_equal(acct_sqlite_open(w.db, &dollars, &store, &err), -1);
	assert_int_equal(err.code, ACCT_EXISTS);
	assert_int_equal(acct_sqlite_open(w.db, &world_info, &store, &err), 0);
	acct_sqlite_close(store);
	acct_sqlite_close(NULL);
}

static void a_ledger_of_a_later_schema_is_refused(void **state)
{
	struct acct_store *store;
	struct acct_error err;

	(void)state;
	world_run(&w, "DROP TRIGGER acct_ledger_no_update;"
		      "UPDATE acct_ledger SET schema = 2");
	assert_int_equal(acct_sqlite_open_existing(w.db, &store, &err), -1);
	assert_int_equal(err.code, ACCT_INVALID);
}

static void a_ledger_has_to_be_made_first(void **state)
{
	struct acct_ledger_info bad = { "no de", "EUR" };
	struct acct_store *store;
	struct acct_error err;
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(acct_sqlite_open_existing(db, &store, &err), -1);
	assert_int_equal(err.code, ACCT_NOT_FOUND);
	assert_int_equal(acct_sqlite_open(db, &bad, &store, &err), -1);
	assert_int_equal(err.code, ACCT_INVALID);
	sqlite3_close(db);
}

static void a_file_is_durable_and_writers_take_turns(void **state)
{
	char path[] = "/tmp/xeno-ledger-XXXXXX", name[64];
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_reading r = { NOVEMBER, 0 };
	struct world a, b;
	struct acct_error err;

	(void)state;
	close(mkstemp(path));
	world_open(&a, path);
	world_open(&b, path);
	assert_int_equal(world_ask(&a, "PRAGMA synchronous"), 2);
	assert_int_equal(world_ask(&a, "SELECT journal_mode = 'wal' FROM"
				       " pragma_journal_mode"),
			 1);
	world_run(&a, "BEGIN IMMEDIATE");
	assert_int_equal(acct_ledger_open(b.store, &s, "acme", &r, &err), -1);
	assert_int_equal(err.code, ACCT_BUSY);
	world_run(&a, "COMMIT");
	world_begin(&b, &s, "acme", NOVEMBER, 0);
	world_read(&a, &s, NOVEMBER + 1, 1, false);
	world_verify(&b);
	world_close(&a);
	world_close(&b);
	unlink(path);
	snprintf(name, sizeof(name), "%s-wal", path);
	unlink(name);
	snprintf(name, sizeof(name), "%s-shm", path);
	unlink(name);
}

/* Each call, here of ten rows, is in the ledger whole or not at all, and what
 * came before it is there. */
static void a_full_disk_loses_nothing(void **state)
{
	struct acct_source cpu = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_error err = { .code = ACCT_OK };
	struct acct_reading r = { NOVEMBER, 0 };
	char sql[64];
	uint64_t rows;

	(void)state;
	world_begin(&w, &cpu, "acme", NOVEMBER, 0);
	for (uint32_t v = 1; v <= 200; v++)
		world_publish(&w, v, NOVEMBER + v * HOUR, v);
	snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %d",
		 (int)world_ask(&w, "PRAGMA page_count"));
	world_run(&w, sql);
	do {
		rows = world_rows(&w);
		r.at_ns += 10 * HOUR;
		r.value += HOUR;
		assert_true(rows < 10000);
	} while (!acct_ledger_read(w.store, &cpu, &r, false, &err));
	assert_int_equal(err.code, ACCT_STORE);
	assert_int_equal(world_rows(&w), rows);
	world_verify(&w);
	world_run(&w, "PRAGMA max_page_count = 1000000");
	world_read(&w, &cpu, r.at_ns, r.value, true);
	assert_true(world_rows(&w) >= rows + 10);
}

/* With years of rows the ledger must not become slow: nothing that happens at
 * each reading looks at all of them. */
static void rows_are_found_by_an_index(void **state)
{
	char sql[2000];
	sqlite3_stmt *s;

	(void)state;
	for (int i = HEAD + 1; i < STATEMENTS; i++) {
		snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s",
			 sqlite_statements[i]);
		assert_int_equal(sqlite3_prepare_v2(w.db, sql, -1, &s, NULL),
				 SQLITE_OK);
		while (sqlite3_step(s) == SQLITE_ROW) {
			const char *step =
				(const char *)sqlite3_column_text(s, 3);

			if (strstr(step, "SCAN acct_entry"))
				fail_msg("%s: %s", sqlite_statements[i], step);
		}
		sqlite3_finalize(s);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_callers_transaction_decides),
		TEST(rows_can_only_be_appended),
		TEST(another_ledger_is_refused),
		TEST(a_ledger_of_a_later_schema_is_refused),
		TEST(a_ledger_has_to_be_made_first),
		TEST(a_file_is_durable_and_writers_take_turns),
		TEST(rows_are_found_by_an_index),
		TEST(a_full_disk_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
