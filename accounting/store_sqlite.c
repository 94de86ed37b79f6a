// SPDX-License-Identifier: Apache-2.0
/* See store_sqlite.h. Each statement is prepared once, and reset as soon as its
 * answer was taken. 128-bit carries are decimal text. */
#include "store_sqlite.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite_schema.h"
#include "sqlite_statements.h"

struct sqlite_store {
	struct acct_store store;
	sqlite3 *db;
	sqlite3_stmt *prepared[STATEMENTS];
	bool nested; /* in a transaction of the caller's */
};

static struct sqlite_store *self(struct acct_store *store)
{
	return (struct sqlite_store *)store;
}

/* ---- one step of one statement ---- */

static sqlite3_stmt *get(struct acct_store *store, enum statement which)
{
	return self(store)->prepared[which];
}

static void done(sqlite3_stmt *s)
{
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
}

/* 1: there is a row, to be taken before done(); 0 and -1: it is done. */
static int step(struct acct_store *store, sqlite3_stmt *s,
		struct acct_error *err)
{
	int code = sqlite3_step(s);

	if (code == SQLITE_ROW)
		return 1;
	if (code != SQLITE_DONE) {
		acct_sqlite_failed(self(store)->db, "ledger", err);
		done(s);
		return -1;
	}
	done(s);
	return 0;
}

/* A statement without rows. */
static int run(struct acct_store *store, enum statement which,
	       struct acct_error *err)
{
	return step(store, get(store, which), err) ? -1 : 0;
}

/* Text and hashes are not copied: they outlive the statement's run, because
 * done() ends it and forgets them. So binding has nothing to fail at. */
static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
	sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

/* Integers are below 2^63 before they get here. */
static void bind(sqlite3_stmt *s, int at, uint64_t value)
{
	sqlite3_bind_int64(s, at, (sqlite3_int64)value);
}

/* ---- rows ---- */

static bool take_u64(sqlite3_stmt *s, int column, uint64_t *out)
{
	sqlite3_int64 value = sqlite3_column_int64(s, column);

	*out = (uint64_t)value;
	return value >= 0;
}

static bool take_u32(sqlite3_stmt *s, int column, uint32_t *out)
{
	sqlite3_int64 value = sqlite3_column_int64(s, column);

	*out = (uint32_t)value;
	return value >= 0 && value <= UINT32_MAX;
}

static bool take_u128(sqlite3_stmt *s, int column, acct_u128 *out)
{
	char text[ACCT_U128_TEXT];

	return sqlite_take_text(s, column, text, sizeof(text)) &&
	       acct_u128_parse(text, out);
}

/* Columns in the order of the statements. */
static int take_entry(sqlite3_stmt *s, struct acct_entry *e,
		      struct acct_error *err)
{
	uint32_t kind = 0, meter = 0;
	bool good;

	*e = (struct acct_entry){ 0 };
	good = take_u64(s, 0, &e->seq);
	good &= take_u32(s, 1, &kind);
	good &= sqlite_take_text(s, 2, e->account, sizeof(e->account));
	good &= sqlite_take_text(s, 3, e->source.domain,
				 sizeof(e->source.domain));
	good &= take_u64(s, 4, &e->source.incarnation);
	good &= take_u32(s, 5, &meter);
	good &= take_u32(s, 6, &e->source.device);
	good &= take_u32(s, 7, &e->usage.flags);
	e->usage.start_ns = sqlite3_column_int64(s, 8);
	e->usage.end_ns = sqlite3_column_int64(s, 9);
	good &= take_u64(s, 10, &e->usage.start_value);
	good &= take_u64(s, 11, &e->usage.end_value);
	good &= take_u32(s, 12, &e->tariff);
	e->price.micro = sqlite3_column_int64(s, 13);
	e->price.per = sqlite3_column_int64(s, 14);
	good &= take_u128(s, 15, &e->carry_in);
	good &= take_u128(s, 16, &e->carry_out);
	e->amount_micro = sqlite3_column_int64(s, 17);
	good &= take_u64(s, 18, &e->refers_to);
	good &= sqlite_take_text(s, 19, e->note, sizeof(e->note));
	good &= sqlite3_column_bytes(s, 20) == ACCT_HASH_BYTES;
	if (!good || kind > ACCT_ADJUSTMENT || meter >= ACCT_METERS)
		return acct_fail(err, ACCT_CORRUPT,
				 "row %lld: a field is not what it can be",
				 (long long)sqlite3_column_int64(s, 0));
	memcpy(e->hash, sqlite3_column_blob(s, 20), ACCT_HASH_BYTES);
	e->kind = kind;
	e->source.meter = meter;
	return 0;
}

/* The one row of a statement that is bound. */
static int find_entry(struct acct_store *store, sqlite3_stmt *s,
		      struct acct_entry *out, struct acct_error *err)
{
	int found = step(store, s, err);

	if (found <= 0)
		return found;
	if (take_entry(s, out, err))
		found = -1;
	done(s);
	return found;
}

/* ---- transactions ---- */

static int sqlite_begin(struct acct_store *store, struct acct_error *err)
{
	struct sqlite_store *me = self(store);

	me->nested = !sqlite3_get_autocommit(me->db);
	return run(store, me->nested ? SAVEPOINT : BEGIN, err);
}

static int sqlite_commit(struct acct_store *store, struct acct_error *err)
{
	return run(store, self(store)->nested ? RELEASE : COMMIT, err);
}

/* Some errors roll the whole transaction back by themselves; then there is
 * nothing left to do, and what says so is no news. */
static void sqlite_rollback(struct acct_store *store)
{
	struct acct_error ignored;

	if (sqlite3_get_autocommit(self(store)->db))
		return;
	if (!self(store)->nested)
		(void)run(store, ROLLBACK, &ignored);
	else if (!run(store, ROLLBACK_TO, &ignored))
		(void)run(store, RELEASE, &ignored);
}

/* ---- the ledger ---- */

static int sqlite_head(struct acct_store *store, struct acct_head *out,
		       struct acct_error *err)
{
	sqlite3_stmt *s = get(store, HEAD);
	int found = step(store, s, err), result = 0;

	if (found < 0)
		return -1;
	out->seq = 0;
	if (!found) {
		acct_genesis_hash(&store->info, out->hash);
		return 0;
	}
	if (!take_u64(s, 0, &out->seq) ||
	    sqlite3_column_bytes(s, 1) != ACCT_HASH_BYTES)
		result = acct_fail(err, ACCT_CORRUPT, "the last row's hash");
	else
		memcpy(out->hash, sqlite3_column_blob(s, 1), ACCT_HASH_BYTES);
	done(s);
	return result;
}

static int sqlite_append(struct acct_store *store, const struct acct_entry *e,
			 struct acct_error *err)
{
	sqlite3_stmt *s = get(store, APPEND);
	char in[ACCT_U128_TEXT], out[ACCT_U128_TEXT];

	bind(s, 1, e->seq);
	bind(s, 2, e->kind);
	bind_text(s, 3, e->account);
	bind_text(s, 4, e->source.domain);
	bind(s, 5, e->source.incarnation);
	bind(s, 6, e->source.meter);
	bind(s, 7, e->source.device);
	bind(s, 8, e->usage.flags);
	sqlite3_bind_int64(s, 9, e->usage.start_ns);
	sqlite3_bind_int64(s, 10, e->usage.end_ns);
	bind(s, 11, e->usage.start_value);
	bind(s, 12, e->usage.end_value);
	bind(s, 13, e->tariff);
	sqlite3_bind_int64(s, 14, e->price.micro);
	sqlite3_bind_int64(s, 15, e->price.per);
	bind_text(s, 16, acct_u128_text(e->carry_in, in));
	bind_text(s, 17, acct_u128_text(e->carry_out, out));
	sqlite3_bind_int64(s, 18, e->amount_micro);
	bind(s, 19, e->refers_to);
	bind_text(s, 20, e->note);
	sqlite3_bind_blob(s, 21, e->hash, ACCT_HASH_BYTES, SQLITE_STATIC);
	return run(store, APPEND, err);
}

static int sqlite_next(struct acct_store *store, uint64_t seq,
		       struct acct_entry *out, struct acct_error *err)
{
	sqlite3_stmt *s = get(store, NEXT);

	bind(s, 1, seq);
	return find_entry(store, s, out, err);
}

static int sqlite_last_of(struct acct_store *store,
			  const struct acct_source *source, uint64_t before_seq,
			  struct acct_entry *out, struct acct_error *err)
{
	sqlite3_stmt *s = get(store, LAST_OF);

	bind_text(s, 1, source->domain);
	bind(s, 2, source->incarnation);
	bind(s, 3, source->meter);
	bind(s, 4, source->device);
	bind(s, 5, before_seq > INT64_MAX ? INT64_MAX : before_seq);
	return find_entry(store, s, out, err);
}

static int sqlite_next_source(struct acct_store *store,
			      const struct acct_source *after,
			      struct acct_source *out, struct acct_error *err)
{
	sqlite3_stmt *s = get(store, NEXT_SOURCE);
	uint32_t meter;
	int found;

	bind_text(s, 1, after->domain);
	bind(s, 2, after->incarnation);
	bind(s, 3, after->meter);
	bind(s, 4, after->device);
	found = step(store, s, err);
	if (found <= 0)
		return found;
	memmove(out->domain, after->domain, sizeof(out->domain));
	if (!take_u64(s, 0, &out->incarnation) || !take_u32(s, 1, &meter) ||
	    !acct_meter_info(meter) || !take_u32(s, 2, &out->device)) {
		done(s);
		return acct_fail(err, ACCT_CORRUPT, "%s: a source of no meter",
				 after->domain);
	}
	out->meter = meter;
	done(s);
	return 1;
}

static int sqlite_newest(struct acct_store *store, const char *domain,
			 uint64_t *out, struct acct_error *err)
{
	sqlite3_stmt *s = get(store, NEWEST);
	int found;

	bind_text(s, 1, domain);
	found = step(store, s, err);
	if (found <= 0)
		return found;
	if (!take_u64(s, 0, out))
		found = acct_fail(err, ACCT_CORRUPT,
				  "%s: a negative incarnation", domain);
	done(s);
	return found;
}

static int sqlite_select(struct acct_store *store, const struct acct_query *q,
			 acct_entry_seen seen, void *context,
			 struct acct_error *err)
{
	sqlite3_stmt *s = get(store, q->account  ? SELECT_ACCOUNT
				     : q->domain ? SELECT_DOMAIN
						 : SELECT_ALL);
	struct acct_entry e;
	int found, result = 0;

	if (q->account)
		bind_text(s, 1, q->account);
	if (q->domain)
		bind_text(s, 2, q->domain);
	sqlite3_bind_int64(s, 3, q->window.from_ns);
	sqlite3_bind_int64(s, 4, q->window.to_ns);
	bind(s, 5, q->last_seq);
	while ((found = step(store, s, err)) > 0) {
		result = take_entry(s, &e, err);
		if (!result)
			result = seen(context, &e, err);
		if (result) {
			done(s);
			return result;
		}
	}
	return found;
}

static int sqlite_latest_ns(struct acct_store *store, int64_t *out,
			    struct acct_error *err)
{
	sqlite3_stmt *s = get(store, LATEST);

	if (step(store, s, err) <= 0)
		return -1;
	*out = sqlite3_column_int64(s, 0);
	done(s);
	return 0;
}

/* ---- tariffs ---- */

static int sqlite_put_tariff(struct acct_store *store,
			     const struct acct_tariff *t,
			     struct acct_error *err)
{
	sqlite3_stmt *s = get(store, PUT_TARIFF);

	bind(s, 1, t->version);
	bind_text(s, 2, t->name);
	bind_text(s, 3, t->currency);
	sqlite3_bind_int64(s, 4, t->effective_from_ns);
	if (run(store, PUT_TARIFF, err))
		return -1;
	s = get(store, PUT_PRICE);
	for (uint32_t m = 1; m < ACCT_METERS; m++) {
		if (!t->prices[m].per)
			continue;
		bind(s, 1, t->version);
		bind(s, 2, m);
		sqlite3_bind_int64(s, 3, t->prices[m].micro);
		sqlite3_bind_int64(s, 4, t->prices[m].per);
		if (run(store, PUT_PRICE, err))
			return -1;
	}
	return 0;
}

static int corrupt_tariff(uint32_t version, struct acct_error *err)
{
	return acct_fail(err, ACCT_CORRUPT,
			 "tariff %u: a field is not what it can be", version);
}

static int take_prices(struct acct_store *store, struct acct_tariff *out,
		       struct acct_error *err)
{
	sqlite3_stmt *s = get(store, GET_PRICES);
	int found;

	bind(s, 1, out->version);
	while ((found = step(store, s, err)) > 0) {
		uint32_t meter;

		if (!take_u32(s, 0, &meter) || !acct_meter_info(meter)) {
			done(s);
			return corrupt_tariff(out->version, err);
		}
		out->prices[meter].micro = sqlite3_column_int64(s, 1);
		out->prices[meter].per = sqlite3_column_int64(s, 2);
	}
	return found;
}

static int sqlite_get_tariff(struct acct_store *store, uint32_t version,
			     struct acct_tariff *out, struct acct_error *err)
{
	sqlite3_stmt *s = get(store, GET_TARIFF);
	bool good;
	int found;

	*out = (struct acct_tariff){ 0 };
	bind(s, 1, version);
	found = step(store, s, err);
	if (found <= 0)
		return found;
	good = take_u32(s, 0, &out->version);
	good &= sqlite_take_text(s, 1, out->name, sizeof(out->name));
	good &= sqlite_take_text(s, 2, out->currency, sizeof(out->currency));
	out->effective_from_ns = sqlite3_column_int64(s, 3);
	done(s);
	if (!good)
		return corrupt_tariff(out->version, err);
	return take_prices(store, out, err) ? -1 : 1;
}

static int sqlite_price_at(struct acct_store *store, enum acct_meter meter,
			   int64_t at_ns, struct acct_price_at *out,
			   struct acct_error *err)
{
	sqlite3_stmt *s = get(store, TARIFF_AFTER);
	int found;

	*out = (struct acct_price_at){ .until_ns = ACCT_TIME_MAX };
	sqlite3_bind_int64(s, 1, at_ns);
	found = step(store, s, err);
	if (found < 0)
		return -1;
	if (found) {
		out->until_ns = sqlite3_column_int64(s, 0);
		done(s);
	}
	s = get(store, TARIFF_AT);
	sqlite3_bind_int64(s, 1, at_ns);
	found = step(store, s, err);
	if (found <= 0)
		return found;
	out->version = (uint32_t)sqlite3_column_int64(s, 0);
	done(s);
	s = get(store, PRICE);
	bind(s, 1, out->version);
	bind(s, 2, meter);
	found = step(store, s, err);
	if (found <= 0)
		return found;
	out->price.micro = sqlite3_column_int64(s, 0);
	out->price.per = sqlite3_column_int64(s, 1);
	done(s);
	return 0;
}

static const struct acct_store_ops sqlite_ops = {
	.begin = sqlite_begin,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.head = sqlite_head,
	.append = sqlite_append,
	.next = sqlite_next,
	.last_of = sqlite_last_of,
	.next_source = sqlite_next_source,
	.newest = sqlite_newest,
	.select = sqlite_select,
	.latest_ns = sqlite_latest_ns,
	.put_tariff = sqlite_put_tariff,
	.get_tariff = sqlite_get_tariff,
	.price_at = sqlite_price_at,
};

/* ---- opening ---- */

int acct_sqlite_open_existing(struct sqlite3 *db, struct acct_store **out,
			      struct acct_error *err)
{
	struct sqlite_store *me;
	int found = sqlite_schema_exists(db, err);

	if (found <= 0)
		return found ? -1
			     : acct_fail(err, ACCT_NOT_FOUND,
					 "there is no ledger");
	me = calloc(1, sizeof(*me));
	if (!me)
		return acct_fail(err, ACCT_STORE, "out of memory");
	me->store.ops = &sqlite_ops;
	me->db = db;
	if (sqlite_take_info(db, &me->store.info, err) ||
	    (!sqlite3_db_readonly(db, "main") && sqlite_set_durable(db, err)))
		goto close;
	for (int i = 0; i < STATEMENTS; i++)
		if (sqlite3_prepare_v3(db, sqlite_statements[i], -1,
				       SQLITE_PREPARE_PERSISTENT,
				       &me->prepared[i], NULL)) {
			acct_sqlite_failed(db, "ledger", err);
			goto close;
		}
	*out = &me->store;
	return 0;
close:
	acct_sqlite_close(&me->store);
	return -1;
}

int acct_sqlite_open(struct sqlite3 *db, const struct acct_ledger_info *info,
		     struct acct_store **out, struct acct_error *err)
{
	struct acct_store *store;
	int found = sqlite_schema_exists(db, err);

	if (found < 0)
		return -1;
	if (!found && (sqlite_set_durable(db, err) ||
		       sqlite_schema_create(db, info, err)))
		return -1;
	if (acct_sqlite_open_existing(db, &store, err))
		return -1;
	if (strcmp(store->info.id, info->id) != 0 ||
	    strcmp(store->info.currency, info->currency) != 0) {
		acct_sqlite_close(store);
		return acct_fail(err, ACCT_EXISTS,
				 "there is another ledger, or in another "
				 "currency");
	}
	*out = store;
	return 0;
}

void acct_sqlite_close(struct acct_store *store)
{
	if (!store)
		return;
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(self(store)->prepared[i]);
	free(self(store));
}
