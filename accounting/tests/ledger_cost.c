// SPDX-License-Identifier: Apache-2.0
/* ledger-cost FILE: what a row costs to append, to verify and to put on a
 * statement; one line of figures each. FILE is made anew. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "ledger.h"
#include "statement.h"
#include "store_sqlite.h"
#include "verify.h"

#define DOMAINS 1000
#define TICKS 20
#define TICK_NS INT64_C(60000000000)
#define START_NS INT64_C(1793491200000000000)

static struct acct_error err;

static void need(int result)
{
	if (!result)
		return;
	fprintf(stderr, "ledger-cost: %s\n", err.message);
	exit(1);
}

static void run(sqlite3 *db, const char *sql)
{
	if (!sqlite3_exec(db, sql, NULL, NULL, NULL))
		return;
	fprintf(stderr, "ledger-cost: %s\n", sqlite3_errmsg(db));
	exit(1);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void say(const char *what, int64_t wall_ns, int64_t cpu_ns,
		uint64_t rows)
{
	printf("%s: %" PRIu64 " rows, %" PRId64 " ns each, %" PRId64
	       " ns of them CPU\n",
	       what, rows,
	       (clock_ns(CLOCK_MONOTONIC) - wall_ns) / (int64_t)rows,
	       (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns) / (int64_t)rows);
}

/* One transaction: every domain's CPU, memory and traffic both ways. */
static void tick(struct acct_store *store, sqlite3 *db, int number)
{
	static const enum acct_meter meters[] = { ACCT_VCPU, ACCT_MEMORY,
						  ACCT_NET_SENT,
						  ACCT_NET_RECEIVED };

	run(db, "BEGIN IMMEDIATE");
	for (int d = 0; d < DOMAINS; d++)
		for (int m = 0; m < 4; m++) {
			struct acct_source s = { .incarnation = 1,
						 .meter = meters[m] };
			struct acct_reading r = { START_NS + number * TICK_NS,
						  meters[m] == ACCT_MEMORY
							  ? 1 << 30
							  : (uint64_t)number *
								    123456789 };
			char account[16];

			snprintf(s.domain, sizeof(s.domain), "domain-%d", d);
			snprintf(account, sizeof(account), "account-%d",
				 d / 10);
			need(number ? acct_ledger_read(store, &s, &r, false,
						       &err)
				    : acct_ledger_open(store, &s, account, &r,
						       &err));
		}
	run(db, "COMMIT");
}

int main(int argc, char **argv)
{
	struct acct_ledger_info info = { "node-1", "EUR" };
	struct acct_tariff t = {
		.version = 1,
		.name = "standard",
		.currency = "EUR",
		.effective_from_ns = START_NS,
		.prices = { [ACCT_VCPU] = { 36000, 60 * TICK_NS },
			    [ACCT_MEMORY] = { 4999, INT64_C(3600) << 30 },
			    [ACCT_NET_SENT] = { 90000, 1000000000 } },
	};
	struct acct_query q = { .account = "account-7",
				.window = { 0, ACCT_TIME_MAX } };
	struct acct_statement made;
	struct acct_verdict verdict;
	struct acct_store *store;
	int64_t wall, cpu;
	sqlite3 *db;

	if (argc != 2) {
		fprintf(stderr, "usage: ledger-cost FILE\n");
		return 2;
	}
	unlink(argv[1]);
	if (sqlite3_open(argv[1], &db)) {
		fprintf(stderr, "ledger-cost: %s\n", sqlite3_errmsg(db));
		return 1;
	}
	need(acct_sqlite_open(db, &info, &store, &err));
	need(acct_ledger_publish(store, &t, START_NS, &err));
	tick(store, db, 0);
	wall = clock_ns(CLOCK_MONOTONIC);
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 1; i <= TICKS; i++)
		tick(store, db, i);
	say("append", wall, cpu, UINT64_C(4) * DOMAINS * TICKS);
	wall = clock_ns(CLOCK_MONOTONIC);
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	need(acct_verify(store, NULL, &verdict, &err));
	say("verify", wall, cpu, verdict.head.seq);
	wall = clock_ns(CLOCK_MONOTONIC);
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	need(acct_statement(store, &q, NULL, NULL, &made, &err));
	say("statement", wall, cpu, made.entries);
	acct_sqlite_close(store);
	sqlite3_close(db);
	return verdict.good && verdict.total_micro > 0 ? 0 : 1;
}
