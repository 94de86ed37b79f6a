/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger to test with, in memory or in a file, short ways to use it that fail
 * the test when they fail, and random numbers that are the same every time. */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include "unit.h"

/* After cmocka's. */
#include <sqlite3.h>

#include "explain.h"
#include "ledger.h"
#include "statement.h"
#include "store_sqlite.h"
#include "verify.h"

#define SECOND INT64_C(1000000000)
#define HOUR (3600 * SECOND)
/* 2026-11-01T00:00:00Z */
#define NOVEMBER (INT64_C(1793491200) * SECOND)

struct world {
	sqlite3 *db;
	struct acct_store *store;
	uint64_t seed;
};

extern const struct acct_ledger_info world_info;

/* path NULL: in memory. */
void world_open(struct world *w, const char *path);
void world_close(struct world *w);

/* 36000 for an hour of a CPU, 5000 for a GiB-hour of memory, and so on, times
 * factor. */
struct acct_tariff world_tariff(uint32_t version, int64_t from_ns,
				int64_t factor);
void world_publish(struct world *w, uint32_t version, int64_t from_ns,
		   int64_t factor);

struct acct_source world_source(const char *domain, uint64_t incarnation,
				enum acct_meter meter, uint32_t device);
void world_begin(struct world *w, const struct acct_source *s,
		 const char *account, int64_t at_ns, uint64_t value);
void world_read(struct world *w, const struct acct_source *s, int64_t at_ns,
		uint64_t value, bool final);

/* Row number seq, which is there. */
struct acct_entry world_row(struct world *w, uint64_t seq);
uint64_t world_rows(struct world *w);
/* One number of one row. */
int64_t world_ask(struct world *w, const char *sql);
void world_run(struct world *w, const char *sql);

/* The chain and all else are right; returns the total. */
int64_t world_verify(struct world *w);

/* A random life: accounts acme and zeta, domains db, web, mail and batch, three
 * tariffs, corrections, clocks and counters that go back. */
void world_live(struct world *w, uint64_t seed);

uint64_t world_random(struct world *w, uint64_t below);

#endif
