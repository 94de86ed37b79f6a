/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of the firewall-router. What the machine refuses is found out by
 * giving it to the machine, so that comes first, and the store's row makes it
 * valid: if this process ends in between, the next one gives the machine the
 * old ones again. Calls may come from any thread and wait for each other.
 */
#ifndef ORCHESTRATE_RULES_H
#define ORCHESTRATE_RULES_H

#include "orchestrate/orchestration.h"
#include "orchestrate/requests.h"
#include "store/rule_rows.h"

struct rule_keeper;

int rule_keeper_open(struct rule_keeper **out, struct machine *m,
		     struct error *err);
void rule_keeper_close(struct rule_keeper *k);

/* The machine has the store's rules. What it refuses is in the log: domains are
 * looked after all the same. -1: store or machine do not answer. */
int rule_keeper_restore(struct rule_keeper *k, struct db *db,
			struct error *err);

/* In place of the ones with that version, or any. row has document and text,
 * gets its version. REFUSED_INVALID: see fault. */
int rule_keeper_put(struct rule_keeper *k, struct db *db,
		    const struct requester *by, int64_t version,
		    struct rule_row *row, struct machine_rule_fault *fault,
		    struct refusal *r);

/* Of the rules with the version that it gets: how many, of at most most; -1:
 * failed. */
int rule_keeper_count(struct rule_keeper *k, struct db *db, int64_t *version,
		      struct machine_rule_counter *out, uint32_t most,
		      struct error *err);

#endif
