// SPDX-License-Identifier: Apache-2.0
/* Tests of verify.c: whatever is altered in the tables is found, at the row
 * where it was, by somebody who may write the file as he likes, the hashes
 * included, as long as an anchor is known. */
#include "world.h"

static struct world w;

/* Rows 1 and 6 tariffs, 2 to 4 sources, 5 and 7 to 11 usage (11 after a reset),
 * 12 a correction, 13 a source again. */
#define ROWS 13

static int set_up(void **state)
{
	struct acct_source cpu = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_source memory = world_source("web", 1, ACCT_MEMORY, 0);
	struct acct_source net = world_source("web", 1, ACCT_NET_SENT, 2);
	struct acct_adjustment a = { "acme", "web", NOVEMBER + 4 * HOUR,
				     -500,   5,     "credit" };
	struct acct_error err;

	(void)state;
	world_open(&w, NULL);
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &cpu, "acme", NOVEMBER, 7);
	world_begin(&w, &memory, "acme", NOVEMBER, 1 << 30);
	world_begin(&w, &net, "acme", NOVEMBER + 1, 0);
	world_read(&w, &cpu, NOVEMBER + HOUR, HOUR / 3, false);
	world_publish(&w, 2, NOVEMBER + 2 * HOUR, 2);
	world_read(&w, &cpu, NOVEMBER + 3 * HOUR, HOUR, true);
	world_read(&w, &memory, NOVEMBER + 2 * HOUR, 0, false);
	world_read(&w, &net, NOVEMBER + HOUR, 123456, false);
	world_read(&w, &net, NOVEMBER + 2 * HOUR, 456, false);
	if (acct_ledger_adjust(w.store, &a, &err))
		fail_msg("%s", err.message);
	world_begin(&w, &cpu, "acme", NOVEMBER + 4 * HOUR, 0);
	assert_int_equal(world_rows(&w), ROWS);
	world_verify(&w);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_close(&w);
	return 0;
}

/* Nobody can append out of order with the triggers in place. */
static void disarm(void)
{
	static const char *const tables[] = { "acct_entry", "acct_tariff",
					      "acct_price", "acct_ledger" };
	static const char *const triggers[] = { "no_update", "no_delete",
						"in_order" };
	char sql[100];

	for (int t = 0; t < 4; t++)
		for (int i = 0; i < 3; i++) {
			snprintf(sql, sizeof(sql), "DROP TRIGGER %s_%s",
				 tables[t], triggers[i]);
			world_run(&w, sql);
		}
}

static struct acct_verdict verdict(const struct acct_head *anchor)
{
	struct acct_verdict v;
	struct acct_error err;

	if (acct_verify(w.store, anchor, &v, &err))
		fail_msg("%s", err.message);
	return v;
}

static void found_at(uint64_t seq, const char *what)
{
	struct acct_verdict v = verdict(NULL);

	if (v.good)
		fail_msg("row %d: \"%s\" is not found", (int)seq, what);
	assert_int_equal(v.bad_seq, seq);
	if (!strstr(v.what, what))
		fail_msg("\"%s\" does not say \"%s\"", v.what, what);
	if (seq)
		assert_int_equal(v.head.seq, seq - 1);
}

/* ---- every column ---- */

/* Runs the alteration, which changes one row, checks that it is found there,
 * and undoes it. */
static void alter(uint64_t seq, const char *sql)
{
	world_run(&w, "BEGIN");
	world_run(&w, sql);
	if (sqlite3_changes(w.db) != 1)
		fail_msg("%s changes %d rows", sql, sqlite3_changes(w.db));
	found_at(seq, "");
	world_run(&w, "ROLLBACK");
	assert_true(verdict(NULL).good);
}

static void each_column_of_each_row_is_covered(void **state)
{
	static const char *const numbers[] = {
		"kind",         "incarnation", "meter",       "device",
		"flags",        "start_ns",    "end_ns",      "start_value",
		"end_value",    "tariff",      "price_micro", "price_per",
		"amount_micro", "refers_to",
	};
	static const char *const texts[] = { "account", "domain", "note" };
	static const char *const carries[] = { "carry_in", "carry_out" };
	char sql[200];

	(void)state;
	disarm();
	for (uint64_t seq = 1; seq <= ROWS; seq++) {
		for (size_t i = 0; i < 14; i++)
			for (int by = -1; by <= 1; by += 2) {
				snprintf(sql, sizeof(sql),
					 "UPDATE acct_entry SET %s = %s + %d"
					 " WHERE seq = %d",
					 numbers[i], numbers[i], by, (int)seq);
				alter(seq, sql);
			}
		for (size_t i = 0; i < 3; i++) {
			snprintf(sql, sizeof(sql),
				 "UPDATE acct_entry SET %s = %s || 'x'"
				 " WHERE seq = %d",
				 texts[i], texts[i], (int)seq);
			alter(seq, sql);
		}
		for (size_t i = 0; i < 2; i++) {
			snprintf(sql, sizeof(sql),
				 "UPDATE acct_entry SET %s = %s || '0'"
				 " WHERE seq = %d",
				 carries[i], carries[i], (int)seq);
			alter(seq, sql);
		}
		snprintf(sql, sizeof(sql),
			 "UPDATE acct_entry SET hash = zeroblob(32)"
			 " WHERE seq = %d",
			 (int)seq);
		alter(seq, sql);
	}
}

static void the_tests_know_every_column(void **state)
{
	(void)state;
	/* seq, 14 numbers, 3 texts, 2 carries, hash */
	assert_int_equal(world_ask(&w, "SELECT count(*) FROM"
				       " pragma_table_info('acct_entry')"),
			 21);
	assert_int_equal(world_ask(&w, "SELECT count(*) FROM"
				       " pragma_table_info('acct_tariff')"),
			 4);
	assert_int_equal(world_ask(&w, "SELECT count(*) FROM"
				       " pragma_table_info('acct_price')"),
			 4);
	assert_int_equal(world_ask(&w, "SELECT count(*) FROM"
				       " pragma_table_info('acct_ledger')"),
			 4);
}

static void tariffs_are_covered(void **state)
{
	(void)state;
	disarm();
	alter(1, "UPDATE acct_tariff SET name = 'x' WHERE version = 1");
	alter(6, "UPDATE acct_tariff SET currency = 'USD' WHERE version = 2");
	alter(1, "UPDATE acct_tariff SET effective_from_ns ="
		 " effective_from_ns + 1 WHERE version = 1");
	alter(6, "UPDATE acct_tariff SET version = 3 WHERE version = 2");
	alter(6, "DELETE FROM acct_tariff WHERE version = 2");
	alter(0, "INSERT INTO acct_tariff VALUES (3, 'x', 'EUR', 1)");
	alter(0, "INSERT INTO acct_tariff VALUES (3, '', 'EURO', 1)");
	alter(1, "UPDATE acct_price SET micro = micro + 1"
		 " WHERE version = 1 AND meter = 3");
	alter(6, "UPDATE acct_price SET per = per + 1"
		 " WHERE version = 2 AND meter = 8");
	alter(6, "UPDATE acct_price SET meter = 9"
		 " WHERE version = 2 AND meter = 8");
	alter(6, "UPDATE acct_price SET meter = 99"
		 " WHERE version = 2 AND meter = 8");
	alter(1, "DELETE FROM acct_price WHERE version = 1 AND meter = 1");
	alter(1, "INSERT INTO acct_price VALUES (1, 9, 1, 1)");
}

static void whose_ledger_it_is_is_covered(void **state)
{
	(void)state;
	disarm();
	world_run(&w, "UPDATE acct_ledger SET id = 'node-2'");
	acct_sqlite_close(w.store);
	assert_int_equal(acct_sqlite_open_existing(w.db, &w.store,
						   &(struct acct_error){ 0 }),
			 0);
	found_at(1, "hash");
	world_run(&w, "UPDATE acct_ledger SET id = 'node-1',"
		      " currency = 'USD'");
	acct_sqlite_close(w.store);
	assert_int_equal(acct_sqlite_open_existing(w.db, &w.store,
						   &(struct acct_error){ 0 }),
			 0);
	found_at(1, "hash");
}

static const struct acct_store_ops *real;

/* The walk has come to the end, and now a tariff is published. */
static int next_and_publish(struct acct_store *store, uint64_t seq,
			    struct acct_entry *out, struct acct_error *err)
{
	int found = real->next(store, seq, out, err);

	if (!found) {
		store->ops = real;
		world_publish(&w, 3, NOVEMBER + 9 * HOUR, 1);
	}
	return found;
}

static void a_ledger_that_grows_meanwhile_is_good(void **state)
{
	struct acct_store_ops ops = *w.store->ops;

	(void)state;
	real = w.store->ops;
	ops.next = next_and_publish;
	w.store->ops = &ops;
	assert_true(verdict(NULL).good);
	assert_ptr_equal(w.store->ops, real);
	world_verify(&w);
	assert_int_equal(world_rows(&w), ROWS + 1);
}

/* ---- whole rows ---- */

static void rows_cannot_go_or_come(void **state)
{
	(void)state;
	disarm();
	alter(5, "DELETE FROM acct_entry WHERE seq = 5");
	alter(1, "DELETE FROM acct_entry WHERE seq = 1");
	alter(13, "UPDATE acct_entry SET seq = 14 WHERE seq = 13");
	alter(14, "INSERT INTO acct_entry SELECT 14, kind, account, domain,"
		  " incarnation, meter, device, flags, start_ns, end_ns,"
		  " start_value, end_value, tariff, price_micro, price_per,"
		  " carry_in, carry_out, amount_micro, refers_to, note, hash"
		  " FROM acct_entry WHERE seq = 12");
	world_run(&w, "UPDATE acct_entry SET seq = 99 WHERE seq = 9;"
		      "UPDATE acct_entry SET seq = 9 WHERE seq = 10;"
		      "UPDATE acct_entry SET seq = 10 WHERE seq = 99");
	found_at(9, "hash");
}

static void rows_that_make_no_sense_are_found(void **state)
{
	(void)state;
	disarm();
	alter(7, "UPDATE acct_entry SET start_value = -1 WHERE seq = 7");
	alter(7, "UPDATE acct_entry SET carry_in = '' WHERE seq = 7");
	alter(7, "UPDATE acct_entry SET carry_in = 'x' WHERE seq = 7");
	alter(7, "UPDATE acct_entry SET kind = 77 WHERE seq = 7");
	alter(7, "UPDATE acct_entry SET meter = 4294967297 WHERE seq = 7");
	alter(7, "UPDATE acct_entry SET domain ="
		 " replace(hex(zeroblob(1000)), '00', 'x') WHERE seq = 7");
	alter(7, "UPDATE acct_entry SET domain = 'web' || char(0)"
		 " WHERE seq = 7");
}

static void the_end_is_known_by_an_anchor(void **state)
{
	struct acct_verdict v = verdict(NULL);
	struct acct_head anchor = v.head;

	(void)state;
	assert_int_equal(anchor.seq, ROWS);
	assert_true(verdict(&anchor).good);
	disarm();
	world_run(&w, "DELETE FROM acct_entry WHERE seq > 10");
	assert_true(verdict(NULL).good);
	v = verdict(&anchor);
	assert_false(v.good);
	assert_int_equal(v.bad_seq, 11);
}

/* ---- forgers who reckon the hashes anew ---- */

/* Reckons anew what is in the row besides: a usage's amount and remainder, a
 * tariff's hash. */
static void reckon(struct acct_entry *e)
{
	struct acct_charge c;
	struct acct_tariff t;
	struct acct_error err;
	uint8_t hash[ACCT_HASH_BYTES];

	if (e->kind == ACCT_USAGE &&
	    !acct_rate(e->source.meter, &e->usage, &e->price, e->carry_in, &c,
		       &err)) {
		e->amount_micro = c.amount_micro;
		e->carry_out = c.carry_out;
	} else if (e->kind == ACCT_TARIFF &&
		   w.store->ops->get_tariff(w.store, e->tariff, &t, &err) ==
			   1) {
		acct_tariff_hash(&t, hash);
		acct_hash_text(hash, e->note);
	}
}

/* The hashes from that row on, and what reckon() does of as many rows. */
static void reforge(uint64_t from, uint64_t reckoned)
{
	struct acct_head head;
	char carry[ACCT_U128_TEXT];
	sqlite3_stmt *s;

	if (from == 1)
		acct_genesis_hash(&w.store->info, head.hash);
	else
		memcpy(head.hash, world_row(&w, from - 1).hash,
		       ACCT_HASH_BYTES);
	assert_int_equal(
		sqlite3_prepare_v2(w.db,
				   "UPDATE acct_entry SET hash = ?1, note = ?2,"
				   " amount_micro = ?3, carry_out = ?4"
				   " WHERE seq = ?5",
				   -1, &s, NULL),
		SQLITE_OK);
	for (reckoned += from; from <= ROWS; from++) {
		struct acct_entry e = world_row(&w, from);

		if (from < reckoned)
			reckon(&e);
		acct_entry_hash(&e, head.hash, head.hash);
		sqlite3_bind_blob(s, 1, head.hash, ACCT_HASH_BYTES,
				  SQLITE_TRANSIENT);
		sqlite3_bind_text(s, 2, e.note, -1, SQLITE_TRANSIENT);
		sqlite3_bind_int64(s, 3, e.amount_micro);
		sqlite3_bind_text(s, 4, acct_u128_text(e.carry_out, carry), -1,
				  SQLITE_TRANSIENT);
		sqlite3_bind_int64(s, 5, (sqlite3_int64)from);
		assert_int_equal(sqlite3_step(s), SQLITE_DONE);
		sqlite3_reset(s);
	}
	sqlite3_finalize(s);
}

/* Alters rows from that one on, makes the hashes anew, and checks that the row
 * is found to be wrong all the same. */
static void forge_from(uint64_t from, uint64_t reckoned, const char *sql,
		       uint64_t seq, const char *what)
{
	world_run(&w, "BEGIN");
	world_run(&w, sql);
	reforge(from, reckoned);
	found_at(seq, what);
	world_run(&w, "ROLLBACK");
}

static void forge(uint64_t seq, const char *sql, const char *what)
{
	forge_from(seq, 0, sql, seq, what);
}

static void a_new_chain_does_not_hide_wrong_rows(void **state)
{
	(void)state;
	disarm();
	forge(7, "UPDATE acct_entry SET amount_micro = 1 WHERE seq = 7",
	      "amount");
	forge(7, "UPDATE acct_entry SET carry_out = '0' WHERE seq = 7",
	      "amount");
	forge(5,
	      "UPDATE acct_entry SET price_micro = 0, amount_micro = 0,"
	      " carry_out = carry_in WHERE seq = 5",
	      "price");
	forge(5,
	      "UPDATE acct_entry SET tariff = 0, price_micro = 0,"
	      " price_per = 0, amount_micro = 0, carry_in = '0',"
	      " carry_out = '0' WHERE seq = 5",
	      "tariff");
	forge(5, "UPDATE acct_entry SET tariff = 2 WHERE seq = 5", "tariff");
	forge(5, "UPDATE acct_entry SET account = 'x' WHERE seq = 5",
	      "account");
	forge(5, "UPDATE acct_entry SET start_ns = start_ns + 1 WHERE seq = 5",
	      "interval");
	forge(5, "UPDATE acct_entry SET domain = 'x' WHERE seq = 5",
	      "not open");
	forge(11, "UPDATE acct_entry SET flags = 0 WHERE seq = 11", "values");
	forge(4,
	      "UPDATE acct_entry SET meter = 1, device = 0, start_ns ="
	      " start_ns - 1, end_ns = end_ns - 1 WHERE seq = 4",
	      "is open");
	forge(12, "UPDATE acct_entry SET refers_to = 12 WHERE seq = 12",
	      "later");
	forge(12, "UPDATE acct_entry SET kind = 2 WHERE seq = 12", "meter");
	forge(6, "UPDATE acct_entry SET tariff = 3 WHERE seq = 6", "version");
}

/* Nor if amounts and hashes of tariffs are made to fit as well. */
static void a_right_amount_does_not_hide_a_wrong_row(void **state)
{
	(void)state;
	disarm();
	forge_from(8, 1, "UPDATE acct_entry SET carry_in = '0' WHERE seq = 8",
		   8, "carry");
	forge_from(9, 1,
		   "UPDATE acct_entry SET end_ns = end_ns + 1 WHERE seq = 9", 9,
		   "in force");
	forge_from(9, 1,
		   "UPDATE acct_entry SET start_ns = start_ns + 1"
		   " WHERE seq = 9",
		   9, "interval");
	forge_from(5, 1, "UPDATE acct_entry SET tariff = 0 WHERE seq = 5", 5,
		   "no tariff");
	forge_from(6, 1,
		   "UPDATE acct_tariff SET effective_from_ns ="
		   " (SELECT end_ns FROM acct_entry WHERE seq = 5)"
		   " WHERE version = 2",
		   6, "too early");
	forge_from(6, 1,
		   "UPDATE acct_tariff SET currency = 'USD' WHERE version = 2",
		   6, "currency");
	/* The second tariff in force before it was published. */
	forge_from(1, 5,
		   "UPDATE acct_tariff SET effective_from_ns ="
		   " effective_from_ns - 1 WHERE version = 1;"
		   "UPDATE acct_tariff SET effective_from_ns ="
		   " (SELECT start_ns FROM acct_entry WHERE seq = 5)"
		   " WHERE version = 2;"
		   "UPDATE acct_entry SET tariff = 2, price_micro ="
		   " 2 * price_micro WHERE seq = 5",
		   5, "not published yet");
	forge(13,
	      "UPDATE acct_entry SET start_ns = start_ns - 5400000000000,"
	      " end_ns = end_ns - 5400000000000 WHERE seq = 13",
	      "before its end");
}

/* A whole new story is only found by who knows a hash of the old one. */
static void an_anchor_finds_a_new_story(void **state)
{
	struct acct_head anchor = verdict(NULL).head;
	struct acct_verdict v;

	(void)state;
	disarm();
	world_run(&w, "UPDATE acct_entry SET amount_micro = amount_micro - 1,"
		      " note = 'more credit' WHERE seq = 12");
	reforge(12, 0);
	assert_true(verdict(NULL).good);
	v = verdict(&anchor);
	assert_false(v.good);
	assert_int_equal(v.bad_seq, anchor.seq);
	assert_non_null(strstr(v.what, "anchor"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_column_of_each_row_is_covered),
		TEST(the_tests_know_every_column),
		TEST(tariffs_are_covered),
		TEST(a_ledger_that_grows_meanwhile_is_good),
		TEST(whose_ledger_it_is_is_covered),
		TEST(rows_cannot_go_or_come),
		TEST(rows_that_make_no_sense_are_found),
		TEST(the_end_is_known_by_an_anchor),
		TEST(a_new_chain_does_not_hide_wrong_rows),
		TEST(a_right_amount_does_not_hide_a_wrong_row),
		TEST(an_anchor_finds_a_new_story),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
