/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deferred work: what an interrupt or a guest's notification asks for, done by
 * the same CPU before it next enters a guest or idles, with no lock held and
 * charged to whom it is done for. A piece of work is bounded: what it cannot
 * finish it queues again. Who may call: any room; any CPU; any lock may be
 * held.
 */
#ifndef HV_WORK_H
#define HV_WORK_H

#include <hv/list.h>
#include <hv/types.h>

struct meter_account;

struct work {
	struct list link; /* the work room's, as are */
	u32 queued;       /* 1 from work_queue until run begins */
	u32 running;      /* CPU number plus one while run runs */
	/* Never runs on two CPUs at once, and once more after every
	 * work_queue that came while it ran. */
	void (*run)(struct work *w);
	struct meter_account *account; /* whose time it is */
};

void work_init(struct work *w, void (*run)(struct work *w),
	       struct meter_account *account);
/* Runs soon, on this CPU; nothing when it is queued already. */
void work_queue(struct work *w);
/* After return it neither runs nor is queued. No lock that run takes may be
 * held. Whoever queues it must have been stopped before. */
void work_cancel(struct work *w);

/* For the way out to a guest and the idle loop: runs what this CPU has queued,
 * as far as one round of it goes. True: more is waiting. */
bool work_run(void);

#endif
