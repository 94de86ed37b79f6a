/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine part of a vCPU. It starts the page of struct vcpu; TSS.RSP0 of
 * the CPU that runs it points to the end of regs, so the hardware saves guest
 * state in place. Offsets used by entry.S come from asm_offsets.c.
 */
#ifndef ARCH_VCPU_H
#define ARCH_VCPU_H

#include <hv/types.h>

#include <arch/regs.h>

struct vcpu_info;

/* One entry of the guest's trap table: 48-bit address plus flags. */
struct guest_trap {
	u64 address; /* 0: none; canonical otherwise */
};

struct arch_vcpu {
	u64 reserved;            /* keeps the end of regs 16-byte aligned */
	struct guest_regs regs;
	u8 in_kernel;            /* guest-kernel mode, the vCPU's own flag */
	u8 in_syscall_regs;      /* only caller-saved registers are in regs */
	u8 fpu_used;
	u8 ts_set;               /* guest's CR0.TS */
	u8 iopl;
	u8 syscall_masks;        /* CALLBACKF_mask_events per callback bit */
	u16 ds, es, fs, gs;      /* selectors while not loaded */
	u64 kernel_sp;           /* 16-byte aligned, outside the hypervisor */
	u64 kernel_cr3, user_cr3; /* machine address of the L4s; user may be 0 */
	u64 gs_base_kernel, gs_base_user, fs_base;
	struct vcpu_info *info;  /* direct map; registered or in shared_info */
	u64 event_entry, failsafe_entry, syscall_entry, syscall32_entry,
		sysenter_entry, nmi_entry;
	u64 cr2;
	u64 dr[4], dr6, dr7;
	u64 xcr0;
	u32 gdt_entries;         /* entries the guest set */
	u32 ldt_entries;
	u64 ldt_va;
	u32 window;              /* index of its descriptor window */
	u32 gdt_frames_mfn[14];  /* SEGDESC references held */
	u32 ldt_frames_mfn[16];
	u64 traps[256];          /* address (48 bits, sign folded) | dpl | mask */
	u8 fpu[1088] ALIGNED(64); /* XSAVE or FXSAVE image */
};

#endif
