/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact CPU meters. Every CPU has one open account; one clock reading closes
 * it and opens the next, so for each CPU the sum over all accounts equals the
 * time since meter_cpu_start to the nanosecond. An account may be open on
 * several CPUs at once (work done for a domain by others), the overhead ones
 * only on their own. Reading another CPU's account is stale by at most its
 * open interval.
 *
 * A balance needs no interrupt and no reply: it stops switches, not CPUs.
 * Each switch holds its CPU's gate for a few instructions; the balance takes
 * all gates, and then nothing that it adds up can change.
 */
#ifndef HV_METER_H
#define HV_METER_H

#include <hv/list.h>
#include <hv/types.h>

struct meter_account {
	u64 ns;           /* closed intervals; atomic */
	u64 *copy;        /* of ns, for a reader elsewhere; NULL: none */
	struct list link; /* accounts in the books; RANK_METER lock */
};

/* Named overhead, per CPU. */
enum meter_overhead {
	METER_IDLE,
	METER_IRQ,   /* interrupts, until the owner of the work is known */
	METER_SCHED, /* choosing and switching */
	METER_BOOT,
	METER_OVERHEADS
};

/* Starts this CPU's books with METER_BOOT open. */
void meter_cpu_start(unsigned int cpu, u64 now_ns);
/* Closes this CPU's open account at now_ns and opens `next`. Returns the one
 * that was open, to be reopened by nested work. now_ns is read after
 * everything it ends; it never precedes the last one on this CPU. */
struct meter_account *meter_switch(struct meter_account *next, u64 now_ns);
/* This CPU's account of that name. */
struct meter_account *meter_overhead(enum meter_overhead which);
/* Closed time plus what is open now on this CPU. */
u64 meter_read(const struct meter_account *a, u64 now_ns);

/* How long that CPU has idled. */
u64 meter_idle_ns(unsigned int cpu, u64 now_ns);

/* A domain's account takes part in the books from here on; its closed time
 * stays in the books after meter_forget, when it must be open nowhere. */
void meter_register(struct meter_account *a);
void meter_forget(struct meter_account *a);

struct meter_books {
	u64 elapsed_ns; /* sum over CPUs since their start */
	u64 sum_ns;     /* sum over all accounts */
	u64 idle_ns, irq_ns, sched_ns, boot_ns, domains_ns;
};

struct meter_cpu_books {
	u64 elapsed_ns; /* 0: the CPU has not started */
	u64 sum_ns;     /* over the accounts charged on this CPU */
};

/* Adds up every account at one instant. The difference of elapsed and sum is
 * 0 or the books are wrong; per_cpu may be NULL, or has MAX_CPUS elements. */
void meter_balance(struct meter_books *out, struct meter_cpu_books *per_cpu);
/* Prints a balance, one line per CPU and one of totals. */
void meter_print(void);

#endif
