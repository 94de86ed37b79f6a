/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can the kernel read the MSRs that a stock kernel needs?
 * Rule:     PAT, APIC_BASE, EFER, the segment bases and the microcode
 *           revision read without fault and with the fixed values.
 * Source:   guest-abi.md 5.1.
 * Expected: PAT 0x50100070406, EFER with LMA, LME, NXE, SCE; MCG_CAP 0 if it
 *           reads.
 */
#include "xt.h"

void test_main(void)
{
	struct fault *f;
	u64 v, efer;

	check_eq(probe_rdmsr(0x277, &v)->vector, VEC_NONE);
	check(v == 0x0000050100070406, "PAT %lx", v);
	check_eq(probe_rdmsr(0x1b, &v)->vector, VEC_NONE);
	check(v & 0x800, "APIC_BASE %lx", v);
	check_eq(probe_rdmsr(0x8b, &v)->vector, VEC_NONE);
	check_eq(probe_rdmsr(0xc0000080, &efer)->vector, VEC_NONE);
	check((efer & 0xd01) == 0xd01, "EFER %lx", efer);
	f = probe_rdmsr(0x179, &v);
	check(f->vector == VEC_GP || f->vector == VEC_NONE, "MCG_CAP: %d",
	      f->vector);
	for (u32 msr = 0xc0000100; msr <= 0xc0000102; msr++)
		check_eq(probe_rdmsr(msr, NULL)->vector, VEC_NONE);
	pass("EFER %lx", efer);
}
