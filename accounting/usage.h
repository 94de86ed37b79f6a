/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From readings to usage. A usage is what lies between two successive readings
 * of one source: an interval, and the values at both ends. The end of one is
 * the start of the next, so nothing is lost and nothing counted twice, whatever
 * happens to the meter or to the clock:
 *
 * - a counter that is lower than it was has started again from 0: what it shows
 *   is what was used since (ACCT_RESET);
 * - a clock that went back leaves an interval of no length at the end of the
 *   last one, with all that was counted (ACCT_CLOCK_BACK); a level uses nothing
 *   in it.
 *
 * A usage is cut at moments within it without any loss: a counter's value there
 * is computed in proportion to time, rounded down, from the two readings, so
 * however it is cut, the parts fit together and sum to the whole.
 */
#ifndef ACCOUNTING_USAGE_H
#define ACCOUNTING_USAGE_H

#include "meters.h"
#include "u128.h"
#include "window.h"

#define ACCT_FINAL 1           /* the source's last */
#define ACCT_RESET 2           /* the counter had started again from 0 */
#define ACCT_CLOCK_BACK 4      /* the reading's time was before the start */
#define ACCT_UNREAD 8          /* ended without a last reading */
#define ACCT_START_COMPUTED 16 /* no reading: in proportion to time */
#define ACCT_END_COMPUTED 32
#define ACCT_FLAGS 63

/* Values are bounded by what every store holds in a signed word. */
#define ACCT_VALUE_MAX ((uint64_t)INT64_MAX)

struct acct_reading {
	int64_t at_ns;
	uint64_t value; /* of a level: in force from at_ns on */
};

struct acct_usage {
	int64_t start_ns, end_ns;
	uint64_t start_value, end_value;
	uint32_t flags; /* ACCT_* above */
};

/* The usage from the last reading to this one. */
MUST_CHECK int acct_usage_between(enum acct_meter meter,
				  const struct acct_reading *last,
				  const struct acct_reading *now,
				  struct acct_usage *out,
				  struct acct_error *err);

/* What was used, in the meter's used_unit. */
acct_u128 acct_usage_quantity(enum acct_meter meter,
			      const struct acct_usage *u);

/* The part of it in the window; false: none. */
MUST_CHECK bool acct_usage_clip(enum acct_meter meter,
				const struct acct_usage *u,
				const struct acct_window *w,
				struct acct_usage *out);

/* NULL, or why the two cannot be a usage of that meter. */
const char *acct_usage_wrong(enum acct_meter meter, const struct acct_usage *u);

#endif
