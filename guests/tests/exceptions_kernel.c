/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do the exceptions of kernel mode arrive as on hardware?
 * Rule:     same vector and error code; faults point at the instruction,
 *           traps after it.
 * Source:   guest-abi.md 4.5.
 * Expected: #DE, #BP, #UD, #GP (also by a selector), #MF.
 */
#include "xt.h"

void test_main(void)
{
	struct fault *f;
	u32 sel = 0x1f03, csr;
	u64 rip;

	f = PROBE("lea 1f(%%rip), %0; 1: div %1", "=&r"(rip)
		  : "r"(0UL)
		  : "rax", "rdx");
	check(f->vector == VEC_DE && f->rip == rip, "#DE: %d", f->vector);
	f = PROBE("lea 1f(%%rip), %0; int3; 1:", "=&r"(rip));
	check(f->vector == VEC_BP && f->rip == rip, "#BP: %d", f->vector);
	f = PROBE("ud2", );
	check(f->vector == VEC_UD && !f->error, "#UD: %d", f->vector);
	f = probe_read((void *)NONCANONICAL, NULL);
	check(f->vector == VEC_GP && !f->error, "#GP: %d %lx", f->vector,
	      f->error);
	f = PROBE("mov %0, %%ds", : "r"(sel));
	check(f->vector == VEC_GP && f->error == (sel & ~3U),
	      "selector: %d %lx", f->vector, f->error);
	csr = 0x37b;
	f = PROBE("fninit; fldcw %0; fld1; fldz; fdivrp; fwait", : "m"(csr));
	check(f->vector == VEC_MF, "#MF: %d", f->vector);
	__asm__ volatile("fninit");
	pass("6 exceptions");
}
