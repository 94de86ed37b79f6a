/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does forced-emulation CPUID hide what a PV guest can't use?
 * Rule:     no PSE, PCID, SMEP, SMAP, LA57, VMX, SVM, MONITOR, x2APIC
 *           TSC-deadline; hypervisor bit set; 64-bit basics and CX16 shown.
 * Source:   guest-abi.md 6.1.
 * Expected: every hidden bit clear, every needed bit set.
 */
#include "xt.h"

struct bit {
	const char *name;
	u32 value;
	unsigned int nr;
};

void test_main(void)
{
	struct cpuid l1 = xen_cpuid(1, 0), l7 = xen_cpuid(7, 0);
	struct cpuid e1 = xen_cpuid(0x80000001, 0);
	const struct bit hidden[] = {
		{ "PSE", l1.edx, 3 },      { "PSE36", l1.edx, 17 },
		{ "MONITOR", l1.ecx, 3 },  { "VMX", l1.ecx, 5 },
		{ "PCID", l1.ecx, 17 },    { "TSC deadline", l1.ecx, 24 },
		{ "SMEP", l7.ebx, 7 },     { "SMAP", l7.ebx, 20 },
		{ "INVPCID", l7.ebx, 10 }, { "UMIP", l7.ecx, 2 },
		{ "PKU", l7.ecx, 3 },      { "LA57", l7.ecx, 16 },
		{ "PDPE1GB", e1.edx, 26 }, { "SVM", e1.ecx, 2 },
	};
	const struct bit shown[] = {
		{ "FPU", l1.edx, 0 },         { "TSC", l1.edx, 4 },
		{ "MSR", l1.edx, 5 },         { "PAE", l1.edx, 6 },
		{ "CX8", l1.edx, 8 },         { "APIC", l1.edx, 9 },
		{ "SSE2", l1.edx, 26 },       { "CX16", l1.ecx, 13 },
		{ "hypervisor", l1.ecx, 31 }, { "NX", e1.edx, 20 },
		{ "LM", e1.edx, 29 },         { "SYSCALL", e1.edx, 11 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(hidden); i++)
		check(!(hidden[i].value >> hidden[i].nr & 1), "%s is shown",
		      hidden[i].name);
	for (unsigned int i = 0; i < ARRAY_SIZE(shown); i++)
		check(shown[i].value >> shown[i].nr & 1, "%s is hidden",
		      shown[i].name);
	pass("leaf 1 %x %x, leaf 7 %x %x", l1.ecx, l1.edx, l7.ebx, l7.ecx);
}
