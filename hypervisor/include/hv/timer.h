/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timers: one heap per CPU, each timer on at most one heap. Callbacks run
 * with interrupts off and no timer lock held, on the CPU where the timer was
 * set, and may set or stop any timer again. Time is system time in
 * nanoseconds since boot (clock_now_ns of <arch/clock.h>); 64 bits never
 * wrap. Setting allocates nothing and cannot fail.
 */
#ifndef HV_TIMER_H
#define HV_TIMER_H

#include <hv/heap.h>
#include <hv/types.h>

struct timer {
	struct heap_node node; /* key: expiry */
	void (*fn)(void *data);
	void *data;
	u16 cpu; /* whose lock guards it; changes only under that lock */
	bool queued;
};

void timer_cpu_init(unsigned int cpu);
void timer_init(struct timer *t, void (*fn)(void *data), void *data);
/* (Re)arms t on this CPU; a time in the past fires at the next check, which
 * is made at once. */
void timer_set(struct timer *t, u64 expires_ns);
/* After return the callback neither runs nor will run, unless it is the
 * caller. Any CPU; hold no lock that the callback takes. */
void timer_stop(struct timer *t);
bool timer_queued(const struct timer *t);

/* When it fires or fired last. */
static inline u64 timer_expires(const struct timer *t)
{
	return t->node.key;
}

/* Runs what is due on this CPU and programs the hardware for the next one
 * (clock_program). Called by the timer interrupt. */
void timer_run(void);

#endif
