/* SPDX-License-Identifier: Apache-2.0 */
/* System time (ns since boot, equal on all CPUs, never backwards) and the
 * one-shot timer interrupt of this CPU. */
#ifndef ARCH_CLOCK_H
#define ARCH_CLOCK_H

#include <hv/types.h>

u64 clock_now_ns(void);
/* The cheapest reading: in ticks of no fixed length, of this CPU. */
static inline u64 clock_ticks(void)
{
	u32 lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (u64)hi << 32 | lo;
}

/* Frequency of the guests' TSC. */
u64 clock_tsc_khz(void);

/* Takes so many ticks out of system time, which go until now. No CPU may have
 * read the clock meanwhile; guests are told by guest_time_update. */
void clock_skip(u64 ticks);
u64 clock_ticks_to_us(u64 ticks);

/* Timer interrupt at deadline_ns (at once if past); ~0: none. */
void clock_program(u64 deadline_ns);

#endif
