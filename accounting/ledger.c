// SPDX-License-Identifier: Apache-2.0
/* See ledger.h. */
#include "ledger.h"

#include <inttypes.h>
#include <string.h>

/* Ends what begin() began, for better or worse. */
static int finish(struct acct_store *store, int result, struct acct_error *err)
{
	if (!result)
		result = store->ops->commit(store, err);
	if (result)
		store->ops->rollback(store);
	return result;
}

static int append(struct acct_store *store, struct acct_entry *e,
		  struct acct_error *err)
{
	struct acct_head head;
	const char *wrong = acct_entry_wrong(e);

	if (wrong)
		return acct_fail(err, ACCT_INVALID, "refused: %s", wrong);
	if (store->ops->head(store, &head, err))
		return -1;
	e->seq = head.seq + 1;
	acct_entry_hash(e, head.hash, e->hash);
	return store->ops->append(store, e, err);
}

/* ---- tariffs ---- */

static int publish(struct acct_store *store, const struct acct_tariff *t,
		   int64_t at_ns, struct acct_error *err)
{
	struct acct_entry e = { .kind = ACCT_TARIFF, .tariff = t->version };
	struct acct_tariff newest;
	uint8_t hash[ACCT_HASH_BYTES], old[ACCT_HASH_BYTES];
	int64_t metered_ns;
	int found = store->ops->get_tariff(store, 0, &newest, err);

	if (found < 0)
		return -1;
	acct_tariff_hash(t, hash);
	if (found && t->version == newest.version) {
		acct_tariff_hash(&newest, old);
		if (!memcmp(hash, old, sizeof(hash)))
			return 0;
	}
	if (t->version != (found ? newest.version + 1 : 1))
		return acct_fail(err, ACCT_EXISTS,
				 "tariff %" PRIu32 ": the next is %" PRIu32,
				 t->version, found ? newest.version + 1 : 1);
	if (found && t->effective_from_ns <= newest.effective_from_ns)
		return acct_fail(err, ACCT_INVALID,
				 "tariff %" PRIu32
				 ": has to take effect after version %" PRIu32,
				 t->version, newest.version);
	if (store->ops->latest_ns(store, &metered_ns, err))
		return -1;
	if (t->effective_from_ns <= metered_ns)
		return acct_fail(err, ACCT_INVALID,
				 "tariff %" PRIu32
				 ": the ledger already has what was at "
				 "%" PRId64 " ns",
				 t->version, metered_ns);
	e.usage.start_ns = e.usage.end_ns = at_ns;
	acct_hash_text(hash, e.note);
	if (store->ops->put_tariff(store, t, err))
		return -1;
	return append(store, &e, err);
}

int acct_ledger_publish(struct acct_store *store, const struct acct_tariff *t,
			int64_t at_ns, struct acct_error *err)
{
	if (acct_tariff_check(t, err))
		return -1;
	if (strcmp(t->currency, store->info.currency))
		return acct_fail(err, ACCT_INVALID,
				 "tariff %" PRIu32
				 " is in %s and the ledger in %s",
				 t->version, t->currency, store->info.currency);
	if (store->ops->begin(store, err))
		return -1;
	return finish(store, publish(store, t, at_ns, err), err);
}

/* ---- usage ---- */

/* Appends a usage of the source whose last row that is: a row for each tariff
 * in force meanwhile. Returns with *last the last row of these. */
static int post(struct acct_store *store, struct acct_entry *last,
		const struct acct_usage *whole, struct acct_error *err)
{
	enum acct_meter meter = last->source.meter;
	struct acct_window w = { .from_ns = whole->start_ns };
	struct acct_price_at at;
	struct acct_charge charge;

	do {
		struct acct_entry e = { .kind = ACCT_USAGE,
					.source = last->source };

		memcpy(e.account, last->account, sizeof(e.account));
		if (store->ops->price_at(store, meter, w.from_ns, &at, err))
			return -1;
		w.to_ns = at.until_ns;
		/* A moment at the end of time is in no window. */
		if (!acct_usage_clip(meter, whole, &w, &e.usage))
			return acct_fail(err, ACCT_INVALID,
					 "time %" PRId64 " out of range",
					 w.from_ns);
		e.tariff = at.version;
		e.price = at.price;
		e.carry_in =
			last->kind == ACCT_USAGE && last->tariff == at.version
				? last->carry_out
				: acct_first_carry(meter, &at.price);
		if (acct_rate(meter, &e.usage, &e.price, e.carry_in, &charge,
			      err))
			return -1;
		e.amount_micro = charge.amount_micro;
		e.carry_out = charge.carry_out;
		if (append(store, &e, err))
			return -1;
		*last = e;
		w.from_ns = w.to_ns;
	} while (last->usage.end_ns < whole->end_ns);
	return 0;
}

static int not_open(const struct acct_source *s, const char *why,
		    enum acct_error_code code, struct acct_error *err)
{
	return acct_fail(err, code,
			 "%s, incarnation %" PRIu64 ", %s %" PRIu32 ": %s",
			 s->domain, s->incarnation,
			 acct_meter_info(s->meter)->name, s->device, why);
}

static bool same_reading(const struct acct_entry *last,
			 const struct acct_reading *r)
{
	return last->usage.end_ns == r->at_ns &&
	       last->usage.end_value == r->value;
}

static int read_source(struct acct_store *store, const struct acct_source *s,
		       const struct acct_reading *r, uint32_t flags,
		       struct acct_error *err)
{
	struct acct_entry last;
	struct acct_reading before;
	struct acct_usage usage;
	int found = store->ops->last_of(store, s, UINT64_MAX, &last, err);

	if (found < 0)
		return -1;
	if (!found)
		return not_open(s, "was never opened", ACCT_NOT_FOUND, err);
	if (same_reading(&last, r) &&
	    (last.usage.flags & ACCT_FINAL || !(flags & ACCT_FINAL)))
		return 0;
	if (last.usage.flags & ACCT_FINAL)
		return not_open(s, "has ended", ACCT_INVALID, err);
	before = (struct acct_reading){ last.usage.end_ns,
					last.usage.end_value };
	if (acct_usage_between(s->meter, &before, r, &usage, err))
		return -1;
	usage.flags |= flags;
	return post(store, &last, &usage, err);
}

static int check_source(const struct acct_source *s, struct acct_error *err)
{
	if (!acct_id_valid(s->domain) || s->incarnation > ACCT_VALUE_MAX ||
	    !acct_meter_info(s->meter))
		return acct_fail(err, ACCT_INVALID,
				 "no domain, incarnation or meter");
	return 0;
}

int acct_ledger_read(struct acct_store *store, const struct acct_source *s,
		     const struct acct_reading *r, bool final,
		     struct acct_error *err)
{
	if (check_source(s, err) || store->ops->begin(store, err))
		return -1;
	return finish(store,
		      read_source(store, s, r, final ? ACCT_FINAL : 0, err),
		      err);
}

/* Ends what is open of a domain, of incarnations first to last. A level that
 * nobody read the end of ends at_ns, or, if that is negative, where it was last
 * read. */
static int end_sources(struct acct_store *store, const char *domain,
		       uint64_t first, uint64_t last_one, int64_t at_ns,
		       struct acct_error *err)
{
	struct acct_source s = { .incarnation = first };
	struct acct_entry last;
	int found;

	memcpy(s.domain, domain, strlen(domain) + 1);
	while ((found = store->ops->next_source(store, &s, &s, err)) > 0 &&
	       s.incarnation <= last_one) {
		struct acct_reading r;
		uint32_t flags = ACCT_FINAL;

		if (store->ops->last_of(store, &s, UINT64_MAX, &last, err) < 0)
			return -1;
		if (last.usage.flags & ACCT_FINAL)
			continue;
		r.at_ns = at_ns < 0 ? last.usage.end_ns : at_ns;
		r.value = last.usage.end_value;
		if (at_ns < 0 || !acct_meter_info(s.meter)->level)
			flags |= ACCT_UNREAD;
		if (read_source(store, &s, &r, flags, err))
			return -1;
	}
	return found < 0 ? -1 : 0;
}

int acct_ledger_close(struct acct_store *store, const char *domain,
		      int64_t at_ns, struct acct_error *err)
{
	if (!acct_id_valid(domain) || at_ns < 0)
		return acct_fail(err, ACCT_INVALID, "no domain or time");
	if (store->ops->begin(store, err))
		return -1;
	return finish(store,
		      end_sources(store, domain, 0, UINT64_MAX, at_ns, err),
		      err);
}

int acct_ledger_end(struct acct_store *store, const char *domain,
		    uint64_t incarnation, int64_t at_ns, struct acct_error *err)
{
	if (!acct_id_valid(domain) || incarnation > ACCT_VALUE_MAX || at_ns < 0)
		return acct_fail(err, ACCT_INVALID,
				 "no domain, incarnation or time");
	if (store->ops->begin(store, err))
		return -1;
	return finish(store,
		      end_sources(store, domain, incarnation, incarnation,
				  at_ns, err),
		      err);
}

int acct_ledger_abandon(struct acct_store *store, const char *domain,
			struct acct_error *err)
{
	if (!acct_id_valid(domain))
		return acct_fail(err, ACCT_INVALID, "no domain");
	if (store->ops->begin(store, err))
		return -1;
	return finish(store, end_sources(store, domain, 0, UINT64_MAX, -1, err),
		      err);
}

static int open_source(struct acct_store *store, const struct acct_source *s,
		       const char *account, const struct acct_reading *r,
		       struct acct_error *err)
{
	struct acct_entry e = { .kind = ACCT_OPEN, .source = *s }, last;
	uint64_t newest = 0;
	int found = store->ops->newest(store, s->domain, &newest, err);

	if (found < 0)
		return -1;
	if (found && s->incarnation && newest > s->incarnation)
		return not_open(s, "there is a newer one", ACCT_INVALID, err);
	found = store->ops->last_of(store, s, UINT64_MAX, &last, err);
	if (found < 0)
		return -1;
	if (found && last.kind == ACCT_OPEN && same_reading(&last, r) &&
	    !strcmp(last.account, account))
		return 0;
	if (found && !(last.usage.flags & ACCT_FINAL))
		return not_open(s, "is open", ACCT_EXISTS, err);
	if (newest < s->incarnation &&
	    end_sources(store, s->domain, 1, newest, -1, err))
		return -1;
	memcpy(e.account, account, strlen(account) + 1);
	e.usage.start_ns = r->at_ns;
	/* The same device again, and a clock that went back meanwhile. */
	if (found && last.usage.end_ns > r->at_ns)
		e.usage.start_ns = last.usage.end_ns;
	e.usage.end_ns = e.usage.start_ns;
	e.usage.start_value = e.usage.end_value = r->value;
	return append(store, &e, err);
}

int acct_ledger_open(struct acct_store *store, const struct acct_source *s,
		     const char *account, const struct acct_reading *r,
		     struct acct_error *err)
{
	if (check_source(s, err))
		return -1;
	if (!acct_id_valid(account))
		return acct_fail(err, ACCT_INVALID, "no account");
	if (store->ops->begin(store, err))
		return -1;
	return finish(store, open_source(store, s, account, r, err), err);
}

/* ---- corrections ---- */

static int adjust(struct acct_store *store, const struct acct_adjustment *a,
		  struct acct_error *err)
{
	struct acct_entry e = { .kind = ACCT_ADJUSTMENT,
				.amount_micro = a->amount_micro,
				.refers_to = a->refers_to };
	struct acct_head head;

	if (store->ops->head(store, &head, err))
		return -1;
	if (a->refers_to > head.seq)
		return acct_fail(err, ACCT_NOT_FOUND, "no row %" PRIu64,
				 a->refers_to);
	memcpy(e.account, a->account, strlen(a->account) + 1);
	if (a->domain)
		memcpy(e.source.domain, a->domain, strlen(a->domain) + 1);
	memcpy(e.note, a->note, strlen(a->note) + 1);
	e.usage.start_ns = e.usage.end_ns = a->at_ns;
	return append(store, &e, err);
}

int acct_ledger_adjust(struct acct_store *store,
		       const struct acct_adjustment *a, struct acct_error *err)
{
	if (!acct_id_valid(a->account) ||
	    (a->domain && !acct_id_valid(a->domain)) ||
	    !acct_note_valid(a->note))
		return acct_fail(err, ACCT_INVALID,
				 "no account, domain or reason");
	if (store->ops->begin(store, err))
		return -1;
	return finish(store, adjust(store, a, err), err);
}
