// SPDX-License-Identifier: Apache-2.0
/* Tests of ledger.c: what readings become, and what is refused. */
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

static enum acct_error_code try_open(const struct acct_source *s,
				     const char *account, int64_t at_ns,
				     uint64_t value)
{
	struct acct_reading r = { at_ns, value };
	struct acct_error err = { .code = ACCT_OK };
	uint64_t rows = world_rows(&w);

	if (acct_ledger_open(w.store, s, account, &r, &err))
		assert_int_equal(world_rows(&w), rows);
	return err.code;
}

static enum acct_error_code try_publish(const struct acct_tariff *t)
{
	struct acct_error err = { .code = ACCT_OK };
	uint64_t rows = world_rows(&w);

	if (acct_ledger_publish(w.store, t, NOVEMBER, &err))
		assert_int_equal(world_rows(&w), rows);
	return err.code;
}

/* ---- readings ---- */

static void a_reading_goes_on_where_the_last_ended(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_entry e;

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	world_read(&w, &s, NOVEMBER + HOUR, HOUR / 2, false);
	world_read(&w, &s, NOVEMBER + 2 * HOUR, HOUR, true);
	assert_int_equal(world_rows(&w), 4);
	e = world_row(&w, 3);
	assert_int_equal(e.kind, ACCT_USAGE);
	assert_string_equal(e.account, "acme");
	assert_true(acct_source_equal(&e.source, &s));
	assert_int_equal(e.usage.start_ns, NOVEMBER);
	assert_int_equal(e.usage.end_ns, NOVEMBER + HOUR);
	assert_int_equal(e.usage.start_value, 0);
	assert_int_equal(e.usage.end_value, HOUR / 2);
	assert_int_equal(e.usage.flags, 0);
	assert_int_equal(e.tariff, 1);
	assert_int_equal(e.amount_micro, 18000);
	e = world_row(&w, 4);
	assert_int_equal(e.usage.start_ns, NOVEMBER + HOUR);
	assert_int_equal(e.usage.start_value, HOUR / 2);
	assert_int_equal(e.usage.flags, ACCT_FINAL);
	assert_int_equal(world_verify(&w), 36000);
}

static void a_change_of_tariff_cuts_a_reading(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_entry a, b, c;

	(void)state;
	world_begin(&w, &s, "acme", NOVEMBER, 100);
	world_publish(&w, 1, NOVEMBER + HOUR, 1);
	world_publish(&w, 2, NOVEMBER + 2 * HOUR, 10);
	world_read(&w, &s, NOVEMBER + 4 * HOUR, 100 + HOUR, true);
	assert_int_equal(world_rows(&w), 6);
	a = world_row(&w, 4);
	b = world_row(&w, 5);
	c = world_row(&w, 6);
	assert_int_equal(a.tariff, 0);
	assert_int_equal(a.amount_micro, 0);
	assert_int_equal(a.usage.flags, ACCT_END_COMPUTED);
	assert_int_equal(b.tariff, 1);
	assert_int_equal(b.usage.start_ns, NOVEMBER + HOUR);
	assert_int_equal(b.usage.end_ns, NOVEMBER + 2 * HOUR);
	assert_int_equal(b.usage.start_value, a.usage.end_value);
	assert_int_equal(b.usage.end_value - b.usage.start_value, HOUR / 4);
	assert_int_equal(b.amount_micro, 9000);
	assert_int_equal(c.tariff, 2);
	assert_int_equal(c.usage.start_value, b.usage.end_value);
	assert_int_equal(c.usage.end_value, 100 + HOUR);
	assert_int_equal(c.usage.flags, ACCT_START_COMPUTED | ACCT_FINAL);
	assert_int_equal(c.amount_micro, 180000);
}

static void a_meter_without_a_price_is_metered(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_NET_RECEIVED, 3);
	struct acct_entry e;

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	world_read(&w, &s, NOVEMBER + HOUR, 1000000, false);
	e = world_row(&w, 3);
	assert_int_equal(e.tariff, 1);
	assert_int_equal(e.price.per, 0);
	assert_int_equal(e.usage.end_value, 1000000);
	assert_int_equal(e.amount_micro, 0);
}

static void a_call_repeated_changes_nothing(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0);

	(void)state;
	for (int i = 0; i < 3; i++)
		world_begin(&w, &s, "acme", NOVEMBER, 0);
	assert_int_equal(world_rows(&w), 1);
	for (int i = 0; i < 3; i++)
		world_read(&w, &s, NOVEMBER + 10, 7, false);
	assert_int_equal(world_rows(&w), 2);
	for (int i = 0; i < 3; i++)
		world_read(&w, &s, NOVEMBER + 20, 9, true);
	assert_int_equal(world_rows(&w), 3);
}

static void a_final_reading_may_say_nothing_new(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_entry e;

	(void)state;
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	world_read(&w, &s, NOVEMBER + 10, 7, false);
	world_read(&w, &s, NOVEMBER + 10, 7, true);
	e = world_row(&w, 3);
	assert_int_equal(e.usage.flags, ACCT_FINAL);
	assert_int_equal(e.usage.start_ns, e.usage.end_ns);
}

static void resets_and_clocks_lose_nothing(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_NET_SENT, 0);

	(void)state;
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	world_read(&w, &s, NOVEMBER + 10, 700, false);
	world_read(&w, &s, NOVEMBER + 20, 50, false);
	assert_int_equal(world_row(&w, 3).usage.flags, ACCT_RESET);
	world_read(&w, &s, NOVEMBER + 15, 80, false);
	assert_int_equal(world_row(&w, 4).usage.flags, ACCT_CLOCK_BACK);
	world_read(&w, &s, NOVEMBER + 12, 8, false);
	assert_int_equal(world_row(&w, 5).usage.flags,
			 ACCT_CLOCK_BACK | ACCT_RESET);
	world_read(&w, &s, NOVEMBER + 30, 10, true);
	assert_int_equal(world_ask(&w, "SELECT sum(end_value - start_value)"
				       " FROM acct_entry WHERE kind = 3"),
			 700 + 80 + 10);
	assert_int_equal(world_ask(&w, "SELECT sum(end_ns - start_ns)"
				       " FROM acct_entry WHERE kind = 3"),
			 30);
}

/* ---- lives ---- */

static void what_is_not_open_is_refused(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0), t;

	(void)state;
	assert_int_equal(try_read(&s, NOVEMBER, 0, false), ACCT_NOT_FOUND);
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	assert_int_equal(try_open(&s, "acme", NOVEMBER, 1), ACCT_EXISTS);
	assert_int_equal(try_open(&s, "other", NOVEMBER, 0), ACCT_EXISTS);
	t = world_source("web", 1, ACCT_VCPU, 1);
	assert_int_equal(try_read(&t, NOVEMBER, 0, false), ACCT_NOT_FOUND);
	world_read(&w, &s, NOVEMBER + 1, 1, true);
	assert_int_equal(try_read(&s, NOVEMBER + 2, 2, false), ACCT_INVALID);
	assert_int_equal(try_read(&s, NOVEMBER + 2, 2, true), ACCT_INVALID);
}

static void what_makes_no_sense_is_refused(void **state)
{
	struct acct_source good = world_source("web", 1, ACCT_VCPU, 0), s;
	struct acct_error err;

	(void)state;
	assert_int_equal(try_open(&good, "", NOVEMBER, 0), ACCT_INVALID);
	assert_int_equal(try_open(&good, "a b", NOVEMBER, 0), ACCT_INVALID);
	assert_int_equal(try_open(&good, "acme", -1, 0), ACCT_INVALID);
	assert_int_equal(try_open(&good, "acme", 0, UINT64_MAX), ACCT_INVALID);
	s = world_source("we b", 1, ACCT_VCPU, 0);
	assert_int_equal(try_open(&s, "acme", NOVEMBER, 0), ACCT_INVALID);
	s = world_source("web", UINT64_MAX, ACCT_VCPU, 0);
	assert_int_equal(try_open(&s, "acme", NOVEMBER, 0), ACCT_INVALID);
	s = world_source("web", 1, ACCT_METERS, 0);
	assert_int_equal(try_open(&s, "acme", NOVEMBER, 0), ACCT_INVALID);
	assert_int_equal(try_read(&s, NOVEMBER, 0, false), ACCT_INVALID);
	world_begin(&w, &good, "acme", NOVEMBER, 0);
	assert_int_equal(try_read(&good, -1, 0, false), ACCT_INVALID);
	assert_int_equal(try_read(&good, 1, UINT64_MAX, false), ACCT_INVALID);
	assert_int_equal(acct_ledger_close(w.store, "we b", 1, &err), -1);
	assert_int_equal(acct_ledger_close(w.store, "web", -1, &err), -1);
}

static void a_device_may_come_again(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_READ_BYTES, 51712);

	(void)state;
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	world_read(&w, &s, NOVEMBER + 10, 500, true);
	world_begin(&w, &s, "acme", NOVEMBER + 20, 0);
	world_read(&w, &s, NOVEMBER + 30, 7, true);
	/* Not before it had gone, whatever the clock says. */
	world_begin(&w, &s, "acme", NOVEMBER + 5, 0);
	assert_int_equal(world_row(&w, 5).usage.start_ns, NOVEMBER + 30);
	world_read(&w, &s, NOVEMBER + 6, 1, true);
	assert_int_equal(world_ask(&w, "SELECT sum(end_value - start_value)"
				       " FROM acct_entry WHERE kind = 3"),
			 508);
}

static void a_new_incarnation_ends_the_old_one(void **state)
{
	struct acct_source cpu = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_source memory = world_source("web", 1, ACCT_MEMORY, 0);
	struct acct_source other = world_source("webb", 1, ACCT_VCPU, 0);
	struct acct_source next = world_source("web", 2, ACCT_VCPU, 0);
	struct acct_entry e;

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &cpu, "acme", NOVEMBER, 0);
	world_begin(&w, &memory, "acme", NOVEMBER, 1 << 30);
	world_begin(&w, &other, "acme", NOVEMBER, 0);
	world_read(&w, &cpu, NOVEMBER + 10, 5, false);
	world_begin(&w, &next, "acme", NOVEMBER + HOUR, 0);
	assert_int_equal(world_rows(&w), 8);
	e = world_row(&w, 6);
	assert_true(acct_source_equal(&e.source, &cpu));
	assert_int_equal(e.usage.flags, ACCT_FINAL | ACCT_UNREAD);
	assert_int_equal(e.usage.end_ns, NOVEMBER + 10);
	e = world_row(&w, 7);
	assert_true(acct_source_equal(&e.source, &memory));
	assert_int_equal(e.usage.end_ns, NOVEMBER);
	assert_int_equal(e.amount_micro, 0);
	/* The old one is over. */
	assert_int_equal(try_read(&cpu, NOVEMBER + 20, 9, false), ACCT_INVALID);
	assert_int_equal(try_open(&cpu, "acme", NOVEMBER + 2 * HOUR, 0),
			 ACCT_INVALID);
	world_read(&w, &other, NOVEMBER + 10, 1, true);
	world_read(&w, &next, NOVEMBER + 2 * HOUR, 3, true);
}

static void closing_ends_all_that_is_open(void **state)
{
	struct acct_source cpu = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_source memory = world_source("web", 1, ACCT_MEMORY, 0);
	struct acct_source disk = world_source("web", 1, ACCT_DISK, 51712);
	struct acct_source other = world_source("db", 1, ACCT_VCPU, 0);
	struct acct_error err;
	struct acct_entry e;

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &cpu, "acme", NOVEMBER, 0);
	world_begin(&w, &memory, "acme", NOVEMBER, 1 << 30);
	world_begin(&w, &disk, "acme", NOVEMBER, 1 << 30);
	world_begin(&w, &other, "acme", NOVEMBER, 0);
	world_read(&w, &disk, NOVEMBER + 10, 0, true);
	assert_int_equal(
		acct_ledger_close(w.store, "web", NOVEMBER + HOUR, &err), 0);
	assert_int_equal(world_rows(&w), 8);
	e = world_row(&w, 7);
	assert_true(acct_source_equal(&e.source, &cpu));
	assert_int_equal(e.usage.flags, ACCT_FINAL | ACCT_UNREAD);
	e = world_row(&w, 8);
	assert_true(acct_source_equal(&e.source, &memory));
	assert_int_equal(e.usage.flags, ACCT_FINAL);
	assert_int_equal(e.amount_micro, 4999);
	assert_int_equal(
		acct_ledger_close(w.store, "web", NOVEMBER + HOUR, &err), 0);
	assert_int_equal(world_rows(&w), 8);
	assert_int_equal(acct_ledger_close(w.store, "none", NOVEMBER, &err), 0);
	world_read(&w, &other, NOVEMBER + 10, 1, false);
}

static void what_a_failure_ended_is_not_charged_on(void **state)
{
	struct acct_source cpu = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_source memory = world_source("web", 1, ACCT_MEMORY, 0);
	struct acct_error err;

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &cpu, "acme", NOVEMBER, 0);
	world_begin(&w, &memory, "acme", NOVEMBER, 1 << 30);
	world_read(&w, &cpu, NOVEMBER + HOUR, HOUR, false);
	world_read(&w, &memory, NOVEMBER + HOUR, 1 << 30, false);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(acct_ledger_abandon(w.store, "web", &err), 0);
		assert_int_equal(world_rows(&w), 7);
	}
	for (uint64_t seq = 6; seq <= 7; seq++) {
		struct acct_usage u = world_row(&w, seq).usage;

		assert_int_equal(u.flags, ACCT_FINAL | ACCT_UNREAD);
		assert_int_equal(u.start_ns, NOVEMBER + HOUR);
		assert_int_equal(u.end_ns, NOVEMBER + HOUR);
	}
	assert_int_equal(world_verify(&w), 36000 + 4999);
	assert_int_equal(acct_ledger_abandon(w.store, "", &err), -1);
	assert_int_equal(err.code, ACCT_INVALID);
}

/* ---- tariffs ---- */

static void a_tariff_never_reaches_back(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_tariff t = world_tariff(1, NOVEMBER, 1);

	(void)state;
	assert_int_equal(try_publish(&t), ACCT_OK);
	assert_int_equal(try_publish(&t), ACCT_OK);
	assert_int_equal(world_rows(&w), 1);
	t.prices[ACCT_VCPU].micro++;
	assert_int_equal(try_publish(&t), ACCT_EXISTS);
	t.version = 3;
	t.effective_from_ns = NOVEMBER + HOUR;
	assert_int_equal(try_publish(&t), ACCT_EXISTS);
	t.version = 2;
	t.effective_from_ns = NOVEMBER;
	assert_int_equal(try_publish(&t), ACCT_INVALID);
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	world_read(&w, &s, NOVEMBER + HOUR, 1, false);
	t.effective_from_ns = NOVEMBER + HOUR;
	assert_int_equal(try_publish(&t), ACCT_INVALID);
	strcpy(t.currency, "USD");
	t.effective_from_ns = NOVEMBER + HOUR + 1;
	assert_int_equal(try_publish(&t), ACCT_INVALID);
	strcpy(t.currency, "EUR");
	assert_int_equal(try_publish(&t), ACCT_OK);
	assert_int_equal(world_ask(&w, "SELECT count(*) FROM acct_tariff"), 2);
}

/* Only what accounts have matters, not when a tariff was written down. */
static void tariffs_may_be_published_ahead(void **state)
{
	struct acct_tariff t = world_tariff(1, NOVEMBER, 1);
	struct acct_error err;

	(void)state;
	assert_int_equal(
		acct_ledger_publish(w.store, &t, NOVEMBER + 9 * HOUR, &err), 0);
	t = world_tariff(2, NOVEMBER + HOUR, 2);
	assert_int_equal(
		acct_ledger_publish(w.store, &t, NOVEMBER + 8 * HOUR, &err), 0);
}

/* ---- corrections ---- */

static void corrections_are_rows_of_their_own(void **state)
{
	struct acct_source s = world_source("web", 1, ACCT_VCPU, 0);
	struct acct_adjustment a = {
		"acme", "web", NOVEMBER + HOUR,
		-1000,  3,     "credit: an hour without network"
	};
	struct acct_error err;

	(void)state;
	world_publish(&w, 1, NOVEMBER, 1);
	world_begin(&w, &s, "acme", NOVEMBER, 0);
	world_read(&w, &s, NOVEMBER + HOUR, HOUR, false);
	assert_int_equal(acct_ledger_adjust(w.store, &a, &err), 0);
	assert_int_equal(world_verify(&w), 35000);
	a.refers_to = 5;
	assert_int_equal(acct_ledger_adjust(w.store, &a, &err), -1);
	assert_int_equal(err.code, ACCT_NOT_FOUND);
	a.refers_to = 0;
	a.note = "";
	assert_int_equal(acct_ledger_adjust(w.store, &a, &err), -1);
	a.note = "two\nlines";
	assert_int_equal(acct_ledger_adjust(w.store, &a, &err), -1);
	a.note = "by hand";
	a.domain = NULL;
	assert_int_equal(acct_ledger_adjust(w.store, &a, &err), 0);
	a.account = "";
	assert_int_equal(acct_ledger_adjust(w.store, &a, &err), -1);
	assert_int_equal(err.code, ACCT_INVALID);
	assert_int_equal(world_rows(&w), 5);
}

/* ---- many ---- */

#define SOURCES 12
#define READINGS 40

struct plan {
	struct acct_source source;
	struct acct_reading readings[READINGS];
	acct_u128 used; /* what the readings say, reckoned apart */
	int64_t amount; /* under a tariff that does not change */
};

static void make_plan(struct world *random, struct plan *p, unsigned int i)
{
	enum acct_meter meter = 1 + (enum acct_meter)(i % (ACCT_METERS - 1));
	struct acct_tariff t = world_tariff(1, 0, 1);
	struct acct_charge c;
	struct acct_error err;

	p->source = world_source(i % 2 ? "web" : "db", 1 + i / 9, meter, i);
	p->used = 0;
	p->readings[0] = (struct acct_reading){
		NOVEMBER + (int64_t)world_random(random, 1000), 0
	};
	for (unsigned int n = 1; n < READINGS; n++) {
		struct acct_reading *last = &p->readings[n - 1];
		struct acct_reading *r = &p->readings[n];
		bool level = acct_meter_info(meter)->level;

		r->at_ns = last->at_ns + (int64_t)world_random(random, HOUR);
		r->value = level ? world_random(random, 1 << 30)
				 : last->value + world_random(random, HOUR);
		if (level)
			p->used += (acct_u128)last->value *
				   (uint64_t)(r->at_ns - last->at_ns);
		else
			p->used += r->value - last->value;
	}
	if (acct_rate_quantity(p->used, acct_divisor(meter, &t.prices[meter]),
			       t.prices[meter].micro,
			       acct_first_carry(meter, &t.prices[meter]), &c,
			       &err))
		fail_msg("%s", err.message);
	p->amount = c.amount_micro;
}

/* Reads the sources in a random order, each its own readings in theirs; says
 * what each costs in the end. */
static void carry_out_plans(const struct plan *plans, uint64_t seed,
			    int64_t amounts[SOURCES])
{
	unsigned int at[SOURCES] = { 0 }, left = SOURCES * READINGS;
	struct world random = { .seed = seed };
	struct acct_entry e;
	uint64_t seq;

	while (left) {
		unsigned int i = (unsigned int)world_random(&random, SOURCES);
		const struct acct_reading *r;

		if (at[i] == READINGS)
			continue;
		r = &plans[i].readings[at[i]];
		if (at[i])
			world_read(&w, &plans[i].source, r->at_ns, r->value,
				   at[i] == READINGS - 1);
		else
			world_begin(&w, &plans[i].source, "acme", r->at_ns,
				    r->value);
		at[i]++;
		left--;
	}
	memset(amounts, 0, SOURCES * sizeof(*amounts));
	for (seq = 1; seq <= world_rows(&w); seq++) {
		e = world_row(&w, seq);
		if (e.kind == ACCT_USAGE)
			amounts[e.source.device] += e.amount_micro;
	}
}

static void the_order_of_reading_changes_no_bill(void **state)
{
	struct world random = { .seed = 31 };
	struct plan plans[SOURCES];
	int64_t amounts[SOURCES];

	(void)state;
	for (unsigned int i = 0; i < SOURCES; i++)
		make_plan(&random, &plans[i], i % 9);
	for (unsigned int i = 0; i < SOURCES; i++)
		plans[i].source.device = i;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		world_close(&w);
		world_open(&w, NULL);
		world_publish(&w, 1, 1, 1);
		carry_out_plans(plans, seed, amounts);
		for (unsigned int i = 0; i < SOURCES; i++)
			assert_int_equal(amounts[i], plans[i].amount);
		world_verify(&w);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_reading_goes_on_where_the_last_ended),
		TEST(a_change_of_tariff_cuts_a_reading),
		TEST(a_meter_without_a_price_is_metered),
		TEST(a_call_repeated_changes_nothing),
		TEST(a_final_reading_may_say_nothing_new),
		TEST(resets_and_clocks_lose_nothing),
		TEST(what_is_not_open_is_refused),
		TEST(what_makes_no_sense_is_refused),
		TEST(a_device_may_come_again),
		TEST(a_new_incarnation_ends_the_old_one),
		TEST(closing_ends_all_that_is_open),
		TEST(what_a_failure_ended_is_not_charged_on),
		TEST(a_tariff_never_reaches_back),
		TEST(tariffs_may_be_published_ahead),
		TEST(corrections_are_rows_of_their_own),
		TEST(the_order_of_reading_changes_no_bill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
