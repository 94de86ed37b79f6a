/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Budgets of groups (hv/sched.h), for sched.c; the run-queue lock is held. A
 * unit without a group has no cap.
 */
#ifndef SCHED_CAP_H
#define SCHED_CAP_H

#include <hv/sched.h>

void cap_charge(struct sched_unit *u, u64 ran_ns);
/* u's group has used up its budget: u must not run. */
bool cap_spent(const struct sched_unit *u, u64 now_ns) MUST_CHECK;
/* What u may run at most from now on; ~0: any time. */
u64 cap_left_ns(const struct sched_unit *u);
/* u sleeps until its group has budget again. */
void cap_park(struct sched_unit *u);
void cap_unpark(struct sched_unit *u);
/* The first parked unit of g, taken off; NULL: none, or still no budget. */
struct sched_unit *cap_next(struct sched_group *g, u64 now_ns);

#endif
