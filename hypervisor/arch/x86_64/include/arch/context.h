/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine's part of running vCPUs: called by domain/ (switching), mm's
 * hypercalls (new tables) and hypercall/hc_cpu.c. Unless said otherwise v is
 * the current vCPU of this CPU, in guest-kernel mode.
 */
#ifndef ARCH_CONTEXT_H
#define ARCH_CONTEXT_H

#include <hv/types.h>

struct vcpu;
struct vcpu_guest_context;

/* New vCPU: clean registers, FPU image, no handlers; not running.
 * -ENOMEM: no descriptor window left. */
int vcpu_arch_init(struct vcpu *v) MUST_CHECK;
/* Drops the window and every reference on tables and descriptor pages that a
 * stopped vCPU holds; restartable by budget (-ERESTART). */
int vcpu_arch_exit(struct vcpu *v, int *budget) MUST_CHECK;

/* VCPUOP_initialise: v is down and not the current one. ctx is the
 * hypervisor's copy. -EINVAL: a bad address, frame or table. */
int vcpu_initialise_from(struct vcpu *v, const struct vcpu_guest_context *ctx)
	MUST_CHECK;

/* The registers of v, which no CPU holds, for who debugs it. */
void vcpu_describe(const struct vcpu *v, struct vcpu_guest_context *ctx);

/* Saves the loaded vCPU and leaves its tables: it may be loaded elsewhere. */
void context_save(struct vcpu *v);
/* Loads next; NULL: nothing, for idling. */
void context_load(struct vcpu *next);

/* arch.kernel_cr3 changed: load it. */
void vcpu_load_kernel_cr3(struct vcpu *v);
/* arch.ldt_* or arch.gdt_* changed: map the window's pages and load. */
void vcpu_load_ldt(struct vcpu *v);
void vcpu_load_gdt(struct vcpu *v);
/* Takes SEGDESC references of n frames and makes them v's GDT (any v that is
 * current or not running). -EINVAL, -EBUSY as frame_get_segdesc. */
int vcpu_set_gdt(struct vcpu *v, const u64 *frames_mfn, u32 entries) MUST_CHECK;
void vcpu_drop_ldt(struct vcpu *v);

/* Guest-visible segment bases; which: SEGBASE_* of xen.h. */
int vcpu_set_segment_base(struct vcpu *v, u32 which, u64 base) MUST_CHECK;
int vcpu_set_debugreg(struct vcpu *v, unsigned int reg, u64 value) MUST_CHECK;
int vcpu_get_debugreg(struct vcpu *v, unsigned int reg, u64 *value) MUST_CHECK;
void vcpu_set_ts(struct vcpu *v, bool set);
int vcpu_set_xcr0(struct vcpu *v, u64 value) MUST_CHECK;

/* True for canonical addresses outside the hypervisor's range. */
static inline bool guest_address_ok(u64 va)
{
	return (u64)(((s64)va >> 47) + 1) <= 1 && (va >> 43) != 0x1ffff0;
}

/* HYPERVISOR_iret as part of another hypercall: takes the registers from the
 * guest's stack. The caller returns -ENORETURN. */
void vcpu_iret(struct vcpu *v);

/* Whether sp may be a kernel stack: the frame that entry.S pushes below it,
 * unchecked but for faults, does not reach the hypervisor either. */
static inline bool guest_stack_ok(u64 sp)
{
	return guest_address_ok(sp) && guest_address_ok((sp & ~15UL) - 64);
}

/* Makes the vCPU enter its handler for an exception (has_error: pushes
 * error_code); crashes the domain when it has none or its stack is bad. */
void vcpu_inject_trap(struct vcpu *v, unsigned int vector, bool has_error,
		      u32 error_code);
void vcpu_inject_gp(struct vcpu *v, u32 error_code);

#endif
