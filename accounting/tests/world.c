// SPDX-License-Identifier: Apache-2.0
/* See world.h. */
#include "world.h"

#define GIB (INT64_C(1) << 30)

const struct acct_ledger_info world_info = { "node-1", "EUR" };

void world_open(struct world *w, const char *path)
{
	struct acct_error err;

	assert_int_equal(sqlite3_open(path ? path : ":memory:", &w->db),
			 SQLITE_OK);
	if (acct_sqlite_open(w->db, &world_info, &w->store, &err))
		fail_msg("%s", err.message);
	w->seed = 1;
}

void world_close(struct world *w)
{
	acct_sqlite_close(w->store);
	assert_int_equal(sqlite3_close(w->db), SQLITE_OK);
}

struct acct_tariff world_tariff(uint32_t version, int64_t from_ns,
				int64_t factor)
{
	struct acct_tariff t = {
		.version = version,
		.name = "standard",
		.currency = "EUR",
		.effective_from_ns = from_ns,
		.prices = {
			[ACCT_VCPU] = { 36000 * factor, HOUR },
			[ACCT_MEMORY] = { 4999 * factor, GIB * 3600 },
			[ACCT_DISK] = { 101 * factor, GIB * 3600 },
			[ACCT_READ_REQUESTS] = { 50000 * factor, 1000000 },
			[ACCT_WRITE_REQUESTS] = { 70000 * factor, 1000000 },
			[ACCT_NET_SENT] = { 90000 * factor, 1000000000 },
		},
	};

	return t;
}

void world_publish(struct world *w, uint32_t version, int64_t from_ns,
		   int64_t factor)
{
	struct acct_tariff t = world_tariff(version, from_ns, factor);
	struct acct_error err;

	if (acct_ledger_publish(w->store, &t, from_ns, &err))
		fail_msg("%s", err.message);
}

struct acct_source world_source(const char *domain, uint64_t incarnation,
				enum acct_meter meter, uint32_t device)
{
	struct acct_source s = { .incarnation = incarnation,
				 .meter = meter,
				 .device = device };

	snprintf(s.domain, sizeof(s.domain), "%s", domain);
	return s;
}

void world_begin(struct world *w, const struct acct_source *s,
		 const char *account, int64_t at_ns, uint64_t value)
{
	struct acct_reading r = { at_ns, value };
	struct acct_error err;

	if (acct_ledger_open(w->store, s, account, &r, &err))
		fail_msg("%s", err.message);
}

void world_read(struct world *w, const struct acct_source *s, int64_t at_ns,
		uint64_t value, bool final)
{
	struct acct_reading r = { at_ns, value };
	struct acct_error err;

	if (acct_ledger_read(w->store, s, &r, final, &err))
		fail_msg("%s", err.message);
}

struct acct_entry world_row(struct world *w, uint64_t seq)
{
	struct acct_entry e = { 0 };
	struct acct_error err;

	if (w->store->ops->next(w->store, seq - 1, &e, &err) != 1 ||
	    e.seq != seq)
		fail_msg("no row %d", (int)seq);
	return e;
}

uint64_t world_rows(struct world *w)
{
	struct acct_head head;
	struct acct_error err;

	if (w->store->ops->head(w->store, &head, &err))
		fail_msg("%s", err.message);
	return head.seq;
}

int64_t world_ask(struct world *w, const char *sql)
{
	sqlite3_stmt *s;
	int64_t result;

	if (sqlite3_prepare_v2(w->db, sql, -1, &s, NULL) ||
	    sqlite3_step(s) != SQLITE_ROW)
		fail_msg("%s: %s", sql, sqlite3_errmsg(w->db));
	result = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return result;
}

void world_run(struct world *w, const char *sql)
{
	if (sqlite3_exec(w->db, sql, NULL, NULL, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(w->db));
}

int64_t world_verify(struct world *w)
{
	struct acct_verdict v;
	struct acct_error err;

	if (acct_verify(w->store, NULL, &v, &err))
		fail_msg("%s", err.message);
	if (!v.good)
		fail_msg("row %d: %s", (int)v.bad_seq, v.what);
	assert_int_equal(v.head.seq, world_rows(w));
	return v.total_micro;
}

/* xorshift64* */
uint64_t world_random(struct world *w, uint64_t below)
{
	w->seed ^= w->seed >> 12;
	w->seed ^= w->seed << 25;
	w->seed ^= w->seed >> 27;
	return (uint64_t)(((acct_u128)(w->seed * 0x2545f4914f6cdd1d) * below) >>
			  64);
}
