/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a guest sees in CPUID: one table of what is let through of the
 * machine's own answer, and the Xen leaves. Hidden is whatever a guest kernel
 * at CPL 3 could not use, would need per-vCPU state we do not switch, or would
 * make it do more expensive things (guest-abi 6).
 */
#include <hv/domain.h>
#include <hv/string.h>

#include <arch/clock.h>
#include <arch/internal.h>
#include <arch/x86.h>

#include <xen/arch-x86/cpuid.h>

#define BIT(n) (1U << (n))

/* Leaf 1 ECX: SSE3 PCLMUL SSSE3 FMA CX16 SSE4.1 SSE4.2 MOVBE POPCNT AES XSAVE
 * AVX F16C RDRAND */
#define L1_ECX                                                                 \
	(BIT(0) | BIT(1) | BIT(9) | BIT(12) | BIT(13) | BIT(19) | BIT(20) |    \
	 BIT(22) | BIT(23) | BIT(25) | BIT(26) | BIT(28) | BIT(29) | BIT(30))
/* Leaf 1 EDX: FPU DE TSC MSR PAE CX8 APIC SEP CMOV PAT CLFLUSH MMX FXSR SSE
 * SSE2 SS HTT; no PSE, MCE, MTRR, PGE, MCA, PSE36, VME */
#define L1_EDX                                                                 \
	(BIT(0) | BIT(2) | BIT(4) | BIT(5) | BIT(6) | BIT(8) | BIT(9) |        \
	 BIT(11) | BIT(15) | BIT(16) | BIT(19) | BIT(23) | BIT(24) | BIT(25) | \
	 BIT(26) | BIT(27))
/* Leaf 7 EBX: BMI1 AVX2 BMI2 ERMS RDSEED ADX CLFLUSHOPT CLWB SHA */
#define L7_EBX                                                                 \
	(BIT(3) | BIT(5) | BIT(8) | BIT(9) | BIT(18) | BIT(19) | BIT(23) |     \
	 BIT(24) | BIT(29))
/* Leaf 7 EDX: FSRM */
#define L7_EDX BIT(4)
/* 80000001 ECX: LAHF, ABM, SSE4A, MISALIGNSSE, PREFETCHW, CR8 is hidden */
#define E1_ECX (BIT(0) | BIT(5) | BIT(6) | BIT(7) | BIT(8))
/* 80000001 EDX: as leaf 1 for AMD's copies, SYSCALL NX MMXEXT FXSR_OPT LM */
#define E1_EDX                                                                 \
	(BIT(0) | BIT(2) | BIT(4) | BIT(5) | BIT(6) | BIT(8) | BIT(9) |        \
	 BIT(11) | BIT(15) | BIT(16) | BIT(20) | BIT(22) | BIT(23) | BIT(24) | \
	 BIT(25) | BIT(29))

#define HYPERVISOR_PRESENT BIT(31)
#define OSXSAVE BIT(27)

struct policy_row {
	u32 leaf;
	u32 mask[4]; /* EAX, EBX, ECX, EDX of the machine let through */
};

#define ALL 0xffffffffU
static const struct policy_row policy[] = {
	{ 0x00000000, { ALL, ALL, ALL, ALL } },
	{ 0x00000001, { ALL, 0x0000ffff, L1_ECX, L1_EDX } },
	{ 0x00000002, { ALL, ALL, ALL, ALL } },
	{ 0x00000004, { ALL, ALL, ALL, ALL } },
	{ 0x00000007, { 0, L7_EBX, 0, L7_EDX } },
	{ 0x00000015, { ALL, ALL, ALL, 0 } },
	{ 0x00000016, { ALL, ALL, ALL, 0 } },
	{ 0x80000000, { ALL, ALL, ALL, ALL } },
	{ 0x80000001, { ALL, 0, E1_ECX, E1_EDX } },
	{ 0x80000002, { ALL, ALL, ALL, ALL } },
	{ 0x80000003, { ALL, ALL, ALL, ALL } },
	{ 0x80000004, { ALL, ALL, ALL, ALL } },
	{ 0x80000005, { ALL, ALL, ALL, ALL } },
	{ 0x80000006, { ALL, ALL, ALL, ALL } },
	{ 0x80000007, { 0, 0, 0, BIT(8) } },
	{ 0x80000008, { 0xffff, 0, 0, 0 } },
};

#define MAX_BASIC_LEAF 0x16
#define MAX_EXTENDED_LEAF 0x80000008U

static void xsave_leaf(u32 sub, u32 out[4])
{
	u32 hw[4];

	if (!cpu_features.xsave)
		return;
	cpuid(0xd, sub, &hw[0], &hw[1], &hw[2], &hw[3]);
	if (sub == 0) {
		out[0] = (u32)cpu_features.xcr0;
		out[1] = out[2] = cpu_features.xsave_bytes;
	} else if (sub == 1) {
		out[0] = hw[0] & 1; /* XSAVEOPT; no XSAVES, no XSAVEC */
	} else if (sub < 32 && (cpu_features.xcr0 >> sub & 1)) {
		memcpy(out, hw, sizeof(hw));
		out[2] = 0;
	}
}

static void xen_leaf(u32 leaf, u32 sub, u32 out[4])
{
	u64 tsc_base;
	u32 mul;
	s8 shift;

	switch (leaf - 0x40000000) {
	case 0:
		out[0] = 0x40000005;
		out[1] = XEN_CPUID_SIGNATURE_EBX;
		out[2] = XEN_CPUID_SIGNATURE_ECX;
		out[3] = XEN_CPUID_SIGNATURE_EDX;
		break;
	case 1: /* version 4.17 of the ABI */
		out[0] = 4 << 16 | 17;
		break;
	case 2:
		out[0] = 1;
		out[1] = 0x40000000;
		out[2] = XEN_CPUID_FEAT1_MMU_PT_UPDATE_PRESERVE_AD;
		break;
	case 3:
		if (sub == 0) {
			out[0] = 2; /* TSC is not emulated */
			out[1] = 2;
			out[2] = (u32)clock_tsc_khz();
		} else if (sub == 1) {
			clock_guest_params(&tsc_base, &mul, &shift);
			out[0] = (u32)-tsc_base;
			out[1] = (u32)(-tsc_base >> 32);
			out[2] = mul;
			out[3] = (u32)(s32)shift;
		}
		break;
	case 5: /* machine addresses of 44 bits keep guests on grants v1 */
		out[1] = MIN(cpu_features.physical_bits, 44U);
		break;
	default:
		break;
	}
}

void guest_cpuid(const struct vcpu *v, u32 leaf, u32 sub, u32 out[4])
{
	u32 hw[4];

	out[0] = out[1] = out[2] = out[3] = 0;
	if (leaf >= 0x40000000 && leaf < 0x40000100) {
		xen_leaf(leaf, sub, out);
		return;
	}
	if (leaf == 0xd) {
		xsave_leaf(sub, out);
		return;
	}
	if (leaf == 7 && sub)
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(policy); i++) {
		if (policy[i].leaf != leaf)
			continue;
		cpuid(leaf, sub, &hw[0], &hw[1], &hw[2], &hw[3]);
		for (unsigned int j = 0; j < 4; j++)
			out[j] = hw[j] & policy[i].mask[j];
		break;
	}
	switch (leaf) {
	case 0:
		out[0] = MIN(out[0], (u32)MAX_BASIC_LEAF);
		break;
	case 0x80000000:
		out[0] = MIN(out[0], MAX_EXTENDED_LEAF);
		break;
	case 1:
		out[1] |= v->id << 25; /* initial APIC id: 2 * vCPU */
		out[2] |= HYPERVISOR_PRESENT;
		if (cpu_features.xsave)
			out[2] |= OSXSAVE;
		else
			out[2] &= ~(BIT(26) | BIT(28) | BIT(12) | BIT(29));
		break;
	case 7:
		if (!(cpu_features.xcr0 & 4))
			out[1] &= ~BIT(5);
		break;
	default:
		break;
	}
}
