// SPDX-License-Identifier: Apache-2.0
/* Tests of statement.c and explain.c: lines say all that is needed to reckon
 * them, and statements sum to the ledger however time and domains are cut. */
#include "world.h"

#define LINES 64

static struct world w;
static struct acct_line lines[LINES];
static unsigned int count;
static const struct acct_window always = { 0, INT64_MAX };

static int set_up(void **state)
{
	(void)state;
	world_open(&w, NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_close(&w);
	return 0;
}

static int keep(void *context, const struct acct_line *line,
		struct acct_error *err)
{
	(void)err;
	assert_ptr_equal(context, lines);
	assert_true(count < LINES);
	lines[count++] = *line;
	return 0;
}

static struct acct_statement make(const char *account, const char *domain,
				  const struct acct_window *window)
{
	struct acct_query q = { account, domain, *window, 0 };
	struct acct_statement s;
	struct acct_error err;

	count = 0;
	if (acct_statement(w.store, &q, keep, lines, &s, &err))
		fail_msg("%s", err.message);
	assert_int_equal(s.lines, count);
	return s;
}

static struct acct_statement sums(const char *account, const char *domain,
				  int64_t from_ns, int64_t to_ns)
{
	struct acct_query q = { account, domain, { from_ns, to_ns }, 0 };
	struct acct_statement s;
	struct acct_error err;

	if (acct_statement(w.store, &q, NULL, NULL, &s, &err))
		fail_msg("%s", err.message);
	return s;
}

static void a_line_stands_for_many_readings(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_statement made;

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	for (int i = 1; i <= 100; i++)
		world_read(&w, &s, NOVEMBER + i * HOUR,
			   (uint64_t)i * 1234567891, i == 100);
	made = make("acme", NULL, &always);
	assert_int_equal(count, 1);
	assert_int_equal(made.entries, 100);
	assert_int_equal(lines[0].entries, 100);
	assert_int_equal(lines[0].first_seq, 3);
	assert_int_equal(lines[0].last_seq, 102);
	assert_int_equal(lines[0].usage.start_ns, NOVEMBER);
	assert_int_equal(lines[0].usage.end_ns, NOVEMBER + 100 * HOUR);
	assert_int_equal(lines[0].usage.flags, ACCT_FINAL);
	assert_true(lines[0].used == 123456789100);
	/* 123456789100 x 36000 / 3600000000000 = 1234.57 */
	assert_int_equal(lines[0].amount_micro, 1235);
	assert_int_equal(made.total_micro, 1235);
	assert_true(made.meters[ACCT_VCPU].used == 123456789100);
	assert_int_equal(made.meters[ACCT_VCPU].amount_micro, 1235);
	assert_int_equal(made.head.seq, 102);
	assert_memory_equal(made.head.hash, world_row(&w, 102).hash,
			    ACCT_HASH_BYTES);
}

static void lines_break_where_the_arithmetic_would(void **state)
{
	struct acct_source net = world_source("web", 1, ACCT_NET_SENT, 0);
	struct acct_source disk = world_source("web", 1, ACCT_DISK, 51712);

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_publish(&w, 2, NOVEMBER + 3 * HOUR, 2);
	world_begin(&w, &net, "acme", NOVEMBER, 0);
	world_read(&w, &net, NOVEMBER + HOUR, 5000000, false);
	world_read(&w, &net, NOVEMBER + 2 * HOUR, 300000, false);
	world_read(&w, &net, NOVEMBER + 4 * HOUR, 400000, true);
	world_begin(&w, &disk, "acme", NOVEMBER, 1 << 30);
	world_read(&w, &disk, NOVEMBER + HOUR, 1 << 30, false);
	world_read(&w, &disk, NOVEMBER + 2 * HOUR, INT64_C(2) << 30, false);
	world_read(&w, &disk, NOVEMBER + 3 * HOUR, 1 << 30, true);
	make("acme", "web", &always);
	assert_int_equal(count, 5);
	/* disk: two hours of 1 GiB, one of 2 */
	assert_int_equal(lines[0].entries, 2);
	assert_int_equal(lines[0].amount_micro, 202);
	assert_int_equal(lines[1].usage.start_value, INT64_C(2) << 30);
	assert_int_equal(lines[1].amount_micro, 202);
	/* net: before the reset, after it, under the next tariff */
	assert_int_equal(lines[2].usage.end_value, 5000000);
	assert_int_equal(lines[2].amount_micro, 450);
	assert_int_equal(lines[3].usage.flags, ACCT_RESET | ACCT_END_COMPUTED);
	assert_true(lines[3].used == 350000);
	assert_int_equal(lines[4].tariff, 2);
	assert_int_equal(lines[4].usage.flags,
			 ACCT_START_COMPUTED | ACCT_FINAL);
	assert_true(lines[4].used == 50000);
	assert_int_equal(lines[4].amount_micro, 9);
}

/* Even if it comes back at the same moment with the same value: its carry
 * begins anew, and what was between is nobody's. */
static void lines_break_where_a_source_ended(void **state)
{
	struct acct_source net = world_source("web", 1, ACCT_NET_SENT, 0);
	struct acct_source free = world_source("web", 1, ACCT_NET_RECEIVED, 0);

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &net, "acme", NOVEMBER, 0);
	world_read(&w, &net, NOVEMBER + HOUR, 1007, true);
	world_begin(&w, &net, "acme", NOVEMBER + HOUR, 1007);
	world_read(&w, &net, NOVEMBER + 2 * HOUR, 2011, true);
	world_begin(&w, &free, "acme", NOVEMBER, 0);
	world_read(&w, &free, NOVEMBER + HOUR, 5, true);
	world_begin(&w, &free, "acme", NOVEMBER + 2 * HOUR, 5);
	world_read(&w, &free, NOVEMBER + 3 * HOUR, 9, true);
	make("acme", NULL, &always);
	assert_int_equal(count, 4);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(
			lines[i].usage.end_ns - lines[i].usage.start_ns, HOUR);
}

static void what_is_at_a_border_is_in_one_window(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_adjustment a = { "acme", NULL, NOVEMBER + HOUR,
				     5,      0,    "at the hour" };
	struct acct_error err;

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	world_read(&w, &s, NOVEMBER + HOUR, HOUR, false);
	world_read(&w, &s, NOVEMBER + HOUR, HOUR + HOUR / 36, false);
	world_read(&w, &s, NOVEMBER + 2 * HOUR, 2 * HOUR, false);
	assert_int_equal(acct_ledger_adjust(w.store, &a, &err), 0);
	assert_int_equal(sums(NULL, NULL, 0, NOVEMBER).entries, 0);
	assert_int_equal(
		sums(NULL, NULL, NOVEMBER, NOVEMBER + HOUR).total_micro, 36000);
	assert_int_equal(sums(NULL, NULL, NOVEMBER + HOUR, NOVEMBER + 2 * HOUR)
				 .total_micro,
			 36005);
	assert_int_equal(
		sums(NULL, NULL, NOVEMBER + 2 * HOUR, INT64_MAX).entries, 0);
	assert_int_equal(sums(NULL, NULL, NOVEMBER + HOUR, NOVEMBER + HOUR + 1)
				 .total_micro,
			 1005);
}

/* Often or seldom, a source costs the same. */
static void the_pace_of_reading_changes_no_bill(void **state)
{
	static const int64_t paces[] = { SECOND * 7, 60 * SECOND, HOUR,
					 10 * HOUR };
	int64_t total = 0;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct acct_source cpu = world_source("web", 1, ACCT_VCPU, 0);
		struct acct_source memory =
			world_source("web", 1, ACCT_MEMORY, 0);
		int64_t at = 0, end = 10 * HOUR;

		world_close(&w);
		world_open(&w, NULL);
		world_publish(&w, 1, NOVEMBER, 1);
		world_begin(&w, &cpu, "acme", NOVEMBER, 0);
		world_begin(&w, &memory, "acme", NOVEMBER, 123456789);
		while (at < end) {
			at = at + paces[i] < end ? at + paces[i] : end;
			world_read(&w, &cpu, NOVEMBER + at,
				   (uint64_t)(at * 77 / 100), at == end);
			world_read(&w, &memory, NOVEMBER + at, 123456789,
				   at == end);
		}
		if (!i)
			total = make("acme", NULL, &always).total_micro;
		assert_int_equal(make("acme", NULL, &always).total_micro,
				 total);
		assert_int_equal(count, 2);
	}
	/* 277200 for 7.7 hours of CPU; 123456789 B x 10 h of memory:
	 * 5747.7 */
	assert_int_equal(total, 277200 + 5748);
}

static void a_line_explains_itself(void **state)
{
	struct acct_source cpu = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_source memory = world_source("web", 1, ACCT_MEMORY, 0);
	struct acct_adjustment a = {
		"acme",   "web", NOVEMBER + HOUR,
		-1000000, 3,     "credit: an hour without network"
	};
	struct acct_window window = { NOVEMBER, NOVEMBER + HOUR / 2 };
	char text[ACCT_LINE_TEXT];
	struct acct_error err;

	(void)state;
	world_begin(&w, &cpu, "acme", NOVEMBER - 1, 0);
	world_publish(&w, 1, NOVEMBER, 1);
	world_read(&w, &cpu, NOVEMBER + HOUR, HOUR / 2, true);
	world_begin(&w, &memory, "acme", NOVEMBER, 1 << 30);
	world_read(&w, &memory, NOVEMBER + 2 * HOUR, 1 << 30, false);
	assert_int_equal(acct_ledger_adjust(w.store, &a, &err), 0);
	make("acme", NULL, &window);
	assert_int_equal(count, 2);
	assert_string_equal(
		acct_line_text(&lines[0], &w.store->info, text),
		"vcpu 0 of web, incarnation 1: 0.009000 EUR\n"
		"  0 ns in proportion to time at "
		"2026-11-01T00:00:00.000000000Z\n"
		"  900000000000 ns in proportion to time at "
		"2026-11-01T00:30:00.000000000Z\n"
		"  used: 900000000000 - 0 = 900000000000 ns\n"
		"  tariff 1: 0.036000 EUR for 3600000000000 ns\n"
		"  (900000000000 x 36000 + 1800000000000 carried) / "
		"3600000000000 = 9000, 1800000000000 carried on\n"
		"  ledger rows 4 to 4, 1 of this source\n");
	make("acme", NULL, &always);
	assert_int_equal(count, 4);
	assert_string_equal(acct_line_text(&lines[0], &w.store->info, text),
			    "vcpu 0 of web, incarnation 1: 0.000000 EUR\n"
			    "  0 ns read at 2026-10-31T23:59:59.999999999Z\n"
			    "  0 ns in proportion to time at "
			    "2026-11-01T00:00:00.000000000Z\n"
			    "  used: 0 - 0 = 0 ns\n"
			    "  no tariff was in force: nothing to pay\n"
			    "  ledger rows 3 to 3, 1 of this source\n");
	assert_string_equal(
		acct_line_text(&lines[2], &w.store->info, text),
		"memory 0 of web, incarnation 1: 0.009998 EUR\n"
		"  1073741824 bytes from 2026-11-01T00:00:00.000000000Z to "
		"2026-11-01T02:00:00.000000000Z\n"
		"  used: 1073741824 x 7200000000000 ns = "
		"7730941132800000000000 byte-ns\n"
		"  tariff 1: 0.004999 EUR for 3865470566400 byte-seconds\n"
		"  (7730941132800000000000 x 4999 + 1932735283200000000000 "
		"carried) / 3865470566400000000000 = 9998, "
		"1932735283200000000000 carried on\n"
		"  ledger rows 6 to 6, 1 of this source\n");
	assert_string_equal(acct_line_text(&lines[3], &w.store->info, text),
			    "adjustment web: -1.000000 EUR\n"
			    "  at 2026-11-01T01:00:00.000000000Z: "
			    "credit: an hour without network\n"
			    "  corrects row 3\n"
			    "  ledger row 7\n");
}

static void says(unsigned int line, const char *what)
{
	char text[ACCT_LINE_TEXT];

	assert_true(line < count);
	if (!strstr(acct_line_text(&lines[line], &w.store->info, text), what))
		fail_msg("\"%s\" does not say \"%s\"", text, what);
}

static void a_line_says_what_went_wrong(void **state)
{
	struct acct_source disk = world_source("web", 1, ACCT_DISK, 7);
	struct acct_source net = world_source("web", 1, ACCT_NET_SENT, 0);
	struct acct_source free = world_source("web", 1, ACCT_READ_BYTES, 0);
	struct acct_source next = world_source("web", 2, ACCT_VCPU, 0);

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &disk, "acme", NOVEMBER, 1 << 30);
	world_read(&w, &disk, NOVEMBER + HOUR, 1 << 30, false);
	world_begin(&w, &net, "acme", NOVEMBER, 0);
	world_read(&w, &net, NOVEMBER + HOUR, 100, false);
	world_read(&w, &net, NOVEMBER + HOUR - 1, 200, false);
	world_read(&w, &net, NOVEMBER + 2 * HOUR, 50, false);
	world_begin(&w, &free, "acme", NOVEMBER, 0);
	world_read(&w, &free, NOVEMBER + HOUR, 7, true);
	world_begin(&w, &next, "acme", NOVEMBER + 3 * HOUR, 0);
	make(NULL, "web", &always);
	assert_int_equal(count, 4);
	says(0, "01:00:00.000000000Z, its end unread\n");
	says(1, "tariff 1 has no price for it\n");
	says(1, "  7 bytes read at 2026-11-01T01:00:00.000000000Z, the last");
	says(2, "the clock went back meanwhile\n");
	says(3, "  0 bytes as the counter had started again at ");
	says(3, "  50 bytes still, its last value unread at "
		"2026-11-01T02:00:00.000000000Z, the last\n");
}

static void amounts_have_six_digits(void **state)
{
	char text[ACCT_AMOUNT_TEXT];

	(void)state;
	assert_string_equal(acct_amount_text(0, text), "0.000000");
	assert_string_equal(acct_amount_text(-1, text), "-0.000001");
	assert_string_equal(acct_amount_text(12345678, text), "12.345678");
	assert_string_equal(acct_amount_text(INT64_MIN, text),
			    "-9223372036854.775808");
}

/* ---- a ledger with everything in it ---- */

static const char *const accounts[] = { "acme", "zeta" };
static const char *const domains[] = { "db", "web", "mail", "batch" };

static void statements_sum_to_the_ledger(void **state)
{
	int64_t total, sum = 0;

	(void)state;
	world_live(&w, 41);
	total = world_verify(&w);
	assert_int_equal(world_ask(&w, "SELECT sum(amount_micro)"
				       " FROM acct_entry"),
			 total);
	assert_int_equal(sums(NULL, NULL, 0, INT64_MAX).total_micro, total);
	for (unsigned int i = 0; i < 2; i++)
		sum += sums(accounts[i], NULL, 0, INT64_MAX).total_micro;
	assert_int_equal(sum, total);
	sum = 0;
	for (unsigned int i = 0; i < 4; i++) {
		sum += sums(NULL, domains[i], 0, INT64_MAX).total_micro;
		assert_int_equal(
			sums(accounts[i % 2], domains[i], 0, INT64_MAX)
				.total_micro,
			sums(NULL, domains[i], 0, INT64_MAX).total_micro);
		assert_int_equal(
			sums(accounts[(i + 1) % 2], domains[i], 0, INT64_MAX)
				.entries,
			0);
	}
	assert_int_equal(sum, total);
	assert_int_equal(sums("nobody", NULL, 0, INT64_MAX).lines, 0);
}

static void windows_sum_to_the_ledger(void **state)
{
	struct world random = { .seed = 42 };
	struct acct_statement whole;

	(void)state;
	world_live(&w, 43);
	whole = sums("acme", NULL, 0, INT64_MAX);
	for (int i = 0; i < 30; i++) {
		int64_t at = 0, total = 0, of_meters = 0, adjustments = 0;
		struct acct_sum meters[ACCT_METERS] = { 0 };

		while (at < INT64_MAX) {
			int64_t from = at;
			struct acct_statement part;

			at = at < NOVEMBER ? NOVEMBER : at;
			at += 1 + (int64_t)world_random(&random, 20 * HOUR);
			if (at > NOVEMBER + 1000 * HOUR)
				at = INT64_MAX;
			part = sums("acme", NULL, from, at);
			total += part.total_micro;
			adjustments += part.adjustments_micro;
			for (int m = 1; m < ACCT_METERS; m++) {
				meters[m].used += part.meters[m].used;
				meters[m].amount_micro +=
					part.meters[m].amount_micro;
			}
		}
		assert_int_equal(total, whole.total_micro);
		assert_int_equal(adjustments, whole.adjustments_micro);
		for (int m = 1; m < ACCT_METERS; m++) {
			assert_true(meters[m].used == whole.meters[m].used);
			assert_int_equal(meters[m].amount_micro,
					 whole.meters[m].amount_micro);
			of_meters += meters[m].amount_micro;
		}
		assert_int_equal(of_meters + adjustments, total);
	}
}

static void an_old_statement_can_be_made_again(void **state)
{
	struct acct_query q = { "acme", NULL, { 0, NOVEMBER + 30 * HOUR }, 0 };
	struct acct_source s = world_source("web", 2, ACCT_VCPU, 0);
	struct acct_statement then, now, again;
	struct acct_error err;

	(void)state;
	world_live(&w, 47);
	assert_int_equal(acct_statement(w.store, &q, NULL, NULL, &then, &err),
			 0);
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	world_read(&w, &s, NOVEMBER + HOUR, HOUR, true);
	assert_int_equal(acct_statement(w.store, &q, NULL, NULL, &now, &err),
			 0);
	assert_int_equal(now.total_micro, then.total_micro + 36000);
	q.last_seq = then.head.seq;
	assert_int_equal(acct_statement(w.store, &q, NULL, NULL, &again, &err),
			 0);
	assert_int_equal(again.total_micro, then.total_micro);
	assert_int_equal(again.lines, then.lines);
	assert_int_equal(again.entries, then.entries);
	assert_memory_equal(&again.head, &then.head, sizeof(then.head));
	q.last_seq = world_rows(&w) + 1;
	assert_int_equal(acct_statement(w.store, &q, NULL, NULL, &again, &err),
			 -1);
	assert_int_equal(err.code, ACCT_NOT_FOUND);
}

static void no_window_is_refused(void **state)
{
	struct acct_query q = { .window = { 2, 1 } };
	struct acct_window none = { 5, 5 };
	struct acct_statement s;
	struct acct_error err;

	(void)state;
	assert_int_equal(acct_statement(w.store, &q, NULL, NULL, &s, &err), -1);
	assert_int_equal(err.code, ACCT_INVALID);
	q.window = (struct acct_window){ -1, 1 };
	assert_int_equal(acct_statement(w.store, &q, NULL, NULL, &s, &err), -1);
	assert_int_equal(err.code, ACCT_INVALID);
	world_live(&w, 44);
	assert_int_equal(make(NULL, NULL, &none).lines, 0);
}

static void an_altered_row_makes_no_statement(void **state)
{
	struct acct_query q = { .window = always };
	struct acct_statement s;
	struct acct_error err;

	(void)state;
	world_live(&w, 45);
	world_run(&w, "DROP TRIGGER acct_entry_no_update;"
		      "UPDATE acct_entry SET amount_micro = amount_micro + 1"
		      " WHERE seq = 200");
	assert_int_equal(acct_statement(w.store, &q, NULL, NULL, &s, &err), -1);
	assert_int_equal(err.code, ACCT_CORRUPT);
}

static int refuse(void *context, const struct acct_line *line,
		  struct acct_error *err)
{
	(void)line;
	++*(int *)context;
	return acct_fail(err, ACCT_STORE, "enough");
}

static void who_reads_may_stop(void **state)
{
	struct acct_query q = { .window = always };
	struct acct_statement s;
	struct acct_error err;
	int calls = 0;

	(void)state;
	world_live(&w, 46);
	assert_int_equal(acct_statement(w.store, &q, refuse, &calls, &s, &err),
			 -1);
	assert_int_equal(calls, 1);
	assert_string_equal(err.message, "enough");
	/* The store is free again. */
	world_publish(&w, 4, NOVEMBER + 10000 * HOUR, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_line_stands_for_many_readings),
		TEST(lines_break_where_the_arithmetic_would),
		TEST(lines_break_where_a_source_ended),
		TEST(what_is_at_a_border_is_in_one_window),
		TEST(the_pace_of_reading_changes_no_bill),
		TEST(a_line_explains_itself),
		TEST(a_line_says_what_went_wrong),
		TEST(amounts_have_six_digits),
		TEST(statements_sum_to_the_ledger),
		TEST(windows_sum_to_the_ledger),
		TEST(an_old_statement_can_be_made_again),
		TEST(no_window_is_refused),
		TEST(an_altered_row_makes_no_statement),
		TEST(who_reads_may_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
