// SPDX-License-Identifier: Apache-2.0
/* See window.h. The calendar is reckoned from March, so that the leap day is
 * the last of its year: years of 400 repeat, and a month's first day is a
 * straight line through (153 * months + 2) / 5. */
#include "window.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_S 1000000000
#define S_PER_DAY 86400
#define DAYS_PER_ERA 146097 /* 400 years */
#define EPOCH_DAY 719468    /* 1970-01-01, from 0000-03-01 */

bool acct_window_touches(const struct acct_window *w, int64_t start_ns,
			 int64_t end_ns)
{
	if (start_ns == end_ns)
		return start_ns >= w->from_ns && start_ns < w->to_ns;
	return start_ns < w->to_ns && end_ns > w->from_ns;
}

/* Days from 1970-01-01 to the first of the month. */
static int64_t days_to_month(int year, int month)
{
	int64_t y = month > 2 ? year : year - 1;
	int64_t months = month > 2 ? month - 3 : month + 9;
	int64_t era = y / 400, of_era = y % 400;

	return era * DAYS_PER_ERA + of_era * 365 + of_era / 4 - of_era / 100 +
	       (153 * months + 2) / 5 - EPOCH_DAY;
}

int acct_window_month(int year, int month, struct acct_window *out,
		      struct acct_error *err)
{
	/* A year later the last month would end beyond INT64_MAX ns. */
	if (year < 1970 || year > 2261 || month < 1 || month > 12)
		return acct_fail(err, ACCT_INVALID, "%d-%d is no month", year,
				 month);
	out->from_ns = days_to_month(year, month) * S_PER_DAY * NS_PER_S;
	out->to_ns = days_to_month(month == 12 ? year + 1 : year,
				   month == 12 ? 1 : month + 1) *
		     S_PER_DAY * NS_PER_S;
	return 0;
}

const char *acct_time_text(int64_t at_ns, char text[ACCT_TIME_TEXT])
{
	uint64_t seconds = (uint64_t)at_ns / NS_PER_S;
	uint64_t ns = (uint64_t)at_ns % NS_PER_S;
	uint64_t day = seconds / S_PER_DAY + EPOCH_DAY;
	uint64_t of_day = seconds % S_PER_DAY;
	uint64_t era = day / DAYS_PER_ERA, of_era = day % DAYS_PER_ERA;
	uint64_t year = (of_era - of_era / 1460 + of_era / 36524 -
			 of_era / (DAYS_PER_ERA - 1)) /
			365;
	uint64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	uint64_t months = (5 * of_year + 2) / 153;
	uint64_t month = months < 10 ? months + 3 : months - 9;

	snprintf(text, ACCT_TIME_TEXT,
		 "%04" PRIu64 "-%02" PRIu64 "-%02" PRIu64 "T%02" PRIu64
		 ":%02" PRIu64 ":%02" PRIu64 ".%09" PRIu64 "Z",
		 year + era * 400 + (month <= 2), month,
		 of_year - (153 * months + 2) / 5 + 1, of_day / 3600,
		 of_day / 60 % 60, of_day % 60, ns);
	return text;
}
