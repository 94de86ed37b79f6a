/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are the Xen CPUID leaves there?
 * Rule:     signature XenVMMXenVMM, at least leaf 5, version 4.17, one
 *           hypercall page with MSR 0x40000000, machine address width at most
 *           44 bits.
 * Source:   guest-abi.md 6.3.
 * Expected: as the rule; leaves in between 0x40000100 and 0x4000ff00 empty.
 */
#include "xt.h"

void test_main(void)
{
	struct cpuid r = xen_cpuid(0x40000000, 0);
	u32 width;

	check(r.ebx == 0x566e6558 && r.ecx == 0x65584d4d && r.edx == 0x4d4d566e,
	      "signature %x %x %x", r.ebx, r.ecx, r.edx);
	check(r.eax >= 0x40000005, "last leaf %x", r.eax);
	r = xen_cpuid(0x40000001, 0);
	check(r.eax == (4 << 16 | 17), "version %x", r.eax);
	r = xen_cpuid(0x40000002, 0);
	check(r.eax == 1 && r.ebx == 0x40000000, "hypercall page %x %x", r.eax,
	      r.ebx);
	check(r.ecx & 1, "preserve-AD not offered");
	r = xen_cpuid(0x40000005, 0);
	width = r.ebx & 0xff;
	check(width >= 29 && width <= 44, "machine address width %u", width);
	for (u32 leaf = 0x40000100; leaf < 0x40010000; leaf += 0x100) {
		r = xen_cpuid(leaf, 0);
		check(r.ebx != 0x566e6558, "signature at %x", leaf);
	}
	pass("machine address width %u", width);
}
