/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hypercall handlers: arguments as the guest gave them, result for RAX. A
 * handler that returns -ERESTART has updated the guest's argument registers;
 * the entry code then lets the guest re-execute its SYSCALL, so interrupts,
 * events and the scheduler get their turn.
 */
#ifndef HV_HYPERCALL_H
#define HV_HYPERCALL_H

#include <hv/types.h>

typedef long (*hypercall_fn)(u64 a1, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6);

#define HYPERCALL_COUNT 64
extern const hypercall_fn hypercall_table[HYPERCALL_COUNT];

/*
 * Work done before a call must be restarted: bounds the time without
 * interrupts (hv/hold.h). A unit is what one page-table entry takes, some 150
 * instructions; other elements cost what they take in this coin.
 */
#define HYPERCALL_BUDGET 512
#define COST_PAGE 6       /* wiping or copying a page */
#define COST_PAGE_GIVEN 6 /* to the caller, wiped */
#define COST_PAGE_TAKEN 2
#define COST_DESCRIPTORS 64 /* checking a page of them */
#define COST_GRANT 3        /* mapping or unmapping one */

long hc_event_channel_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_grant_table_op(u64 cmd, u64 arg, u64 count, u64 a4, u64 a5, u64 a6);
long hc_sched_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_set_timer_op(u64 timeout_ns, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_vcpu_op(u64 cmd, u64 vcpu_id, u64 arg, u64 a4, u64 a5, u64 a6);
long hc_mmu_update(u64 reqs, u64 count, u64 done, u64 domid, u64 a5, u64 a6);
long hc_update_va_mapping(u64 va, u64 val, u64 flags, u64 a4, u64 a5, u64 a6);
long hc_update_va_mapping_otherdomain(u64 va, u64 val, u64 flags, u64 domid,
				      u64 a5, u64 a6);
long hc_mmuext_op(u64 ops, u64 count, u64 done, u64 domid, u64 a5, u64 a6);
long hc_memory_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_multicall(u64 list, u64 count, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_set_trap_table(u64 traps, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_set_gdt(u64 frames, u64 entries, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_stack_switch(u64 ss, u64 sp, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_set_callbacks(u64 event, u64 failsafe, u64 syscall, u64 a4, u64 a5,
		      u64 a6);
long hc_fpu_taskswitch(u64 set, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_set_debugreg(u64 reg, u64 value, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_get_debugreg(u64 reg, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_update_descriptor(u64 ma, u64 desc, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_xen_version(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_console_io(u64 cmd, u64 count, u64 buf, u64 a4, u64 a5, u64 a6);
long hc_vm_assist(u64 cmd, u64 type, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_set_segment_base(u64 which, u64 base, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_callback_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_physdev_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_platform_op(u64 arg, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_nmi_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6);

#endif
