/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deferred work: what an interrupt or a guest's notification asks for, done by
 * the same CPU before it next enters a guest or idles, with no lock held and
 * charged to whom it is done for. A piece of work is bounded: what it cannot
 * finish it queues again. There is no current domain while it runs. Who may
 * call: any room; any CPU; any lock may be held.
 */
#ifndef HV_WORK_H
#define HV_WORK_H

#include <hv/list.h>
#include <hv/types.h>

struct meter_account;

struct work {
	struct list link; /* the work room's, as are */
	u32 on_cpu;       /* 1 + the CPU whose queue it is in; its lock */
	u32 state;        /* asked for, or running; atomic */
	bool late;        /* it is in the queue of late work; its lock */
	/* Never runs on two CPUs at once, and once more after every
	 * work_queue that came while it ran (on the CPU where it ran). */
	void (*run)(struct work *w);
	/* Whose time it is; NULL: the running CPU's overhead of interrupts,
	 * until the domain is known. */
	struct meter_account *account;
};

/* Boot, before any other: empty queues. */
void work_start(void);
void work_init(struct work *w, void (*run)(struct work *w),
	       struct meter_account *account);
/* Runs soon, on this CPU; nothing when it is queued already. */
void work_queue(struct work *w);
/* Runs when this CPU's vCPU stops, or when somebody else queues it, or after
 * WORK_LATE_NS: what is not urgent, while the guest asks for more of it. */
void work_queue_late(struct work *w);
/* After return it neither runs nor is queued, and its account is not open for
 * it. No lock that run takes may be held. Whoever queues it must have been
 * stopped before. Not from its own run. */
void work_cancel(struct work *w);

/* For the way out to a guest and the idle loop: one round, of what this CPU
 * had queued at its beginning, of which no piece but the first is begun after
 * until_ns. True: more is waiting. */
bool work_run(u64 until_ns);

#define WORK_LATE_NS 50000UL

/* Late work of this CPU waits: somebody has to see to its time. */
bool work_late_waits(void);
/* Its time has come, all of it. */
void work_late_due(void);

#endif
