/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.c - instructions that the hypervisor emulates for a PV kernel.
 */
#include "xt.h"

struct fault *probe_rdmsr(u32 msr, u64 *value)
{
	u32 lo = 0, hi = 0;
	struct fault *f;

	f = PROBE("rdmsr", "+a"(lo), "+d"(hi) : "c"(msr));
	if (value)
		*value = (u64)hi << 32 | lo;
	return f;
}

struct fault *probe_wrmsr(u32 msr, u64 value)
{
	return PROBE("wrmsr",
		     : "a"((u32)value), "d"((u32)(value >> 32)), "c"(msr)
		     : "memory");
}
