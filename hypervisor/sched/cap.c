// SPDX-License-Identifier: Apache-2.0
/* See cap.h. Periods are those of the group; one that nobody ran in is not
 * looked at, so the budget is brought up to date whenever it matters. */
#include "cap.h"

static s64 budget_of(const struct sched_group *g)
{
	return (s64)(SCHED_CAP_PERIOD_NS / 1000 * g->cap_permille);
}

static void refill(struct sched_group *g, u64 now_ns)
{
	u64 periods;

	if (now_ns < g->period_ns + SCHED_CAP_PERIOD_NS)
		return;
	periods = (now_ns - g->period_ns) / SCHED_CAP_PERIOD_NS;
	g->period_ns += periods * SCHED_CAP_PERIOD_NS;
	/* A debt is paid by the periods that passed; savings are lost. */
	if (g->budget_ns < 0 &&
	    periods <= (u64)-g->budget_ns / (u64)budget_of(g) + 1)
		g->budget_ns += (s64)periods * budget_of(g);
	else
		g->budget_ns = budget_of(g);
	g->budget_ns = MIN(g->budget_ns, budget_of(g));
}

void cap_charge(struct sched_unit *u, u64 ran_ns)
{
	if (u->group && u->group->cap_permille)
		u->group->budget_ns -= (s64)ran_ns;
}

bool cap_spent(const struct sched_unit *u, u64 now_ns)
{
	struct sched_group *g = u->group;

	if (!g || !g->cap_permille)
		return false;
	refill(g, now_ns);
	return g->budget_ns <= 0;
}

u64 cap_left_ns(const struct sched_unit *u)
{
	const struct sched_group *g = u->group;

	if (!g || !g->cap_permille)
		return ~0UL;
	/* All active ones may run at once. */
	return (u64)MAX(g->budget_ns, (s64)1) / MAX(g->active, 1U) + 1;
}

void cap_park(struct sched_unit *u)
{
	struct sched_group *g = u->group;
	u64 debt = (u64)-MIN(g->budget_ns, (s64)0);
	u64 periods = debt / (u64)budget_of(g) + 1;

	u->parked = true;
	u->next_parked = g->parked;
	if (!g->parked)
		timer_set(&g->refill,
			  g->period_ns + periods * SCHED_CAP_PERIOD_NS);
	g->parked = u;
}

void cap_unpark(struct sched_unit *u)
{
	struct sched_unit **at = &u->group->parked;

	while (*at != u)
		at = &(*at)->next_parked;
	*at = u->next_parked;
	u->parked = false;
}

struct sched_unit *cap_next(struct sched_group *g, u64 now_ns)
{
	struct sched_unit *u = g->parked;

	if (!u)
		return NULL;
	if (cap_spent(u, now_ns)) {
		timer_set(&g->refill, g->period_ns + SCHED_CAP_PERIOD_NS);
		return NULL;
	}
	cap_unpark(u);
	return u;
}
