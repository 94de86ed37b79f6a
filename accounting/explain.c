// SPDX-License-Identifier: Apache-2.0
/* See explain.h. */
#include "explain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define MICRO 1000000

/* The longest line: 4 identifiers or a note, 12 numbers, and words. */
struct text {
	char *at;
	size_t room;
};

static void __attribute__((format(printf, 2, 3)))
put(struct text *t, const char *format, ...)
{
	va_list ap;
	int length;

	va_start(ap, format);
	length = vsnprintf(t->at, t->room, format, ap);
	va_end(ap);
	if ((size_t)length >= t->room)
		length = (int)t->room - 1;
	t->at += length;
	t->room -= (size_t)length;
}

const char *acct_amount_text(int64_t micro, char text[ACCT_AMOUNT_TEXT])
{
	uint64_t size = micro < 0 ? ~(uint64_t)micro + 1 : (uint64_t)micro;

	snprintf(text, ACCT_AMOUNT_TEXT, "%s%" PRIu64 ".%06" PRIu64,
		 micro < 0 ? "-" : "", size / MICRO, size % MICRO);
	return text;
}

static void put_reading(struct text *t, const struct acct_line *line,
			bool first)
{
	const struct acct_usage *u = &line->usage;
	uint32_t computed = first ? ACCT_START_COMPUTED : ACCT_END_COMPUTED;
	const char *how = " read";
	char at[ACCT_TIME_TEXT];

	if (u->flags & computed)
		how = " in proportion to time";
	else if (first && u->flags & ACCT_RESET)
		how = " as the counter had started again";
	else if (!first && u->flags & ACCT_UNREAD)
		how = " still, its last value unread";
	put(t, "  %" PRIu64 " %s%s at %s%s\n",
	    first ? u->start_value : u->end_value,
	    acct_meter_info(line->source.meter)->unit, how,
	    acct_time_text(first ? u->start_ns : u->end_ns, at),
	    !first && u->flags & ACCT_FINAL ? ", the last" : "");
}

static void put_used(struct text *t, const struct acct_line *line)
{
	const struct acct_usage *u = &line->usage;
	const struct acct_meter_info *info =
		acct_meter_info(line->source.meter);
	char used[ACCT_U128_TEXT], from[ACCT_TIME_TEXT], to[ACCT_TIME_TEXT];

	if (u->flags & ACCT_CLOCK_BACK)
		put(t, "  the clock went back meanwhile\n");
	if (info->level) {
		put(t, "  %" PRIu64 " %s from %s to %s%s\n", u->start_value,
		    info->unit, acct_time_text(u->start_ns, from),
		    acct_time_text(u->end_ns, to),
		    u->flags & ACCT_UNREAD ? ", its end unread" : "");
		put(t, "  used: %" PRIu64 " x %" PRId64 " ns = %s %s\n",
		    u->start_value, u->end_ns - u->start_ns,
		    acct_u128_text(line->used, used), info->used_unit);
		return;
	}
	put_reading(t, line, true);
	put_reading(t, line, false);
	put(t, "  used: %" PRIu64 " - %" PRIu64 " = %s %s\n", u->end_value,
	    u->start_value, acct_u128_text(line->used, used), info->used_unit);
}

static void put_money(struct text *t, const struct acct_line *line,
		      const char *currency)
{
	const struct acct_meter_info *info =
		acct_meter_info(line->source.meter);
	char used[ACCT_U128_TEXT], carry[ACCT_U128_TEXT];
	char divisor[ACCT_U128_TEXT], rest[ACCT_U128_TEXT];
	char amount[ACCT_AMOUNT_TEXT];

	if (!line->tariff) {
		put(t, "  no tariff was in force: nothing to pay\n");
		return;
	}
	if (!line->price.per) {
		put(t, "  tariff %" PRIu32 " has no price for it\n",
		    line->tariff);
		return;
	}
	put(t, "  tariff %" PRIu32 ": %s %s for %" PRId64 " %s\n", line->tariff,
	    acct_amount_text(line->price.micro, amount), currency,
	    line->price.per, info->priced_unit);
	put(t,
	    "  (%s x %" PRId64 " + %s carried) / %s = %" PRId64
	    ", %s carried on\n",
	    acct_u128_text(line->used, used), line->price.micro,
	    acct_u128_text(line->carry_in, carry),
	    acct_u128_text(acct_divisor(line->source.meter, &line->price),
			   divisor),
	    line->amount_micro, acct_u128_text(line->carry_out, rest));
}

const char *acct_line_text(const struct acct_line *line,
			   const struct acct_ledger_info *info,
			   char text[ACCT_LINE_TEXT])
{
	struct text t = { text, ACCT_LINE_TEXT };
	char amount[ACCT_AMOUNT_TEXT], at[ACCT_TIME_TEXT];

	acct_amount_text(line->amount_micro, amount);
	if (line->kind == ACCT_ADJUSTMENT) {
		put(&t, "adjustment%s%s: %s %s\n",
		    *line->source.domain ? " " : "", line->source.domain,
		    amount, info->currency);
		put(&t, "  at %s: %s\n",
		    acct_time_text(line->usage.start_ns, at), line->note);
		if (line->refers_to)
			put(&t, "  corrects row %" PRIu64 "\n",
			    line->refers_to);
		put(&t, "  ledger row %" PRIu64 "\n", line->first_seq);
		return text;
	}
	put(&t, "%s %" PRIu32 " of %s, incarnation %" PRIu64 ": %s %s\n",
	    acct_meter_info(line->source.meter)->name, line->source.device,
	    line->source.domain, line->source.incarnation, amount,
	    info->currency);
	put_used(&t, line);
	put_money(&t, line, info->currency);
	put(&t,
	    "  ledger rows %" PRIu64 " to %" PRIu64 ", %" PRIu64
	    " of this source\n",
	    line->first_seq, line->last_seq, line->entries);
	return text;
}
