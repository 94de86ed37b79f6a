/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine part of a vCPU. It starts the page of struct vcpu; TSS.RSP0 of
 * the CPU that runs it points to the end of regs, so the hardware saves guest
 * state in place. Offsets used by entry.S come from asm_offsets.c.
 */
#ifndef ARCH_VCPU_H
#define ARCH_VCPU_H

#include <hv/types.h>

#include <arch/cpu.h>
#include <arch/regs.h>

struct vcpu_info;

static inline struct vcpu *arch_current_vcpu(void)
{
	struct vcpu *v;

	__asm__ volatile("movq %%gs:%c1, %0"
			 : "=r"(v)
			 : "i"(offsetof(struct cpu, vcpu)));
	return v;
}

/*
 * The guest's trap table: handler address with bits 48..63 (copies of bit 47)
 * replaced by TRAP_* flags; 0: no handler.
 */
#define TRAP_ADDRESS_MASK 0x0000ffffffffffffUL
#define TRAP_DPL3 (1UL << 48) /* software interrupts from user allowed */
#define TRAP_MASK_EVENTS (1UL << 49)

static inline u64 trap_address(u64 trap)
{
	return (u64)((s64)(trap << 16) >> 16);
}

/* Bits of syscall_masks: callbacks that disable events on entry. */
#define CALLBACK_MASK_EVENT 0x01
#define CALLBACK_MASK_SYSCALL 0x02
#define CALLBACK_MASK_SYSCALL32 0x04
#define CALLBACK_MASK_SYSENTER 0x08
#define CALLBACK_MASK_FAILSAFE 0x10
#define CALLBACK_MASK_NMI 0x20

struct arch_vcpu {
	u64 reserved; /* keeps the end of regs 16-byte aligned */
	struct guest_regs regs;
	u8 in_kernel;     /* guest-kernel mode, the vCPU's own flag */
	u8 ts_set;        /* guest's CR0.TS */
	u8 iopl;          /* virtual IOPL: who may use ports */
	u8 syscall_masks; /* CALLBACK_MASK_*: events off on entry */
	u8 nmi_pending;
	u8 bad_selectors;   /* a selector failed to load: failsafe due */
	u16 fpu_cpu;        /* whose registers hold fpu, with fpu_owner */
	u16 ds, es, fs, gs; /* selectors while not loaded */
	u64 kernel_sp;      /* 16-byte aligned, outside the hypervisor */
	u64 kernel_cr3,
		user_cr3; /* machine address of the L4s; user may be 0 */
	u64 gs_base_kernel, gs_base_user, fs_base;
	struct vcpu_info *info; /* direct map; registered or in shared_info */
	u64 event_entry, failsafe_entry, syscall_entry, syscall32_entry,
		sysenter_entry, nmi_entry;
	u64 dr[4], dr6, dr7;
	u64 xcr0;
	u32 gdt_entries; /* entries the guest set */
	u32 ldt_entries;
	u64 ldt_va;
	/* The guest kernel's, set bits forbid; how many ports it is about. */
	u64 iobitmap_va;
	u32 iobitmap_ports;
	u32 window;             /* index of its descriptor window */
	u32 gdt_frames_mfn[14]; /* SEGDESC references held */
	u32 ldt_frames_mfn[16];
	u64 traps[256];
	u8 fpu[832] ALIGNED(64); /* XSAVE (x87, SSE, AVX) or FXSAVE image */
};

#endif
