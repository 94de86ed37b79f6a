/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled to assembler only; the build turns its output into
 * generated/asm_offsets.h, so that entry.S never knows a layout by heart. */
#include <hv/domain.h>

#include <arch/cpu.h>

#define DEFINE(name, value)                                                    \
	__asm__ volatile("\n#OFFSET " #name " %c0" : : "i"(value))
#define OFFSET(name, type, member) DEFINE(name, offsetof(type, member))

void asm_offsets(void);

void asm_offsets(void)
{
	OFFSET(CPU_VCPU, struct cpu, vcpu);
	OFFSET(CPU_STACK_TOP, struct cpu, stack_top);
	OFFSET(CPU_REGS_END, struct cpu, regs_end);
	OFFSET(CPU_SCRATCH, struct cpu, scratch);
	OFFSET(CPU_WORK, struct cpu, work);
	OFFSET(CPU_ENTRIES, struct cpu, entries);
	OFFSET(CPU_CR3_LOADS, struct cpu, cr3_loads);
	OFFSET(CPU_HOLD_START, struct cpu, hold_start);
	OFFSET(CPU_HOLD_KIND, struct cpu, hold_kind);
	OFFSET(CPU_HOLD_RAX, struct cpu, hold_rax);
	OFFSET(CPU_HOLD_RDX, struct cpu, hold_rdx);

	OFFSET(REGS_R15, struct guest_regs, r15);
	OFFSET(REGS_R14, struct guest_regs, r14);
	OFFSET(REGS_R13, struct guest_regs, r13);
	OFFSET(REGS_R12, struct guest_regs, r12);
	OFFSET(REGS_RBP, struct guest_regs, rbp);
	OFFSET(REGS_RBX, struct guest_regs, rbx);
	OFFSET(REGS_R11, struct guest_regs, r11);
	OFFSET(REGS_R10, struct guest_regs, r10);
	OFFSET(REGS_R9, struct guest_regs, r9);
	OFFSET(REGS_R8, struct guest_regs, r8);
	OFFSET(REGS_RAX, struct guest_regs, rax);
	OFFSET(REGS_RCX, struct guest_regs, rcx);
	OFFSET(REGS_RDX, struct guest_regs, rdx);
	OFFSET(REGS_RSI, struct guest_regs, rsi);
	OFFSET(REGS_RDI, struct guest_regs, rdi);
	OFFSET(REGS_ERROR, struct guest_regs, error_code);
	OFFSET(REGS_RIP, struct guest_regs, rip);
	OFFSET(REGS_CS, struct guest_regs, cs);
	OFFSET(REGS_RFLAGS, struct guest_regs, rflags);
	OFFSET(REGS_RSP, struct guest_regs, rsp);
	OFFSET(REGS_SS, struct guest_regs, ss);
	DEFINE(REGS_SIZE, sizeof(struct guest_regs));

	OFFSET(VCPU_REGS, struct vcpu, arch.regs);
	OFFSET(VCPU_IN_KERNEL, struct vcpu, arch.in_kernel);
	OFFSET(VCPU_SYSCALL_MASKS, struct vcpu, arch.syscall_masks);
	OFFSET(VCPU_KERNEL_SP, struct vcpu, arch.kernel_sp);
	OFFSET(VCPU_KERNEL_CR3, struct vcpu, arch.kernel_cr3);
	OFFSET(VCPU_USER_CR3, struct vcpu, arch.user_cr3);
	OFFSET(VCPU_GS_KERNEL, struct vcpu, arch.gs_base_kernel);
	OFFSET(VCPU_GS_USER, struct vcpu, arch.gs_base_user);
	OFFSET(VCPU_TRAPS, struct vcpu, arch.traps);
	DEFINE(TRAP_MASK_EVENTS_BIT, __builtin_ctzl(TRAP_MASK_EVENTS));
	OFFSET(VCPU_INFO, struct vcpu, arch.info);
	OFFSET(VCPU_SYSCALL_ENTRY, struct vcpu, arch.syscall_entry);
	OFFSET(INFO_PENDING, struct vcpu_info, evtchn_upcall_pending);
	OFFSET(INFO_MASK, struct vcpu_info, evtchn_upcall_mask);
	OFFSET(INFO_CR2, struct vcpu_info, arch.cr2);
}
