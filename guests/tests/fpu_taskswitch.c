/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does fpu_taskswitch give #NM on the next FPU use?
 * Rule:     after set, the first FPU instruction gives the guest #NM, and
 *           delivery clears TS; CLTS and fpu_taskswitch(0) clear it too.
 * Source:   guest-abi.md 4.5.
 * Expected: #NM once, then none.
 */
#include "xt.h"

void test_main(void)
{
	check_eq(fpu_taskswitch(1), 0);
	check_eq(PROBE("fninit", )->vector, VEC_NM);
	check_eq(PROBE("fninit", )->vector, VEC_NONE);
	check_eq(fpu_taskswitch(1), 0);
	check_eq(PROBE("xorps %%xmm0, %%xmm0", )->vector, VEC_NM);
	check_eq(PROBE("xorps %%xmm0, %%xmm0", )->vector, VEC_NONE);
	check_eq(fpu_taskswitch(1), 0);
	check_eq(fpu_taskswitch(0), 0);
	check_eq(PROBE("fninit", )->vector, VEC_NONE);
	check_eq(fpu_taskswitch(1), 0);
	check_eq(PROBE("clts", )->vector, VEC_NONE);
	check_eq(PROBE("fninit", )->vector, VEC_NONE);
	pass("4 ways");
}
