/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are the features hidden that only our hypervisor hides?
 * Rule:     MTRR, FSGSBASE, RDTSCP, x2APIC and RDPID are not offered, so that
 *           no MSR or base needs switching.
 * Source:   guest-abi.md 6.1, 4.7.
 * Expected: all five bits clear.
 */
#include "xt.h"

void test_main(void)
{
	struct cpuid l1 = xen_cpuid(1, 0), l7 = xen_cpuid(7, 0);
	struct cpuid e1 = xen_cpuid(0x80000001, 0);

	check(!(l1.edx >> 12 & 1), "MTRR is shown");
	check(!(l7.ebx & 1), "FSGSBASE is shown");
	check(!(e1.edx >> 27 & 1), "RDTSCP is shown");
	check(!(l1.ecx >> 21 & 1), "x2APIC is shown");
	check(!(l7.ecx >> 22 & 1), "RDPID is shown");
	pass("leaf 7 %x %x", l7.ebx, l7.ecx);
}
