/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Borrowed virtual time. Every unit has an actual virtual time A that grows
 * by its running time over its weight, and an effective one, E = A, or A - W
 * while it warps. The least E runs next and keeps its CPU until it is one
 * context-switch allowance beyond the best that waits. A waking unit's A is
 * raised to the scheduler virtual time (SVT): the least A of the runnable
 * units it competes with, or what that was when the last one went to sleep;
 * so sleeping earns nothing. Warping lowers E only, never A: what a unit
 * borrows by running early it pays back by waiting later.
 *
 * On one CPU that is all. With several, weights or affinities may ask for
 * more of a CPU than exists, and then A drifts apart without bound although
 * nobody is wronged: a unit too heavy for one CPU always runs and falls ever
 * further behind, one alone on its CPU runs ever further ahead. The first
 * would drag down the SVT that others wake with, the second would have to pay
 * for time that nobody else wanted. Two clamps, at twice the lag that fair
 * sharing can cause, end both drifts; where shares are feasible neither binds.
 *
 * Queue: a heap by E per CPU for units pinned to it, and one for the rest.
 */
#include <hv/sched.h>

#include <arch/cpu.h>

#include "bvt_math.h"
#include "runqueue.h"

/* A waking unit displaces one that is further beyond it than this part of
 * the allowance. */
#define WAKE_ALLOWANCE_DIV 8

static struct heap pinned[MAX_CPUS];
static struct heap shared;
static u64 svt_floor; /* SVT when the last unit went to sleep */
static u64 next_order;

static struct sched_unit *unit_of(struct heap_node *n)
{
	return container_of(n, struct sched_unit, node);
}

static u64 warp_of(const struct sched_unit *u)
{
	return u->warping ? bvt_warp(u->params.warp_ns) : 0;
}

static u64 effective(const struct sched_unit *u)
{
	return u->avt - warp_of(u);
}

/* Charged or not: where a running unit stands at now_ns. */
static u64 avt_at(const struct sched_unit *u, u64 now_ns)
{
	u64 avt = u->avt;
	u32 rest = u->avt_rest;

	if (now_ns > u->run_started_ns)
		bvt_charge(&avt, &rest,
			   (now_ns - u->run_started_ns) * u->sharers,
			   u->params.weight);
	return avt;
}

static struct heap *heap_of(const struct sched_unit *u)
{
	if (u->affinity & (u->affinity - 1))
		return &shared;
	return &pinned[__builtin_ctzll(u->affinity)];
}

static struct heap_node *first_child(struct heap_node *n)
{
	return n->left ? n->left : n->right;
}

/* Pre-order successor of n that is not below n. */
static struct heap_node *skip_subtree(struct heap_node *n)
{
	while (n->parent) {
		struct heap_node *p = n->parent;

		if (p->left == n && p->right)
			return p->right;
		n = p;
	}
	return NULL;
}

/* The least (E, order) of the shared units that may run on cpu. Whoever is
 * not better than the best so far hides only worse ones below it. */
static struct heap_node *best_shared(unsigned int cpu)
{
	struct heap_node *n = shared.root, *best = NULL;

	while (n) {
		bool worse = best && !heap_less(n, best);
		struct heap_node *below = first_child(n);

		if (!worse && (unit_of(n)->affinity >> cpu) & 1) {
			best = n;
			worse = true;
		}
		n = worse || !below ? skip_subtree(n) : below;
	}
	return best;
}

static struct sched_unit *bvt_peek(unsigned int cpu)
{
	struct heap_node *own = pinned[cpu].root;
	struct heap_node *any = best_shared(cpu);

	if (own && any)
		return unit_of(heap_less(own, any) ? own : any);
	if (own || any)
		return unit_of(own ? own : any);
	return NULL;
}

/* Least A in h of units that may use a CPU of the mask. A >= E, so a subtree
 * whose E is no less than the least A so far holds nothing of interest. */
static u64 least_avt(const struct heap *h, u64 mask, u64 least)
{
	struct heap_node *n = h->root;

	while (n) {
		struct heap_node *below = first_child(n);
		bool nothing = n->key >= least;

		if (!nothing && (unit_of(n)->affinity & mask))
			least = MIN(least, unit_of(n)->avt);
		n = nothing || !below ? skip_subtree(n) : below;
	}
	return least;
}

/* SVT among the runnable units, but `except`, that compete for one of these
 * CPUs; ~0: there are none. */
static u64 svt(u64 mask, const struct sched_unit *except, u64 now_ns)
{
	u64 least = ~0UL;

	for (unsigned int cpu = 0; cpu < runqueue_cpus(); cpu++) {
		const struct sched_unit *r = runqueue_running(cpu);

		if (r && r != except && (r->affinity & mask))
			least = MIN(least, avt_at(r, now_ns));
		if ((mask >> cpu) & 1)
			least = least_avt(&pinned[cpu], mask, least);
	}
	return least_avt(&shared, mask, least);
}

static void bvt_init(void)
{
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++)
		pinned[cpu] = (struct heap){ .root = NULL };
	shared = (struct heap){ .root = NULL };
	svt_floor = BVT_ORIGIN;
	next_order = 0;
}

static void bvt_unit_init(struct sched_unit *u)
{
	u->avt = 0;
	u->avt_rest = 0;
	u->warping = false;
	u->warped_ns = 0;
	u->unwarped_at_ns = 0;
}

static bool may_warp(const struct sched_unit *u, u64 now_ns)
{
	return u->params.warp_ns &&
	       (!u->unwarped_at_ns ||
		now_ns - u->unwarped_at_ns >= u->params.unwarp_min_ns);
}

static void bvt_wake(struct sched_unit *u, u64 now_ns)
{
	u64 v = svt(u->affinity, u, now_ns);

	u->avt = MAX(u->avt, v == ~0UL ? svt_floor : v);
	/* A sleep ends a continuous run. */
	u->warped_ns = 0;
	u->warping = u->params.warp_ns && (u->warping || may_warp(u, now_ns));
}

static void bvt_sleep(struct sched_unit *u)
{
	/* For those that run now, what they were last charged is enough. */
	u64 v = svt(~0UL, u, 0);

	svt_floor = MAX(svt_floor, MIN(u->avt, v));
}

static void bvt_enqueue(struct sched_unit *u)
{
	u->node.key = effective(u);
	u->node.order = next_order++;
	heap_insert(heap_of(u), &u->node);
}

static void bvt_dequeue(struct sched_unit *u)
{
	heap_remove(heap_of(u), &u->node);
}

static void account_warp(struct sched_unit *u, u64 ran_ns, u64 now_ns)
{
	const struct sched_params *p = &u->params;

	if (!u->warping) {
		u->warping = may_warp(u, now_ns);
		u->warped_ns = 0;
		return;
	}
	u->warped_ns += ran_ns;
	if (p->warp_limit_ns && u->warped_ns >= p->warp_limit_ns) {
		u->warping = false;
		u->unwarped_at_ns = now_ns;
	}
}

/* Twice what fair sharing between u and a unit of that weight can cause. */
static u64 lag_bound(const struct sched_unit *u, u32 other_weight)
{
	u64 c = sched_slice();

	return 2 * (bvt_virtual(c, u->params.weight) +
		    bvt_virtual(c, other_weight));
}

static void clamp_lag(struct sched_unit *u, u64 now_ns)
{
	const struct sched_unit *waiting = bvt_peek(u->cpu);
	u64 bound, v;

	if (waiting) {
		/* It had a whole CPU: it cannot be owed more than a lag. */
		bound = lag_bound(u, waiting->params.weight);
		if (effective(waiting) > bound)
			u->avt = MAX(u->avt, effective(waiting) - bound);
		return;
	}
	v = svt(~0UL, u, now_ns);
	if (v != ~0UL) {
		/* Nobody was waiting for what it used. */
		bound = lag_bound(u, u->params.weight) +
			bvt_warp(u->params.warp_ns);
		u->avt = MIN(u->avt, v + bound);
	}
}

static void bvt_account(struct sched_unit *u, u64 ran_ns, u64 now_ns)
{
	bvt_charge(&u->avt, &u->avt_rest, ran_ns * u->sharers,
		   u->params.weight);
	if (u->params.warp_ns)
		account_warp(u, ran_ns, now_ns);
	else
		u->warping = false;
	if (runqueue_cpus() > 1)
		clamp_lag(u, now_ns);
}

static void bvt_yield(struct sched_unit *u, const struct sched_unit *next)
{
	/* Equal to next; enqueuing it now puts it behind its equals. */
	u->avt = MAX(u->avt, effective(next) + warp_of(u));
}

static u64 bvt_slice(struct sched_unit *u, unsigned int cpu)
{
	const struct sched_unit *next = bvt_peek(cpu);
	const struct sched_params *p = &u->params;
	u64 ns;

	if (!next)
		return ~0UL;
	ns = bvt_slice_ns(effective(u), effective(next), sched_slice(),
			  p->weight);
	if (u->warping && p->warp_limit_ns > u->warped_ns)
		ns = MIN(ns, p->warp_limit_ns - u->warped_ns);
	/* Where units can drift apart, look at them often. */
	if (runqueue_cpus() > 1)
		ns = MIN(ns, 16 * sched_slice());
	return ns;
}

static u64 bvt_advance(const struct sched_unit *running, u64 now_ns)
{
	return avt_at(running, now_ns) - warp_of(running);
}

static bool bvt_preempts(const struct sched_unit *next,
			 const struct sched_unit *running, u64 now_ns)
{
	u64 allowance = bvt_virtual(sched_slice() / WAKE_ALLOWANCE_DIV,
				    running->params.weight);

	return effective(next) + allowance < bvt_advance(running, now_ns);
}

const struct sched_policy sched_bvt = {
	.name = "bvt",
	.init = bvt_init,
	.unit_init = bvt_unit_init,
	.wake = bvt_wake,
	.sleep = bvt_sleep,
	.enqueue = bvt_enqueue,
	.dequeue = bvt_dequeue,
	.account = bvt_account,
	.yield = bvt_yield,
	.peek = bvt_peek,
	.slice_ns = bvt_slice,
	.advance = bvt_advance,
	.preempts = bvt_preempts,
};
