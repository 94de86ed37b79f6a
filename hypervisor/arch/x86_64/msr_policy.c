/* SPDX-License-Identifier: Apache-2.0 */
/* What a guest kernel may read and write of the model-specific registers:
 * segment bases for real, a few fixed answers, #GP for all else (Linux's
 * safe accessors expect that). */
#include <hv/domain.h>
#include <hv/errno.h>

#include <arch/context.h>
#include <arch/internal.h>
#include <arch/x86.h>

#include <xen/xen.h>

struct msr_row {
	u32 msr;
	bool writes_ignored; /* else a write is #GP */
	u64 value;
};

static const struct msr_row fixed[] = {
	{ 0x0000008b, true, 0 }, /* microcode revision */
	{ MSR_PAT, false, 0x0000050100070406UL },
	{ MSR_APIC_BASE, true, 0xfee00800UL },
	{ 0x00000179, false, 0 }, /* MCG_CAP: no banks */
	{ 0x000000ce, false, 0 }, /* PLATFORM_INFO */
	{ 0x000001a0, true, 0 },  /* MISC_ENABLE */
	{ 0xc0010015, true, 0 },  /* HWCR */
	{ 0xc0011029, true, 2 },  /* DE_CFG: LFENCE orders */
	{ 0xc0010055, true, 0 },  /* INT_PENDING */
	{ MSR_EFER, false, 0xd01 },
};

int guest_rdmsr(struct vcpu *v, u32 msr, u64 *value)
{
	switch (msr) {
	case MSR_FS_BASE:
		*value = rdmsr(MSR_FS_BASE);
		return 0;
	case MSR_GS_BASE:
		*value = v->arch.gs_base_kernel;
		return 0;
	case MSR_KERNEL_GS_BASE:
		*value = v->arch.gs_base_user;
		return 0;
	default:
		break;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (fixed[i].msr == msr) {
			*value = fixed[i].value;
			if (msr == MSR_APIC_BASE && v->id == 0)
				*value |= 0x100;
			return 0;
		}
	}
	return -EPERM;
}

int guest_wrmsr(struct vcpu *v, u32 msr, u64 value)
{
	switch (msr) {
	case MSR_FS_BASE:
		return vcpu_set_segment_base(v, SEGBASE_FS, value);
	case MSR_GS_BASE:
		return vcpu_set_segment_base(v, SEGBASE_GS_KERNEL, value);
	case MSR_KERNEL_GS_BASE:
		return vcpu_set_segment_base(v, SEGBASE_GS_USER, value);
	default:
		break;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(fixed); i++)
		if (fixed[i].msr == msr)
			return fixed[i].writes_ignored ? 0 : -EPERM;
	return -EPERM;
}
