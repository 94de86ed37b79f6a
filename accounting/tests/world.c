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

void world_live(struct world *w, uint64_t seed)
{
	static const char *const accounts[] = { "acme", "zeta" };
	static const char *const domains[] = { "db", "web", "mail", "batch" };
	struct world random = { .seed = seed };
	uint64_t values[4][ACCT_METERS] = { 0 };
	int64_t at[4][ACCT_METERS] = { 0 };
	struct acct_error err;

	world_publish(w, 1, NOVEMBER, 1);
	world_publish(w, 2, NOVEMBER + 20 * HOUR, 3);
	world_publish(w, 3, NOVEMBER + 33 * HOUR + 7, 2);
	for (int i = 0; i < 600; i++) {
		unsigned int d = (unsigned int)world_random(&random, 4);
		unsigned int m = 1 + (unsigned int)world_random(
					     &random, ACCT_METERS - 1);
		struct acct_source s =
			world_source(domains[d], 1, (enum acct_meter)m, 0);
		struct acct_adjustment a = {
			.account = accounts[d % 2],
			.domain = domains[d],
			.at_ns = NOVEMBER + i * HOUR / 10,
			.amount_micro =
				(int64_t)world_random(&random, 999) - 500,
			.note = "at random",
		};

		if (!at[d][m]) {
			at[d][m] = NOVEMBER;
			world_begin(w, &s, accounts[d % 2], NOVEMBER, 0);
			continue;
		}
		if (!world_random(&random, 30))
			assert_int_equal(acct_ledger_adjust(w->store, &a, &err),
					 0);
		/* Clocks and counters go back now and then. */
		at[d][m] += (int64_t)world_random(&random, 6 * HOUR) - HOUR / 2;
		if (at[d][m] < NOVEMBER)
			at[d][m] = NOVEMBER;
		values[d][m] =
			world_random(&random, 20)
				? values[d][m] + world_random(&random, HOUR)
				: world_random(&random, HOUR);
		world_read(w, &s, at[d][m], values[d][m], false);
	}
}
