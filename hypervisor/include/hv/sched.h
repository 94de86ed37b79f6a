/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU scheduling: mechanism (sched.c: run queue, wake, sleep, pick) and the
 * policy contract. sched sees only struct sched_unit, embedded in struct
 * vcpu. One run queue serves all CPUs (work conserving by construction);
 * RANK_RUNQUEUE guards every field of the units on it.
 */
#ifndef HV_SCHED_H
#define HV_SCHED_H

#include <hv/heap.h>
#include <hv/lock.h>
#include <hv/timer.h>
#include <hv/types.h>

enum sched_state {
	SCHED_SLEEPING, /* blocked, paused or down */
	SCHED_QUEUED,   /* runnable, waiting */
	SCHED_RUNNING,  /* on a CPU */
};

#define SCHED_WEIGHT_DEFAULT 256
#define SCHED_WEIGHT_MAX 65535
#define SCHED_SLICE_DEFAULT_NS 5000000UL
#define SCHED_SLICE_MIN_NS 100000UL
#define SCHED_SLICE_MAX_NS 1000000000UL
#define SCHED_WARP_MAX_NS 3600000000000UL

/* Per domain, shared by its vCPUs' units; live parameters. */
struct sched_params {
	u32 weight;        /* 1..SCHED_WEIGHT_MAX */
	u64 warp_ns;       /* virtual-time advantage while warping; 0: none.
			    * A nanosecond of virtual time is one of running
			    * at SCHED_WEIGHT_DEFAULT. */
	u64 warp_limit_ns; /* longest continuous warped run; 0: no limit */
	u64 unwarp_min_ns; /* least time between warps */
};

/* A cap is a budget for every period, which may be overdrawn by what a CPU
 * takes to stop; the next periods pay for it, so in the long run a cap is
 * exact. Unused budget is lost. */
#define SCHED_CAP_PERIOD_NS 10000000UL
#define SCHED_CAP_MAX 64000U

/* The units of a domain: they share its weight, those that want a CPU equally,
 * and its cap. */
struct sched_group {
	struct sched_params params; /* of each unit; owner's lock */
	u32 cap_permille;           /* of one CPU; 0: none */
	u32 active;                 /* units that are not sleeping */
	s64 budget_ns;              /* what is left in this period */
	u64 period_ns;              /* when this period began */
	struct sched_unit *parked;  /* out of budget; wait for the next one */
	struct timer refill;
};

struct sched_unit {
	enum sched_state state;
	u32 sharers;       /* units that share its weight as it is charged */
	u32 avt_rest;      /* BVT: what the divisions of avt left over */
	u16 cpu;           /* running on, or ran last on */
	bool wake_pending; /* woken while it was still being put to sleep */
	bool preempted;    /* asked to leave its CPU */
	bool yielded;      /* asks to run after the others */
	bool loaded;       /* a CPU holds its registers; see sched_saved */
	bool warping;      /* policy state: BVT, with what follows */
	bool parked;       /* SLEEPING only because its group has no budget */
	u64 affinity;      /* CPUs it may run on */
	struct sched_group *group; /* NULL: none */
	struct sched_unit *next_parked;
	struct sched_params params;
	u64 run_started_ns;    /* since when it runs uncharged */
	u64 avt;               /* actual virtual time */
	u64 warped_ns;         /* warped running since it began to warp */
	u64 unwarped_at_ns;    /* when its warp was last ended by the limit */
	struct heap_node node; /* while queued; key: effective virtual time */
};

/* What a policy implements; all called with the run-queue lock held. */
struct sched_policy {
	const char *name;
	void (*init)(void);
	void (*unit_init)(struct sched_unit *u);
	void (*wake)(struct sched_unit *u, u64 now_ns); /* from sleep */
	void (*sleep)(struct sched_unit *u);            /* was charged */
	void (*enqueue)(struct sched_unit *u);
	void (*dequeue)(struct sched_unit *u);
	/* u, still on u->cpu, ran for ran_ns until now_ns. */
	void (*account)(struct sched_unit *u, u64 ran_ns, u64 now_ns);
	/* u, charged, gives way: afterwards it ranks behind `next`. */
	void (*yield)(struct sched_unit *u, const struct sched_unit *next);
	/* Best queued unit that may run on cpu, or NULL; stays queued. */
	struct sched_unit *(*peek)(unsigned int cpu);
	/* How long u, charged, may run on before peek would rather have
	 * another there; 0: not at all; ~0: nobody else waits. */
	u64 (*slice_ns)(struct sched_unit *u, unsigned int cpu);
	/* How far a running unit is ahead of its due: the more, the better a
	 * victim. */
	u64 (*advance)(const struct sched_unit *running, u64 now_ns);
	/* Should queued unit `next` displace `running` at once? */
	bool (*preempts)(const struct sched_unit *next,
			 const struct sched_unit *running, u64 now_ns);
};

extern const struct sched_policy sched_bvt;

void sched_init(const struct sched_policy *policy, unsigned int cpu_count);
/* Context-switch allowance; -EINVAL outside SCHED_SLICE_MIN_NS..MAX_NS. */
int sched_set_slice(u64 slice_ns) MUST_CHECK;
u64 sched_slice(void);

/* u sleeps, may run anywhere; p within the bounds of sched_set_params. */
void sched_unit_init(struct sched_unit *u, const struct sched_params *p);
/* No weight, no cap; the group must stay where it is. */
void sched_group_init(struct sched_group *g);
/* All units have exited. */
void sched_group_exit(struct sched_group *g);
/* u, which sleeps, shares in g from now on, with g's parameters. */
void sched_unit_join(struct sched_unit *u, struct sched_group *g);
/* -EINVAL: above SCHED_CAP_MAX. Begins with a full budget. */
int sched_set_cap(struct sched_group *g, u32 permille) MUST_CHECK;
/* -EINVAL names a bad range by returning before any change. */
int sched_set_params(struct sched_unit *u, const struct sched_params *p)
	MUST_CHECK;
bool sched_params_valid(const struct sched_params *p);
/* -EINVAL: none of the CPUs is online. A unit that runs elsewhere leaves its
 * CPU soon, not at once. */
int sched_set_affinity(struct sched_unit *u, u64 affinity) MUST_CHECK;
/* Makes a sleeping unit runnable; kicks an idle CPU, or the one whose unit it
 * displaces (cpu_kick of <arch/cpu.h>). On a running unit it only defeats a
 * sched_pick that is about to put it to sleep. Any CPU. */
void sched_wake(struct sched_unit *u);
/* u must not run for now: one that waits leaves the queue, the CPU of one
 * that runs is kicked and asks its owner. Does not wait. A wake that is under
 * way may still come after it, so the owner looks again before it loads what
 * sched_pick returned. */
void sched_sleep(struct sched_unit *u);
/* The next sched_pick of u's CPU prefers any other unit that may run there. */
void sched_unit_yield(struct sched_unit *u);
/*
 * The scheduling decision of this CPU. prev: what runs (NULL: idle);
 * prev_runnable: false puts it to sleep (unless woken meanwhile). Returns the
 * unit to run next (may be prev) or NULL to idle, and until when
 * (*until_ns; ~0: no other wants the CPU).
 *
 * When the result is not prev, another CPU may pick prev at once, and next
 * may still be leaving another CPU. So the caller saves prev, calls
 * sched_saved(prev), then sched_await(next), then loads next. Between the
 * pick and sched_saved it waits for nobody.
 */
struct sched_unit *sched_pick(struct sched_unit *prev, bool prev_runnable,
			      u64 now_ns, u64 *until_ns);
void sched_saved(struct sched_unit *prev);
void sched_await(struct sched_unit *next);
/* The unit is going away; it runs nowhere (its owner has stopped it). Returns
 * when no CPU holds its registers. */
void sched_unit_exit(struct sched_unit *u);

#endif
