/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact CPU meters. Every CPU has one open account; one clock reading closes
 * it and opens the next, so for each CPU the sum over all accounts equals the
 * time since meter_cpu_start to the nanosecond. An account is owned by its
 * CPU while open; reading others' is racy by at most the open interval,
 * which meter_read adds.
 */
#ifndef HV_METER_H
#define HV_METER_H

#include <hv/types.h>

struct meter_account {
	u64 ns; /* closed intervals, atomic add: one domain on several CPUs */
};

/* Named overhead, per CPU. */
enum meter_overhead {
	METER_IDLE,
	METER_IRQ,      /* interrupts, until the owner of the work is known */
	METER_SCHED,    /* choosing and switching */
	METER_BOOT,
	METER_OVERHEADS
};

void meter_cpu_start(unsigned int cpu, u64 now_ns);
/* Closes this CPU's open account at now_ns and opens `next`. Returns the one
 * that was open, to be reopened by nested work. */
struct meter_account *meter_switch(struct meter_account *next, u64 now_ns);
struct meter_account *meter_overhead(enum meter_overhead which);
/* Closed time plus what is open now on this CPU. */
u64 meter_read(const struct meter_account *a, u64 now_ns);

/* A domain's account takes part in the books from here on; its closed time
 * stays in the books after meter_forget. */
void meter_register(struct meter_account *a);
void meter_forget(struct meter_account *a);

struct meter_books {
	u64 elapsed_ns; /* sum over CPUs since their start */
	u64 sum_ns;     /* sum over all accounts */
	u64 idle_ns, irq_ns, sched_ns, boot_ns, domains_ns;
};
/* Closes every CPU's interval at one instant; CPUs are asked to by IPI. The
 * difference of elapsed and sum is 0 or the books are wrong. */
void meter_balance(struct meter_books *out);

#endif
