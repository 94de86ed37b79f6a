/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are the machine's own MSRs out of the guest's reach?
 * Rule:     unknown and dangerous MSRs give #GP, or a write that changes
 *           nothing; SYSCALL entry points, APIC base, EFER and debug control
 *           stay the hypervisor's.
 * Source:   guest-abi.md 5.1, checklist 24 and 25.
 * Expected: the hypervisor works on after every write; unknown MSRs #GP.
 */
#include "xt.h"

void test_main(void)
{
	static const u32 dangerous[] = {
		0xc0000080, 0xc0000081, 0xc0000082, 0xc0000083, 0xc0000084,
		0x174,      0x175,      0x176,      0x1b,       0x277,
		0x1d9,      0xc0010015, 0xc0010117, 0x10,       0x6e0,
		0x830,      0x3a,       0x480,
	};
	static const u32 unknown[] = { 0x12345678, 0xdeadbeef, 0xffffffff,
				       0x40001234, 0xc0011fff };
	unsigned int faulted = 0;
	u64 before, v;

	for (unsigned int i = 0; i < ARRAY_SIZE(dangerous); i++) {
		faulted += probe_wrmsr(dangerous[i], 0)->vector == VEC_GP;
		faulted += probe_wrmsr(dangerous[i], ~0UL)->vector == VEC_GP;
		faulted +=
			probe_wrmsr(dangerous[i], 0xffffffff80100000)->vector ==
			VEC_GP;
		check_eq(xen_version(XENVER_version, NULL), 0x40011);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(unknown); i++) {
		check_eq(probe_rdmsr(unknown[i], NULL)->vector, VEC_GP);
		check_eq(probe_wrmsr(unknown[i], 0)->vector, VEC_GP);
	}
	check_eq(probe_rdmsr(0xc0000080, &before)->vector, VEC_NONE);
	probe_wrmsr(0xc0000080, before ^ 0x800);
	check_eq(probe_rdmsr(0xc0000080, &v)->vector, VEC_NONE);
	check(v == before, "EFER changed to %lx", v);
	check_eq(PROBE("ud2", )->vector, VEC_UD);
	pass("%u of %u dangerous writes gave #GP", faulted,
	     3 * (u32)ARRAY_SIZE(dangerous));
}
