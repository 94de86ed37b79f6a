// SPDX-License-Identifier: Apache-2.0
/* Tests of window.c and u128.c. */
#include <time.h>

#include "world.h"

static void adjacent_windows_share_no_moment(void **state)
{
	struct acct_window a = { 0, 10 }, b = { 10, 20 };

	(void)state;
	for (int64_t t = 0; t < 20; t++)
		assert_int_equal(acct_window_touches(&a, t, t) +
					 acct_window_touches(&b, t, t),
				 1);
	assert_false(acct_window_touches(&a, 20, 20));
	assert_false(acct_window_touches(&b, 20, 20));
	assert_true(acct_window_touches(&a, 9, 10));
	assert_false(acct_window_touches(&a, 10, 11));
	assert_false(acct_window_touches(&b, 9, 10));
	assert_true(acct_window_touches(&b, 9, 11));
	assert_true(acct_window_touches(&a, 0, 40));
}

static void months_follow_each_other(void **state)
{
	struct acct_window last, month;
	struct acct_error err;

	(void)state;
	assert_int_equal(acct_window_month(1970, 1, &last, &err), 0);
	assert_int_equal(last.from_ns, 0);
	for (int year = 1970; year <= 2261; year++)
		for (int m = year == 1970 ? 2 : 1; m <= 12; m++) {
			struct tm tm = { .tm_year = year - 1900,
					 .tm_mon = m - 1,
					 .tm_mday = 1 };

			assert_int_equal(
				acct_window_month(year, m, &month, &err), 0);
			assert_int_equal(month.from_ns, last.to_ns);
			assert_int_equal(month.from_ns / SECOND, timegm(&tm));
			last = month;
		}
	assert_int_equal(acct_window_month(2026, 11, &month, &err), 0);
	assert_int_equal(month.from_ns, NOVEMBER);
	assert_int_equal(month.to_ns - month.from_ns, 30 * 24 * HOUR);
}

static void what_is_no_month_is_refused(void **state)
{
	struct acct_window w;
	struct acct_error err;

	(void)state;
	assert_int_equal(acct_window_month(2026, 0, &w, &err), -1);
	assert_int_equal(acct_window_month(2026, 13, &w, &err), -1);
	assert_int_equal(acct_window_month(1969, 12, &w, &err), -1);
	assert_int_equal(acct_window_month(2262, 1, &w, &err), -1);
	assert_int_equal(err.code, ACCT_INVALID);
}

static void times_are_what_the_c_library_says(void **state)
{
	struct world w = { .seed = 7 };
	char ours[ACCT_TIME_TEXT], date[64], theirs[80];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		int64_t at = (int64_t)world_random(&w, INT64_MAX);
		time_t s = at / SECOND;
		struct tm tm;

		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S",
			 gmtime_r(&s, &tm));
		snprintf(theirs, sizeof(theirs), "%s.%09dZ", date,
			 (int)(at % SECOND));
		assert_string_equal(acct_time_text(at, ours), theirs);
	}
	assert_string_equal(acct_time_text(NOVEMBER + 1, ours),
			    "2026-11-01T00:00:00.000000001Z");
}

static void wide_numbers_come_back_from_text(void **state)
{
	static const char *const wrong[] = {
		"",
		"00",
		"01",
		"-1",
		" 1",
		"1 ",
		"+1",
		"0x1",
		"1.0",
		"340282366920938463463374607431768211456",
		"999999999999999999999999999999999999999"
	};
	struct world w = { .seed = 8 };
	char text[ACCT_U128_TEXT];
	acct_u128 value, back;

	(void)state;
	assert_string_equal(acct_u128_text(0, text), "0");
	assert_string_equal(acct_u128_text(~(acct_u128)0, text),
			    "340282366920938463463374607431768211455");
	assert_true(acct_u128_parse(text, &back) && back == ~(acct_u128)0);
	for (int i = 0; i < 20000; i++) {
		value = (acct_u128)world_random(&w, UINT64_MAX)
				<< world_random(&w, 65) |
			world_random(&w, UINT64_MAX);
		assert_true(
			acct_u128_parse(acct_u128_text(value, text), &back));
		assert_true(back == value);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(acct_u128_parse(wrong[i], &back));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adjacent_windows_share_no_moment),
		cmocka_unit_test(months_follow_each_other),
		cmocka_unit_test(what_is_no_month_is_refused),
		cmocka_unit_test(times_are_what_the_c_library_says),
		cmocka_unit_test(wide_numbers_come_back_from_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
