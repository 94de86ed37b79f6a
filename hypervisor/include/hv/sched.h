/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU scheduling: mechanism (sched.c: run queue, wake, sleep, pick) and the
 * policy contract. sched sees only struct sched_unit, embedded in struct
 * vcpu. One run queue serves all CPUs (work conserving by construction);
 * RANK_RUNQUEUE guards every field of the units on it.
 */
#ifndef HV_SCHED_H
#define HV_SCHED_H

#include <hv/lock.h>
#include <hv/types.h>

enum sched_state {
	SCHED_SLEEPING, /* blocked, paused or down */
	SCHED_QUEUED,   /* runnable, waiting */
	SCHED_RUNNING,  /* on a CPU */
};

#define SCHED_WEIGHT_DEFAULT 256
#define SCHED_WEIGHT_MAX 65535

/* Per domain, shared by its vCPUs' units; live parameters. */
struct sched_params {
	u32 weight;          /* 1..SCHED_WEIGHT_MAX */
	u64 warp_ns;         /* virtual-time advantage while warping; 0: none */
	u64 warp_limit_ns;   /* longest continuous warped run; 0: no limit */
	u64 unwarp_min_ns;   /* least time between warps */
};

struct sched_unit {
	enum sched_state state;
	u16 cpu;             /* running on, or ran last on */
	bool wake_pending;   /* woken while it was still being put to sleep */
	bool preempted;      /* asked to leave its CPU */
	u64 affinity;        /* CPUs it may run on */
	struct sched_params params;
	/* policy state: BVT (anchors F) */
	u64 avt;             /* actual virtual time, ns scaled by weight */
	bool warping;
	u64 warp_started_ns, unwarped_ns;
	u64 run_started_ns;  /* when it was dispatched */
	u32 heap_idx;        /* policy's place; 0: not queued */
};

/* What a policy implements; all called with the run-queue lock held. */
struct sched_policy {
	const char *name;
	void (*init)(void);
	void (*unit_init)(struct sched_unit *u);
	void (*wake)(struct sched_unit *u, u64 now_ns);    /* from sleep */
	void (*enqueue)(struct sched_unit *u);
	void (*dequeue)(struct sched_unit *u);
	void (*account)(struct sched_unit *u, u64 ran_ns, u64 now_ns);
	/* Best queued unit that may run on cpu, or NULL; stays queued. */
	struct sched_unit *(*peek)(unsigned int cpu, u64 now_ns);
	/* How long u may run before peek could prefer another. */
	u64 (*slice_ns)(struct sched_unit *u, unsigned int cpu, u64 now_ns);
	/* Should queued unit `next` displace `running`? */
	bool (*preempts)(struct sched_unit *next, struct sched_unit *running,
			 u64 now_ns);
};

extern const struct sched_policy sched_bvt;

void sched_init(const struct sched_policy *policy, unsigned int cpu_count);
/* Context-switch allowance C and shortest slice; 100 us .. 1 s each. */
int sched_set_slice(u64 slice_ns) MUST_CHECK;
u64 sched_slice(void);

void sched_unit_init(struct sched_unit *u, const struct sched_params *p);
/* -EINVAL names a bad range by returning before any change. */
int sched_set_params(struct sched_unit *u, const struct sched_params *p)
	MUST_CHECK;
int sched_set_affinity(struct sched_unit *u, u64 affinity) MUST_CHECK;
/* Makes a sleeping unit runnable; kicks an idle CPU, or the one whose unit it
 * displaces (cpu_kick of <arch/cpu.h>). No-op when runnable. Any CPU. */
void sched_wake(struct sched_unit *u);
/*
 * The scheduling decision of this CPU. prev: what runs (NULL: idle);
 * prev_runnable: false puts it to sleep (unless woken meanwhile). Returns the
 * unit to run next (may be prev) or NULL to idle, and until when
 * (*until_ns; ~0: no other wants the CPU).
 */
struct sched_unit *sched_pick(struct sched_unit *prev, bool prev_runnable,
			      u64 now_ns, u64 *until_ns);
/* The unit is going away; it sleeps and runs nowhere. */
void sched_unit_exit(struct sched_unit *u);

#endif
