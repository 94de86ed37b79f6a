/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does XSETBV take exactly the states that CPUID offers?
 * Rule:     with CR4.OSXSAVE set, XCR0 must hold x87 and nothing beyond leaf
 *           0xd; bad values, bad indexes #GP; the new value shows in XGETBV.
 *           Without XSAVE in CPUID it's #UD or #GP.
 * Source:   guest-abi.md 5, 6.1, checklist 50.
 * Expected: 1, 3 and 7 as offered; 0, 2, 4 and reserved bits refused.
 */
#include "xt.h"

static int set_xcr(u32 index, u64 value)
{
	return PROBE("xsetbv",
		     : "c"(index), "a"((u32)value), "d"((u32)(value >> 32)))
		->vector;
}

void test_main(void)
{
	static const u64 bad[] = { 0, 2, 4, 5, 1UL << 62, 1UL << 63, ~0UL };
	struct cpuid features;
	u64 offered, cr4;
	u32 lo, hi;

	check_eq(PROBE("mov %%cr4, %0; or $0x40000, %0; mov %0, %%cr4",
		       "=&r"(cr4))
			 ->vector,
		 VEC_NONE);
	features = xen_cpuid(1, 0);
	if (!(features.ecx & 1 << 26)) {
		check(set_xcr(0, 1) == VEC_UD || set_xcr(0, 1) == VEC_GP,
		      "no XSAVE, XSETBV: %d", set_xcr(0, 1));
		skip("XSAVE is not offered");
	}
	check(features.ecx & 1 << 27, "XSAVE without OSXSAVE");
	offered = xen_cpuid(0xd, 0).eax;
	check((offered & 3) == 3, "leaf 0xd offers %lx", offered);
	check_eq(set_xcr(0, offered & 7), VEC_NONE);
	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	check(lo == (offered & 7) && !hi, "xgetbv %x %x", lo, hi);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		check(set_xcr(0, bad[i]) == VEC_GP, "xcr0 %lx taken", bad[i]);
	for (unsigned int bit = 2; bit < 64; bit++)
		if (!(offered >> bit & 1) && bit < 32)
			check_eq(set_xcr(0, 3 | 1UL << bit), VEC_GP);
	check_eq(set_xcr(1, 1), VEC_GP);
	check_eq(set_xcr(0xffffffff, 3), VEC_GP);
	check_eq(set_xcr(0, 3), VEC_NONE);
	pass("offered %lx", offered);
}
