// SPDX-License-Identifier: Apache-2.0
/* Tests of usage.c: what two readings say, and that cutting loses nothing. */
#include "world.h"

static struct acct_usage between(enum acct_meter meter, int64_t t0, uint64_t v0,
				 int64_t t1, uint64_t v1)
{
	struct acct_reading a = { t0, v0 }, b = { t1, v1 };
	struct acct_usage u = { 0 };
	struct acct_error err;

	if (acct_usage_between(meter, &a, &b, &u, &err))
		fail_msg("%s", err.message);
	assert_null(acct_usage_wrong(meter, &u));
	return u;
}

static void a_counter_uses_the_difference(void **state)
{
	struct acct_usage u = between(ACCT_VCPU, 10, 5, 20, 9);

	(void)state;
	assert_true(acct_usage_quantity(ACCT_VCPU, &u) == 4);
	assert_int_equal(u.flags, 0);
}

static void a_level_uses_itself_times_the_time(void **state)
{
	struct acct_usage u = between(ACCT_MEMORY, 10, 1000, 20, 3);

	(void)state;
	assert_true(acct_usage_quantity(ACCT_MEMORY, &u) == 10000);
	u = between(ACCT_MEMORY, 0, INT64_MAX, INT64_MAX, 0);
	assert_true(acct_usage_quantity(ACCT_MEMORY, &u) ==
		    (acct_u128)INT64_MAX * INT64_MAX);
}

static void a_counter_that_goes_back_started_again(void **state)
{
	struct acct_usage u = between(ACCT_NET_SENT, 10, 500, 20, 70);

	(void)state;
	assert_true(acct_usage_quantity(ACCT_NET_SENT, &u) == 70);
	assert_int_equal(u.flags, ACCT_RESET);
	assert_int_equal(u.start_value, 0);
	/* A level that falls is nothing special. */
	assert_int_equal(between(ACCT_DISK, 10, 500, 20, 70).flags, 0);
}

static void a_clock_that_goes_back_loses_no_count(void **state)
{
	struct acct_usage u = between(ACCT_VCPU, 10, 5, 3, 9);

	(void)state;
	assert_int_equal(u.start_ns, 10);
	assert_int_equal(u.end_ns, 10);
	assert_int_equal(u.flags, ACCT_CLOCK_BACK);
	assert_true(acct_usage_quantity(ACCT_VCPU, &u) == 4);
	u = between(ACCT_MEMORY, 10, 5, 3, 9);
	assert_true(acct_usage_quantity(ACCT_MEMORY, &u) == 0);
}

static void what_no_meter_can_say_is_refused(void **state)
{
	struct acct_reading good = { 1, 1 }, early = { -1, 1 };
	struct acct_reading large = { 2, (uint64_t)INT64_MAX + 1 };
	struct acct_usage u;
	struct acct_error err;

	(void)state;
	assert_int_equal(acct_usage_between(ACCT_VCPU, &good, &early, &u, &err),
			 -1);
	assert_int_equal(acct_usage_between(ACCT_VCPU, &good, &large, &u, &err),
			 -1);
	assert_int_equal(
		acct_usage_between(ACCT_METERS, &good, &good, &u, &err), -1);
	assert_int_equal(acct_usage_between(0, &good, &good, &u, &err), -1);
	assert_int_equal(err.code, ACCT_INVALID);
}

static void a_moment_is_in_one_window_only(void **state)
{
	struct acct_usage u = between(ACCT_VCPU, 10, 5, 3, 9), part;
	struct acct_window before = { 0, 10 }, after = { 10, 11 };

	(void)state;
	assert_false(acct_usage_clip(ACCT_VCPU, &u, &before, &part));
	assert_true(acct_usage_clip(ACCT_VCPU, &u, &after, &part));
	assert_memory_equal(&part, &u, sizeof(u));
}

static void flags_stay_with_their_end(void **state)
{
	struct acct_usage u = between(ACCT_VCPU, 0, 9, 100, 8), part;
	struct acct_window first = { 0, 50 }, middle = { 20, 50 },
			   last = { 50, 200 };

	(void)state;
	u.flags |= ACCT_FINAL | ACCT_UNREAD;
	assert_true(acct_usage_clip(ACCT_VCPU, &u, &first, &part));
	assert_int_equal(part.flags, ACCT_RESET | ACCT_END_COMPUTED);
	assert_true(acct_usage_clip(ACCT_VCPU, &u, &middle, &part));
	assert_int_equal(part.flags, ACCT_START_COMPUTED | ACCT_END_COMPUTED);
	assert_true(acct_usage_clip(ACCT_VCPU, &u, &last, &part));
	assert_int_equal(part.flags,
			 ACCT_START_COMPUTED | ACCT_FINAL | ACCT_UNREAD);
	assert_null(acct_usage_wrong(ACCT_VCPU, &part));
}

/* A random usage: short, long, with much or little use. */
static struct acct_usage some_usage(struct world *w, enum acct_meter meter)
{
	uint64_t length = world_random(w, UINT64_C(1) << world_random(w, 61));
	int64_t start = (int64_t)world_random(w, UINT64_C(1) << 61);
	uint64_t value = world_random(w, INT64_MAX);
	uint64_t used = world_random(w, UINT64_C(1) << world_random(w, 62));

	if (used > (uint64_t)INT64_MAX - value)
		used = (uint64_t)INT64_MAX - value;
	return between(meter, start, value, start + (int64_t)length,
		       value + used);
}

/* Cuts a usage at random moments and gives the parts to the checks below. */
static void cut_somehow(struct world *w, enum acct_meter meter)
{
	struct acct_usage whole = some_usage(w, meter), part, last;
	int64_t length = whole.end_ns - whole.start_ns;
	struct acct_window window = { whole.start_ns, 0 };
	acct_u128 sum = 0;
	bool any = false;

	while (window.from_ns < whole.end_ns) {
		window.to_ns = window.from_ns + 1 +
			       (int64_t)world_random(w, (uint64_t)length);
		assert_true(acct_usage_clip(meter, &whole, &window, &part));
		assert_null(acct_usage_wrong(meter, &part));
		if (any) {
			assert_int_equal(part.start_ns, last.end_ns);
			assert_int_equal(part.start_value, last.end_value);
		} else {
			assert_int_equal(part.start_ns, whole.start_ns);
			assert_int_equal(part.start_value, whole.start_value);
		}
		sum += acct_usage_quantity(meter, &part);
		last = part;
		any = true;
		window.from_ns = part.end_ns;
	}
	if (any) {
		assert_int_equal(last.end_ns, whole.end_ns);
		assert_int_equal(last.end_value, whole.end_value);
		assert_true(sum == acct_usage_quantity(meter, &whole));
	}
}

static void parts_sum_to_the_whole(void **state)
{
	struct world w = { .seed = 11 };

	(void)state;
	for (int i = 0; i < 20000; i++)
		cut_somehow(&w, 1 + (enum acct_meter)world_random(
					    &w, ACCT_METERS - 1));
}

static void a_cut_is_the_same_from_both_sides(void **state)
{
	struct world w = { .seed = 12 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct acct_usage whole = some_usage(&w, ACCT_VCPU), a, b;
		int64_t length = whole.end_ns - whole.start_ns;
		struct acct_window before = { 0 }, after;

		if (length < 2)
			continue;
		before.to_ns = whole.start_ns + 1 +
			       (int64_t)world_random(&w, (uint64_t)length - 1);
		after = (struct acct_window){ before.to_ns, INT64_MAX };
		assert_true(acct_usage_clip(ACCT_VCPU, &whole, &after, &b));
		assert_true(acct_usage_clip(ACCT_VCPU, &whole, &before, &a));
		assert_int_equal(a.end_ns, b.start_ns);
		assert_int_equal(a.end_value, b.start_value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_uses_the_difference),
		cmocka_unit_test(a_level_uses_itself_times_the_time),
		cmocka_unit_test(a_counter_that_goes_back_started_again),
		cmocka_unit_test(a_clock_that_goes_back_loses_no_count),
		cmocka_unit_test(what_no_meter_can_say_is_refused),
		cmocka_unit_test(a_moment_is_in_one_window_only),
		cmocka_unit_test(flags_stay_with_their_end),
		cmocka_unit_test(parts_sum_to_the_whole),
		cmocka_unit_test(a_cut_is_the_same_from_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
