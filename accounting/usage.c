// SPDX-License-Identifier: Apache-2.0
/* See usage.h. */
#include "usage.h"

#include <inttypes.h>
#include <stddef.h>

int acct_usage_between(enum acct_meter meter, const struct acct_reading *last,
		       const struct acct_reading *now, struct acct_usage *out,
		       struct acct_error *err)
{
	const struct acct_meter_info *info = acct_meter_info(meter);

	if (!info)
		return acct_fail(err, ACCT_INVALID, "no meter %u", meter);
	if (now->at_ns < 0 || now->value > ACCT_VALUE_MAX)
		return acct_fail(err, ACCT_INVALID,
				 "%s: time %" PRId64 " or value %" PRIu64
				 " out of range",
				 info->name, now->at_ns, now->value);
	*out = (struct acct_usage){
		.start_ns = last->at_ns,
		.end_ns = now->at_ns,
		.start_value = last->value,
		.end_value = now->value,
	};
	if (now->at_ns < last->at_ns) {
		out->end_ns = last->at_ns;
		out->flags |= ACCT_CLOCK_BACK;
	}
	if (!info->level && now->value < last->value) {
		out->start_value = 0;
		out->flags |= ACCT_RESET;
	}
	return 0;
}

acct_u128 acct_usage_quantity(enum acct_meter meter, const struct acct_usage *u)
{
	if (acct_meter_info(meter)->level)
		return (acct_u128)u->start_value *
		       (uint64_t)(u->end_ns - u->start_ns);
	return u->end_value - u->start_value;
}

/* A counter's value at a moment of the interval, which has a length. */
static uint64_t value_at(const struct acct_usage *u, int64_t at_ns)
{
	acct_u128 used = u->end_value - u->start_value;

	return u->start_value +
	       (uint64_t)(used * (uint64_t)(at_ns - u->start_ns) /
			  (uint64_t)(u->end_ns - u->start_ns));
}

bool acct_usage_clip(enum acct_meter meter, const struct acct_usage *u,
		     const struct acct_window *w, struct acct_usage *out)
{
	bool level = acct_meter_info(meter)->level;

	if (!acct_window_touches(w, u->start_ns, u->end_ns))
		return false;
	*out = *u;
	if (w->from_ns > u->start_ns) {
		out->start_ns = w->from_ns;
		out->flags &= ~(uint32_t)ACCT_RESET;
		if (!level) {
			out->start_value = value_at(u, w->from_ns);
			out->flags |= ACCT_START_COMPUTED;
		}
	}
	if (w->to_ns < u->end_ns) {
		out->end_ns = w->to_ns;
		out->flags &= ~(uint32_t)(ACCT_FINAL | ACCT_UNREAD);
		/* A level is in force to the end of what it was cut from. */
		out->end_value = level ? u->start_value : value_at(u, w->to_ns);
		if (level)
			out->flags &= ~(uint32_t)ACCT_END_COMPUTED;
		else
			out->flags |= ACCT_END_COMPUTED;
	}
	return true;
}

const char *acct_usage_wrong(enum acct_meter meter, const struct acct_usage *u)
{
	const struct acct_meter_info *info = acct_meter_info(meter);

	if (!info)
		return "no such meter";
	if (u->start_ns < 0 || u->end_ns < u->start_ns)
		return "its interval ends before it starts";
	if (u->start_value > ACCT_VALUE_MAX || u->end_value > ACCT_VALUE_MAX)
		return "a value is out of range";
	if (!info->level && u->end_value < u->start_value)
		return "its counter goes back";
	if (u->flags & ~(uint32_t)ACCT_FLAGS)
		return "it has unknown flags";
	if (u->flags & ACCT_CLOCK_BACK && u->start_ns != u->end_ns)
		return "its clock went back, and yet time passed";
	if (u->flags & ACCT_RESET && (info->level || u->start_value))
		return "its counter was reset, and yet does not start at 0";
	return NULL;
}
