/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.c - system time from the time record that the hypervisor shares.
 */
#include "xt.h"

u64 rdtsc(void)
{
	u32 lo, hi;

	__asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	return (u64)hi << 32 | lo;
}

u64 now_ns(void)
{
	const struct vcpu_time_info *t = &this_cpu()->vi->time;
	u64 delta, mul, ns, hi;
	u32 version;

	do {
		version = READ_ONCE(t->version) & ~1U;
		barrier();
		delta = rdtsc() - READ_ONCE(t->tsc_timestamp);
		if (t->tsc_shift >= 0)
			delta <<= t->tsc_shift;
		else
			delta >>= -t->tsc_shift;
		mul = READ_ONCE(t->tsc_to_system_mul);
		__asm__("mul %3"
			: "=a"(ns), "=d"(hi)
			: "0"(delta), "r"(mul)
			: "cc");
		ns = ns >> 32 | hi << 32;
		ns += READ_ONCE(t->system_time);
		barrier();
	} while (version != READ_ONCE(t->version));
	return ns;
}
