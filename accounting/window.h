/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of time: half-open, from the first nanosecond in it to the first one
 * after it, so that adjacent windows share nothing and miss nothing. Times are
 * UTC, in ns since 1970 without leap seconds, and never negative.
 */
#ifndef ACCOUNTING_WINDOW_H
#define ACCOUNTING_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

struct acct_window {
	int64_t from_ns, to_ns;
};

#define ACCT_TIME_MAX INT64_MAX

/* Whether an interval has a part in the window. One of no length belongs to
 * the window that its moment is in. */
bool acct_window_touches(const struct acct_window *w, int64_t start_ns,
			 int64_t end_ns);

/* The calendar month in UTC; month is 1..12, year 1970..2261. */
MUST_CHECK int acct_window_month(int year, int month, struct acct_window *out,
				 struct acct_error *err);

#define ACCT_TIME_TEXT 80

/* "2026-11-30T23:59:59.000000000Z"; returns text. */
const char *acct_time_text(int64_t at_ns, char text[ACCT_TIME_TEXT]);

#endif
