// SPDX-License-Identifier: Apache-2.0
/* See verify.h. */
#include "verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct walk {
	struct acct_store *store;
	const struct acct_head *anchor;
	struct acct_verdict *out;
	struct acct_error *err;
	uint32_t newest;      /* tariff when the walk began */
	uint32_t tariffs;     /* published so far */
	int64_t effective_ns; /* of the last of them */
	int64_t latest_ns;    /* of what accounts have so far; 0: nothing */
};

/* Results of a check: go on, the row is bad, the store failed. */
enum { GOOD = 0, BAD = 1 };

static int bad(struct walk *w, uint64_t seq, const char *what)
{
	w->out->good = false;
	w->out->bad_seq = seq;
	snprintf(w->out->what, sizeof(w->out->what), "%s", what);
	return BAD;
}

/* Of a failed call of the store: corrupt is a finding, all else a failure. */
static int failed(struct walk *w, uint64_t seq)
{
	if (w->err->code != ACCT_CORRUPT)
		return -1;
	return bad(w, seq, w->err->message);
}

static int check_tariff(struct walk *w, const struct acct_entry *e)
{
	struct acct_tariff t;
	uint8_t hash[ACCT_HASH_BYTES];
	char text[ACCT_HASH_TEXT];
	int found;

	if (e->tariff != w->tariffs + 1)
		return bad(w, e->seq, "its tariff is not the next version");
	found = w->store->ops->get_tariff(w->store, e->tariff, &t, w->err);
	if (found < 0)
		return failed(w, e->seq);
	if (!found)
		return bad(w, e->seq, "its tariff is missing");
	if (acct_tariff_check(&t, w->err))
		return bad(w, e->seq, w->err->message);
	acct_tariff_hash(&t, hash);
	if (strcmp(acct_hash_text(hash, text), e->note) != 0)
		return bad(w, e->seq, "its tariff is not the one published");
	if (strcmp(t.currency, w->store->info.currency) != 0)
		return bad(w, e->seq, "its tariff has another currency");
	if (t.effective_from_ns <= w->latest_ns ||
	    (w->tariffs && t.effective_from_ns <= w->effective_ns))
		return bad(w, e->seq, "its tariff takes effect too early");
	w->tariffs = e->tariff;
	w->effective_ns = t.effective_from_ns;
	return GOOD;
}

static int check_price(struct walk *w, const struct acct_entry *e)
{
	struct acct_price_at at;

	if (w->store->ops->price_at(w->store, e->source.meter,
				    e->usage.start_ns, &at, w->err))
		return failed(w, e->seq);
	if (e->tariff != at.version || e->usage.end_ns > at.until_ns)
		return bad(w, e->seq, "its tariff is not the one in force");
	if (e->tariff > w->tariffs)
		return bad(w, e->seq, "its tariff is not published yet");
	if (e->price.micro != at.price.micro || e->price.per != at.price.per)
		return bad(w, e->seq, "its price is not its tariff's");
	return GOOD;
}

/* Whether it goes on where the last row of its source ended. */
static int check_usage(struct walk *w, const struct acct_entry *e,
		       const struct acct_entry *last)
{
	const struct acct_usage *u = &e->usage;
	acct_u128 carry =
		last->kind == ACCT_USAGE && last->tariff == e->tariff
			? last->carry_out
			: acct_first_carry(e->source.meter, &e->price);

	if (strcmp(e->account, last->account) != 0)
		return bad(w, e->seq, "its account is not its source's");
	if (u->start_ns != last->usage.end_ns)
		return bad(w, e->seq,
			   "its interval does not start where the last ended");
	if (u->flags & ACCT_RESET ? u->end_value >= last->usage.end_value
				  : u->start_value != last->usage.end_value)
		return bad(w, e->seq,
			   "its values do not start where the last ended");
	if (e->carry_in != carry)
		return bad(w, e->seq, "its carry is not the last one's");
	return check_price(w, e);
}

static int check_source(struct walk *w, const struct acct_entry *e)
{
	struct acct_entry last;
	int found = w->store->ops->last_of(w->store, &e->source, e->seq, &last,
					   w->err);
	bool open;

	if (found < 0)
		return failed(w, e->seq);
	open = found && !(last.usage.flags & ACCT_FINAL);
	if (e->kind == ACCT_USAGE)
		return open ? check_usage(w, e, &last)
			    : bad(w, e->seq, "its source is not open");
	if (open)
		return bad(w, e->seq, "it opens a source that is open");
	if (found && e->usage.start_ns < last.usage.end_ns)
		return bad(w, e->seq, "it opens a source before its end");
	return GOOD;
}

static int check_row(struct walk *w, const struct acct_entry *e)
{
	struct acct_head *head = &w->out->head;
	uint8_t hash[ACCT_HASH_BYTES];
	const char *wrong;
	int result = GOOD;

	if (e->seq != head->seq + 1)
		return bad(w, head->seq + 1, "it is missing");
	acct_entry_hash(e, head->hash, hash);
	if (memcmp(hash, e->hash, sizeof(hash)) != 0)
		return bad(w, e->seq,
			   "its hash is not that of its fields and the row "
			   "before");
	wrong = acct_entry_wrong(e);
	if (wrong)
		return bad(w, e->seq, wrong);
	if (e->refers_to >= e->seq)
		return bad(w, e->seq, "it refers to a later row");
	if (e->kind == ACCT_TARIFF)
		result = check_tariff(w, e);
	else if (e->kind != ACCT_ADJUSTMENT)
		result = check_source(w, e);
	if (result)
		return result;
	if (__builtin_add_overflow(w->out->total_micro, e->amount_micro,
				   &w->out->total_micro))
		return bad(w, e->seq, "the total overflows");
	if (w->anchor && w->anchor->seq == e->seq &&
	    memcmp(w->anchor->hash, e->hash, sizeof(hash)) != 0)
		return bad(w, e->seq, "its hash is not the anchor's");
	if (e->kind != ACCT_TARIFF && e->usage.end_ns > w->latest_ns)
		w->latest_ns = e->usage.end_ns;
	head->seq = e->seq;
	memcpy(head->hash, e->hash, sizeof(hash));
	return GOOD;
}

static int check_end(struct walk *w)
{
	struct acct_tariff t;

	if (w->anchor && w->anchor->seq > w->out->head.seq)
		return bad(w, w->out->head.seq + 1,
			   "it is missing: the anchor is a later one");
	if (w->newest <= w->tariffs)
		return GOOD;
	if (w->store->ops->get_tariff(w->store, w->newest, &t, w->err) < 0)
		return failed(w, 0);
	return bad(w, 0, "there is a tariff that was not published");
}

static int walk_rows(struct walk *w)
{
	struct acct_entry e;
	int found, result;

	while ((found = w->store->ops->next(w->store, w->out->head.seq, &e,
					    w->err)) > 0) {
		result = check_row(w, &e);
		if (result)
			return result;
	}
	return found < 0 ? failed(w, w->out->head.seq + 1) : check_end(w);
}

/* The ledger may grow meanwhile; what is there now will have been walked. */
static int begin(struct walk *w)
{
	struct acct_tariff t = { 0 };

	if (w->store->ops->get_tariff(w->store, 0, &t, w->err) < 0 &&
	    w->err->code != ACCT_CORRUPT)
		return -1;
	w->newest = t.version;
	acct_genesis_hash(&w->store->info, w->out->head.hash);
	return 0;
}

int acct_verify(struct acct_store *store, const struct acct_head *anchor,
		struct acct_verdict *out, struct acct_error *err)
{
	struct walk w = {
		.store = store, .anchor = anchor, .out = out, .err = err
	};

	*out = (struct acct_verdict){ .good = true };
	if (begin(&w))
		return -1;
	return walk_rows(&w) < 0 ? -1 : 0;
}
