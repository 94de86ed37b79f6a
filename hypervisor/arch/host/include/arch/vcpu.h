/* SPDX-License-Identifier: Apache-2.0 */
/* Hosted tests look at no more than this of the machine part. */
#ifndef ARCH_VCPU_H
#define ARCH_VCPU_H

#include <hv/types.h>

#include <arch/regs.h>

struct vcpu_info;

extern _Thread_local struct vcpu *host_current_vcpu; /* played */

static inline struct vcpu *arch_current_vcpu(void)
{
	return host_current_vcpu;
}

struct arch_vcpu {
	struct guest_regs regs;
	u8 in_kernel;
	u8 nmi_pending;
	u64 kernel_cr3, user_cr3;
	u32 ldt_entries;
	u64 ldt_va;
	u32 ldt_frames_mfn[16];
	struct vcpu_info *info;
};

#endif
