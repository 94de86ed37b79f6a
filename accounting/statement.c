// SPDX-License-Identifier: Apache-2.0
/* See statement.h. */
#include "statement.h"

#include <inttypes.h>
#include <string.h>

struct making {
	const struct acct_window *window;
	acct_line_seen seen;
	void *context;
	struct acct_statement *out;
	struct acct_line line; /* being made; entries 0: none */
};

static int add(int64_t *sum, int64_t amount, struct acct_error *err)
{
	if (__builtin_add_overflow(*sum, amount, sum))
		return acct_fail(err, ACCT_OVERFLOW,
				 "a sum is beyond 2^63 - 1 micro-units");
	return 0;
}

/* The line's own arithmetic has to give what its rows sum to. */
static int check_line(struct acct_line *line, struct acct_error *err)
{
	enum acct_meter meter = line->source.meter;
	struct acct_charge charge;

	line->used = acct_usage_quantity(meter, &line->usage);
	if (acct_rate(meter, &line->usage, &line->price, line->carry_in,
		      &charge, err))
		return -1;
	if (charge.amount_micro != line->amount_micro ||
	    charge.carry_out != line->carry_out)
		return acct_fail(err, ACCT_CORRUPT,
				 "rows %" PRIu64 " to %" PRIu64
				 " of %s do not sum to their line",
				 line->first_seq, line->last_seq,
				 line->source.domain);
	return 0;
}

static int end_line(struct making *m, struct acct_error *err)
{
	struct acct_line *line = &m->line;
	struct acct_statement *out = m->out;

	if (!line->entries)
		return 0;
	if (line->kind == ACCT_USAGE) {
		struct acct_sum *sum = &out->meters[line->source.meter];

		if (check_line(line, err) ||
		    add(&sum->amount_micro, line->amount_micro, err))
			return -1;
		if (__builtin_add_overflow(sum->used, line->used, &sum->used))
			return acct_fail(err, ACCT_OVERFLOW,
					 "a quantity is beyond 2^128 - 1");
	} else if (add(&out->adjustments_micro, line->amount_micro, err)) {
		return -1;
	}
	if (add(&out->total_micro, line->amount_micro, err))
		return -1;
	out->lines++;
	out->entries += line->entries;
	if (m->seen && m->seen(m->context, line, err))
		return -1;
	line->entries = 0;
	return 0;
}

/* Whether the row goes on where the line ends, at the same price, so that one
 * line of arithmetic is right for both. A counter that started again does not:
 * it starts at 0, and was more before. */
static bool goes_on(const struct acct_line *line, const struct acct_entry *e)
{
	return line->entries && line->kind == ACCT_USAGE &&
	       e->kind == ACCT_USAGE &&
	       acct_source_equal(&line->source, &e->source) &&
	       !strcmp(line->account, e->account) &&
	       line->tariff == e->tariff &&
	       line->price.micro == e->price.micro &&
	       line->price.per == e->price.per &&
	       line->carry_out == e->carry_in &&
	       line->usage.end_ns == e->usage.start_ns &&
	       line->usage.end_value == e->usage.start_value &&
	       (!acct_meter_info(e->source.meter)->level ||
		line->usage.start_value == e->usage.start_value);
}

static void begin_line(struct acct_line *line, const struct acct_entry *e)
{
	*line = (struct acct_line){
		.kind = e->kind,
		.source = e->source,
		.usage = e->usage,
		.tariff = e->tariff,
		.price = e->price,
		.carry_in = e->carry_in,
		.carry_out = e->carry_out,
		.amount_micro = e->amount_micro,
		.first_seq = e->seq,
		.last_seq = e->seq,
		.entries = 1,
		.refers_to = e->refers_to,
	};
	memcpy(line->account, e->account, sizeof(line->account));
	memcpy(line->note, e->note, sizeof(line->note));
}

/* Flags of the start are the first row's, flags of the end the last one's; that
 * a clock went back in between stays known. */
static void extend_line(struct acct_line *line, const struct acct_entry *e)
{
	line->usage.flags =
		(line->usage.flags &
		 (ACCT_RESET | ACCT_START_COMPUTED | ACCT_CLOCK_BACK)) |
		(e->usage.flags & ~(uint32_t)ACCT_START_COMPUTED);
	line->usage.end_ns = e->usage.end_ns;
	line->usage.end_value = e->usage.end_value;
	line->carry_out = e->carry_out;
	line->last_seq = e->seq;
	line->entries++;
}

/* Reduces the row to what of it is in the window: the usage, and the amount by
 * the rule by which it would have been two rows. */
static int clip(const struct acct_window *w, struct acct_entry *e,
		struct acct_error *err)
{
	enum acct_meter meter = e->source.meter;
	struct acct_window earlier = { e->usage.start_ns, w->from_ns };
	struct acct_usage whole = e->usage, before;
	struct acct_charge charge;

	if (earlier.to_ns > earlier.from_ns &&
	    acct_usage_clip(meter, &whole, &earlier, &before)) {
		if (acct_rate(meter, &before, &e->price, e->carry_in, &charge,
			      err))
			return -1;
		e->carry_in = charge.carry_out;
	}
	if (!acct_usage_clip(meter, &whole, w, &e->usage))
		return acct_fail(err, ACCT_CORRUPT,
				 "row %" PRIu64 " is outside the window",
				 e->seq);
	if (acct_rate(meter, &e->usage, &e->price, e->carry_in, &charge, err))
		return -1;
	e->amount_micro = charge.amount_micro;
	e->carry_out = charge.carry_out;
	return 0;
}

static int add_entry(void *context, const struct acct_entry *entry,
		     struct acct_error *err)
{
	struct making *m = context;
	struct acct_entry e = *entry;
	const char *wrong = acct_entry_wrong(&e);

	if (wrong)
		return acct_fail(err, ACCT_CORRUPT, "row %" PRIu64 ": %s",
				 e.seq, wrong);
	if (e.kind == ACCT_USAGE && clip(m->window, &e, err))
		return -1;
	if (goes_on(&m->line, &e)) {
		if (add(&m->line.amount_micro, e.amount_micro, err))
			return -1;
		extend_line(&m->line, &e);
		return 0;
	}
	if (end_line(m, err))
		return -1;
	begin_line(&m->line, &e);
	return 0;
}

/* The last row that the statement is about. */
static int find_head(struct acct_store *store, uint64_t last_seq,
		     struct acct_head *out, struct acct_error *err)
{
	struct acct_entry e;
	int found;

	if (!last_seq)
		return store->ops->head(store, out, err);
	found = store->ops->next(store, last_seq - 1, &e, err);
	if (found < 0)
		return -1;
	if (!found || e.seq != last_seq)
		return acct_fail(err, ACCT_NOT_FOUND, "no row %" PRIu64,
				 last_seq);
	out->seq = e.seq;
	memcpy(out->hash, e.hash, sizeof(out->hash));
	return 0;
}

int acct_statement(struct acct_store *store, const struct acct_query *query,
		   acct_line_seen seen, void *context,
		   struct acct_statement *out, struct acct_error *err)
{
	struct acct_query q = *query;
	struct making m = { .window = &q.window,
			    .seen = seen,
			    .context = context,
			    .out = out };

	*out = (struct acct_statement){ 0 };
	if (q.window.from_ns < 0 || q.window.to_ns < q.window.from_ns)
		return acct_fail(err, ACCT_INVALID, "no window of time");
	if (find_head(store, q.last_seq, &out->head, err))
		return -1;
	q.last_seq = out->head.seq;
	if (store->ops->select(store, &q, add_entry, &m, err))
		return -1;
	return end_line(&m, err);
}
