/* SPDX-License-Identifier: Apache-2.0 */
/* What metering has to know after a restart: the moment at which the machine's
 * clock was laid on the calendar, when the meters were read last, and which
 * run of each domain the ledger is at. */
#ifndef STORE_METER_ROWS_H
#define STORE_METER_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "store/db.h"
#include "util/ids.h"

/* machine_ns of the machine's clock in its life boot was wall_ns of UTC. */
struct meter_clock {
	char boot[40];
	int64_t machine_ns, wall_ns;
	int64_t seen_ns; /* of UTC, by this: meters were read */
};

/* 1: there is one; 0: none yet. */
int meter_clock_load(struct db *db, struct meter_clock *out, struct error *err);
int meter_clock_save(struct db *db, const struct meter_clock *c,
		     struct error *err);

/* The latest run of a domain, from when it was built to its end. */
struct meter_run {
	char domain_id[ID_MAX];
	uint64_t incarnation; /* 1 for the first */
	int64_t created_ns;   /* by the machine's clock; -1: not known */
	bool open;            /* its sources are */
};

/* 1: there is one; 0: it was never built. */
int meter_run_load(struct db *db, const char *domain_id, struct meter_run *out,
		   struct error *err);
int meter_run_save(struct db *db, const struct meter_run *run,
		   struct error *err);

#endif
