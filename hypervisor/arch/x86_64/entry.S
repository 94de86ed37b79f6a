/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways in and out. Rules:
 *  - the hypervisor runs with interrupts off on the stack of its CPU; the
 *    guest's registers lie in struct vcpu (regs_end is TSS.RSP0);
 *  - GS base is struct cpu inside, MSR_KERNEL_GS_BASE then holds the guest's
 *    live GS base; CR3 always is the table of the vCPU's mode;
 *  - nothing may fault while RSP points into struct vcpu, so guest memory is
 *    touched only on the CPU stack, by instructions listed in the extable;
 *  - the final IRETQ runs on the CPU stack: if it faults, bad_guest_iret
 *    finds its frame just below stack_top.
 */
#include <arch/layout.h>

#include "generated/asm_offsets.h"
#include "entry_hooks.inc"

#define MSR_GS_BASE 0xc0000101
#define MSR_KERNEL_GS_BASE 0xc0000102
#define FLAT_CS64 0xe033
#define FLAT_CS32 0xe023
#define FLAT_SS 0xe02b
#define HYPERCALL_IRET 23
#define HYPERCALL_COUNT 64
#define ERESTART 512
#define ENORETURN 513
#define VEC_SYSCALL 0x100
#define VEC_SYSCALL32 0x101
#define VEC_SYSENTER 0x102
/* Flags a guest may have: everything but IOPL, VM, VIF, VIP; IF forced. */
#define GUEST_FLAGS 0x254dd5
#define FLAG_IF 0x200

	.macro EXTABLE insn, fixup
	.pushsection .extable, "a"
	.balign 8
	.quad \insn, \fixup
	.popsection
	.endm

	.macro LOAD_CR3 reg
	movq \reg, %cr3
	incq %gs:CPU_CR3_LOADS
	.endm

	/* Makes MSR_KERNEL_GS_BASE the base at \off of vCPU %rbx.
	 * Clobbers rax, rcx, rdx. */
	.macro SET_GUEST_GS off
	movl $MSR_KERNEL_GS_BASE, %ecx
	movl \off(%rbx), %eax
	movl \off + 4(%rbx), %edx
	wrmsr
	.endm

	/* What starts as user code ends in the guest's kernel: its tables, its
	 * events masked, rdx at its stack. rdx was the vCPU's info. Clobbers
	 * rax. */
	.macro TO_GUEST_KERNEL
	movq VCPU_KERNEL_CR3(%rbx), %rax
	LOAD_CR3 %rax
	movb $1, VCPU_IN_KERNEL(%rbx)
	movb $1, INFO_MASK(%rdx)
	movq VCPU_KERNEL_SP(%rbx), %rdx
	.endm

	/* One word of the frame below that stack; it may fault. */
	.macro FRAME_WORD value, offset
.Lword\@:
	movq \value, \offset(%rdx)
	EXTABLE .Lword\@, user_syscall_dead
	.endm

	/* To the handler rcx with the frame r11, on the CPU stack only what
	 * user_syscall and page_fault_entry pushed there. */
	.macro SYSRET_TO_KERNEL
	HOLD_END
	popq %rbx
	popq %rdx
	popq %rax
	movq %r11, %rsp
	movl $0x202, %r11d
	swapgs
	sysretq
	.endm

	.macro PUSH_ALL
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %rax
	pushq %r8
	pushq %r9
	pushq %r10
	pushq %r11
	pushq %rbx
	pushq %rbp
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	.endm

	.macro POP_ALL
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbp
	popq %rbx
	popq %r11
	popq %r10
	popq %r9
	popq %r8
	popq %rax
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
	.endm

	.section .text.entry, "ax"

/* ---- SYSCALL: a hypercall in guest-kernel mode, else a system call ---- */

	.globl syscall_entry
	.balign 64
syscall_entry:
	swapgs
	movq %rsp, %gs:CPU_SCRATCH
	incq %gs:CPU_ENTRIES
	HOLD_BEGIN HOLD_UNKNOWN
	movq %gs:CPU_REGS_END, %rsp
	cmpb $0, VCPU_IN_KERNEL - VCPU_REGS - REGS_SIZE(%rsp)
	je user_syscall
	cmpq $HYPERCALL_IRET, %rax
	je guest_iret_call

	/* Hypercall: only what C clobbers is saved; the slow exits complete
	 * the frame. */
	pushq $FLAT_SS
	pushq %gs:CPU_SCRATCH
	pushq %r11
	pushq $FLAT_CS64
	pushq %rcx
	pushq $0
	movl $VEC_SYSCALL, 4(%rsp)
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %rax
	pushq %r8
	pushq %r9
	pushq %r10
	pushq %r11
	movq %gs:CPU_STACK_TOP, %rsp
	cmpq $HYPERCALL_COUNT, %rax
	jae 3f
	HOLD_KIND %eax
	movq %r10, %rcx
	leaq hypercall_table(%rip), %r11
	call *(%r11, %rax, 8)
1:	AFTER_HYPERCALL
	movq %gs:CPU_VCPU, %rdx
	cmpl $0, %gs:CPU_WORK
	jne hypercall_slow_exit
	cmpq $-ERESTART, %rax
	je hypercall_slow_exit
	movq VCPU_INFO(%rdx), %rcx
	cmpb $0, INFO_PENDING(%rcx)
	jne 4f
2:	HOLD_END
	movq VCPU_REGS + REGS_RIP(%rdx), %rcx
	testq %rcx, %rcx
	jns 5f
6:	movq VCPU_REGS + REGS_RDI(%rdx), %rdi
	movq VCPU_REGS + REGS_RSI(%rdx), %rsi
	movq VCPU_REGS + REGS_R8(%rdx), %r8
	movq VCPU_REGS + REGS_R9(%rdx), %r9
	movq VCPU_REGS + REGS_R10(%rdx), %r10
	movq VCPU_REGS + REGS_RFLAGS(%rdx), %r11
	movq VCPU_REGS + REGS_RSP(%rdx), %rsp
	movq VCPU_REGS + REGS_RDX(%rdx), %rdx
	swapgs
	sysretq
3:	movq $-38, %rax
	jmp 1b
4:	cmpb $0, INFO_MASK(%rcx)
	jne 2b
	jmp hypercall_slow_exit
	/* SYSRET must not meet a non-canonical RIP: it would fault in ring 0
	 * with the guest's stack (low half: bit 47 set is non-canonical). */
5:	btq $47, %rcx
	jnc 6b

/* rax: result, rdx: vCPU; callee-saved registers still are the guest's. */
hypercall_slow_exit:
	movq %rbx, VCPU_REGS + REGS_RBX(%rdx)
	movq %rbp, VCPU_REGS + REGS_RBP(%rdx)
	movq %r12, VCPU_REGS + REGS_R12(%rdx)
	movq %r13, VCPU_REGS + REGS_R13(%rdx)
	movq %r14, VCPU_REGS + REGS_R14(%rdx)
	movq %r15, VCPU_REGS + REGS_R15(%rdx)
	cmpq $-ENORETURN, %rax
	je exit_to_guest
	cmpq $-ERESTART, %rax
	jne 1f
	subq $2, VCPU_REGS + REGS_RIP(%rdx) /* back to the SYSCALL */
	jmp exit_to_guest
1:	movq %rax, VCPU_REGS + REGS_RAX(%rdx)
	jmp exit_to_guest

/* A hypercall that must not return to its caller's registers as they were
 * (vCPU state replaced, domain crashed) ends here from C. */
	.globl exit_to_guest
exit_to_guest:
	movq %gs:CPU_STACK_TOP, %rsp
	cmpl $0, %gs:CPU_WORK
	jne 3f
	movq %gs:CPU_VCPU, %rbx
	movq VCPU_INFO(%rbx), %rax
	cmpb $0, INFO_PENDING(%rax)
	jne 4f
2:	HOLD_END
	pushq VCPU_REGS + REGS_SS(%rbx)
	pushq VCPU_REGS + REGS_RSP(%rbx)
	pushq VCPU_REGS + REGS_RFLAGS(%rbx)
	pushq VCPU_REGS + REGS_CS(%rbx)
	pushq VCPU_REGS + REGS_RIP(%rbx)
	movq VCPU_REGS + REGS_R15(%rbx), %r15
	movq VCPU_REGS + REGS_R14(%rbx), %r14
	movq VCPU_REGS + REGS_R13(%rbx), %r13
	movq VCPU_REGS + REGS_R12(%rbx), %r12
	movq VCPU_REGS + REGS_RBP(%rbx), %rbp
	movq VCPU_REGS + REGS_R11(%rbx), %r11
	movq VCPU_REGS + REGS_R10(%rbx), %r10
	movq VCPU_REGS + REGS_R9(%rbx), %r9
	movq VCPU_REGS + REGS_R8(%rbx), %r8
	movq VCPU_REGS + REGS_RAX(%rbx), %rax
	movq VCPU_REGS + REGS_RCX(%rbx), %rcx
	movq VCPU_REGS + REGS_RDX(%rbx), %rdx
	movq VCPU_REGS + REGS_RSI(%rbx), %rsi
	movq VCPU_REGS + REGS_RDI(%rbx), %rdi
	movq VCPU_REGS + REGS_RBX(%rbx), %rbx
	swapgs
	.globl guest_iret
guest_iret:
	iretq
3:	call guest_work
	jmp exit_to_guest
4:	cmpb $0, INFO_MASK(%rax)
	jne 2b
	movq %rbx, %rdi
	call deliver_events
	jmp exit_to_guest

/* ---- system call of a guest's user process ---- */

user_syscall:
	movq %gs:CPU_STACK_TOP, %rsp
	pushq %rax
	pushq %rdx
	pushq %rbx
	HOLD_KIND $HOLD_SYSTEM_CALL
	movq %gs:CPU_VCPU, %rbx
	/* A GS selector means that user code may have loaded a base. */
	movl %gs, %eax
	testl %eax, %eax
	jnz user_syscall_slow
	movq VCPU_INFO(%rbx), %rdx
	cmpb $0, INFO_MASK(%rdx)
	jne user_syscall_slow
	testb $2, VCPU_SYSCALL_MASKS(%rbx)
	jz user_syscall_slow
	TO_GUEST_KERNEL
	movq %gs:CPU_SCRATCH, %rax
	FRAME_WORD %rcx, -56
	FRAME_WORD %r11, -48
	FRAME_WORD %rcx, -40
	FRAME_WORD $FLAT_CS64, -32
	FRAME_WORD %r11, -24
	FRAME_WORD %rax, -16
	FRAME_WORD $FLAT_SS, -8
	leaq -56(%rdx), %r11
	SET_GUEST_GS VCPU_GS_KERNEL
	movq VCPU_SYSCALL_ENTRY(%rbx), %rcx
	testq %rcx, %rcx
	jz user_syscall_dead
	SYSRET_TO_KERNEL

user_syscall_dead:
	movq %gs:CPU_STACK_TOP, %rsp
	call guest_kernel_stack_bad
	jmp exit_to_guest

user_syscall_slow:
	popq %rbx
	popq %rdx
	popq %rax
	movq %gs:CPU_REGS_END, %rsp
	pushq $FLAT_SS
	pushq %gs:CPU_SCRATCH
	pushq %r11
	pushq $FLAT_CS64
	pushq %rcx
	pushq $0
	movl $VEC_SYSCALL, 4(%rsp)
	jmp saved_guest_frame

/* ---- SYSCALL from 32-bit code, SYSENTER ---- */

	.globl syscall32_entry
syscall32_entry:
	swapgs
	movq %rsp, %gs:CPU_SCRATCH
	incq %gs:CPU_ENTRIES
	HOLD_BEGIN HOLD_UNKNOWN
	movq %gs:CPU_REGS_END, %rsp
	pushq $FLAT_SS
	pushq %gs:CPU_SCRATCH
	pushq %r11
	pushq $FLAT_CS32
	pushq %rcx
	pushq $0
	movl $VEC_SYSCALL32, 4(%rsp)
	jmp saved_guest_frame

/* SYSENTER keeps neither RIP nor RSP, nor the selectors: the guest kernel knows
 * where its user processes return to. It leaves TF and NT set. */
	.globl sysenter_entry
sysenter_entry:
	swapgs
	movq %gs:CPU_REGS_END, %rsp
	pushq $FLAT_SS
	pushq $0
	pushfq /* before anything that changes them */
	incq %gs:CPU_ENTRIES
	HOLD_BEGIN HOLD_UNKNOWN
	pushq $3
	pushq $0
	pushq $0
	movl $VEC_SYSENTER, 4(%rsp)
	pushq $2
	popfq
	jmp saved_guest_frame

/* ---- HYPERVISOR_iret ---- */
/*
 * The context on the guest's stack: rax r11 rcx flags rip cs rflags rsp ss.
 * Fast when it goes to user mode with events enabled and nothing to do; any
 * other case is done in C from a complete frame. Until then only rax, rcx and
 * r11 (dead: they come from the context) change.
 */
guest_iret_call:
	movq %gs:CPU_STACK_TOP, %rsp
	HOLD_KIND $HYPERCALL_IRET
	movq %gs:CPU_SCRATCH, %rcx
	movq %rcx, %rax
	shrq $43, %rax
	cmpq $(HV_VIRT_START >> 43), %rax
	je guest_iret_slow
1:	movq 40(%rcx), %rax
	movl %eax, %r11d
	andl $3, %r11d
	cmpl $3, %r11d
	jne guest_iret_slow
2:	movq 48(%rcx), %r11
	testl $FLAG_IF, %r11d
	jz guest_iret_slow
	andl $GUEST_FLAGS, %r11d
	orl $FLAG_IF, %r11d
3:	pushq 64(%rcx)
4:	pushq 56(%rcx)
	pushq %r11
	pushq %rax
5:	pushq 32(%rcx)
6:	pushq (%rcx)
7:	pushq 8(%rcx)
8:	pushq 16(%rcx)
	pushq %rdx
	pushq %rbx
	movq %gs:CPU_VCPU, %rbx
	movq VCPU_INFO(%rbx), %rax
	cmpb $0, INFO_PENDING(%rax)
	jne guest_iret_undo
	cmpl $0, %gs:CPU_WORK
	jne guest_iret_undo
	movq VCPU_USER_CR3(%rbx), %rdx
	testq %rdx, %rdx
	jz guest_iret_undo
	movb $0, INFO_MASK(%rax)
	movb $0, VCPU_IN_KERNEL(%rbx)
	LOAD_CR3 %rdx
	SET_GUEST_GS VCPU_GS_USER
	HOLD_END
	popq %rbx
	popq %rdx
	popq %rcx
	popq %r11
	popq %rax
	swapgs
	jmp guest_iret

	EXTABLE 1b, guest_iret_slow
	EXTABLE 2b, guest_iret_slow
	EXTABLE 3b, guest_iret_slow
	EXTABLE 4b, guest_iret_slow
	EXTABLE 5b, guest_iret_slow
	EXTABLE 6b, guest_iret_slow
	EXTABLE 7b, guest_iret_slow
	EXTABLE 8b, guest_iret_slow

guest_iret_undo:
	popq %rbx
	popq %rdx
guest_iret_slow:
	movq %gs:CPU_REGS_END, %rsp
	pushq $FLAT_SS
	pushq %gs:CPU_SCRATCH
	pushq $FLAG_IF
	pushq $FLAT_CS64
	pushq $0
	pushq $0
	PUSH_ALL
	movq %gs:CPU_STACK_TOP, %rsp
	movq %gs:CPU_VCPU, %rdi
	call guest_iret_from_stack
	jmp exit_to_guest

/* ---- exceptions and interrupts ---- */
/* Stubs of 16 bytes: push an error code if the CPU did not, put the vector
 * into its upper half. */

	.balign 16
	.globl vector_stubs
vector_stubs:
	.set vec, 0
	.rept 256
	.balign 16
	.if (vec == 8) || (vec >= 10 && vec <= 14) || (vec == 17) || (vec == 21) || (vec == 29) || (vec == 30)
	.else
	pushq $0
	.endif
	movl $vec, 4(%rsp)
	.if (vec == 14)
	jmp page_fault_entry
	.elseif (vec == 1) || (vec == 2) || (vec == 8) || (vec == 18)
	jmp ist_entry
	.else
	jmp exception_entry
	.endif
	.set vec, vec + 1
	.endr

/*
 * A page fault of a guest's user process always is the guest kernel's: its
 * frame goes straight to the kernel stack. Everything else takes the general
 * way: faults of kernels, a loaded GS selector, masked events, no handler.
 */
page_fault_entry:
	testb $3, 16(%rsp)
	jz exception_in_hypervisor
	swapgs
	incq %gs:CPU_ENTRIES
	cld
	HOLD_BEGIN HOLD_VECTOR + 14
	cmpb $0, VCPU_IN_KERNEL - VCPU_REGS - REGS_ERROR(%rsp)
	jne kernel_page_fault
	movq %gs:CPU_STACK_TOP, %rsp
	pushq %rax
	pushq %rdx
	pushq %rbx
	movq %gs:CPU_VCPU, %rbx
	movl %gs, %eax
	testl %eax, %eax
	jnz user_page_fault_slow
	movq VCPU_INFO(%rbx), %rdx
	cmpb $0, INFO_MASK(%rdx)
	jne user_page_fault_slow
	btq $TRAP_MASK_EVENTS_BIT, VCPU_TRAPS + 14 * 8(%rbx)
	jnc user_page_fault_slow
	movq %cr2, %rax
	movq %rax, INFO_CR2(%rdx)
	TO_GUEST_KERNEL
	FRAME_WORD %rcx, -64
	FRAME_WORD %r11, -56
	movl VCPU_REGS + REGS_ERROR(%rbx), %eax
	FRAME_WORD %rax, -48
	movq VCPU_REGS + REGS_RIP(%rbx), %rax
	FRAME_WORD %rax, -40
	movq VCPU_REGS + REGS_CS(%rbx), %rax
	FRAME_WORD %rax, -32
	movq VCPU_REGS + REGS_RFLAGS(%rbx), %rax
	FRAME_WORD %rax, -24
	movq VCPU_REGS + REGS_RSP(%rbx), %rax
	FRAME_WORD %rax, -16
	movq VCPU_REGS + REGS_SS(%rbx), %rax
	FRAME_WORD %rax, -8
	leaq -64(%rdx), %r11
	SET_GUEST_GS VCPU_GS_KERNEL
	movq VCPU_TRAPS + 14 * 8(%rbx), %rcx
	shlq $16, %rcx
	sarq $16, %rcx
	SYSRET_TO_KERNEL

kernel_page_fault:
	PUSH_ALL
	movq %gs:CPU_STACK_TOP, %rsp
	movq %gs:CPU_VCPU, %rdi
	movq %cr2, %rsi
	call page_fault
	jmp exit_to_guest

user_page_fault_slow:
	popq %rbx
	popq %rdx
	popq %rax
	movq %gs:CPU_REGS_END, %rsp
	subq $(REGS_SIZE - REGS_ERROR), %rsp
	jmp saved_guest_frame

exception_entry:
	testb $3, 16(%rsp)
	jz exception_in_hypervisor
	swapgs
	incq %gs:CPU_ENTRIES
	cld
	HOLD_BEGIN HOLD_UNKNOWN
saved_guest_frame:
	PUSH_ALL
	HOLD_VECTOR_KIND
	movq %gs:CPU_STACK_TOP, %rsp
	movq %gs:CPU_VCPU, %rdi
	call trap_from_guest
	jmp exit_to_guest

exception_in_hypervisor:
	pushq %rax
	leaq guest_iret(%rip), %rax
	cmpq %rax, 16(%rsp)
	popq %rax
	je bad_guest_iret
	cld
	PUSH_ALL
	movq %rsp, %rdi
	call trap_in_hypervisor
	POP_ALL
	addq $8, %rsp
	iretq

/* The IRETQ to the guest faulted: all registers are the guest's, its frame
 * ends at stack_top. Save it as if the guest had trapped there. */
bad_guest_iret:
	swapgs
	HOLD_BEGIN HOLD_VECTOR + 13
	movq %rdi, %gs:CPU_SCRATCH
	movq %gs:CPU_STACK_TOP, %rdi
	movq %gs:CPU_REGS_END, %rsp
	pushq -8(%rdi)
	pushq -16(%rdi)
	pushq -24(%rdi)
	pushq -32(%rdi)
	pushq -40(%rdi)
	pushq $0
	movq %gs:CPU_SCRATCH, %rdi
	PUSH_ALL
	movq %gs:CPU_STACK_TOP, %rsp
	movq %gs:CPU_VCPU, %rdi
	call guest_iret_faulted
	jmp exit_to_guest

/*
 * Vectors with a stack of their own (#DB, NMI, #DF, #MC): they may hit before
 * SWAPGS, on the guest's stack pointer, or while a selector load has replaced
 * our GS base. From a guest the guest's GS is live, always. In the hypervisor
 * nothing can be assumed: the word above the frame is this CPU's struct cpu,
 * which becomes GS base until what was there is put back.
 */
ist_entry:
	cld
	PUSH_ALL
	testb $3, REGS_CS(%rsp)
	jz 2f
	swapgs
	incq %gs:CPU_ENTRIES
	HOLD_BEGIN HOLD_UNKNOWN
	HOLD_VECTOR_KIND
	movq %rsp, %rsi
	movq %gs:CPU_REGS_END, %rdi
	subq $REGS_SIZE, %rdi
	movl $(REGS_SIZE / 8), %ecx
	rep movsq
	movq %gs:CPU_STACK_TOP, %rsp
	movq %gs:CPU_VCPU, %rdi
	call trap_from_guest
	jmp exit_to_guest
2:	movl $MSR_GS_BASE, %ecx
	rdmsr
	movl %eax, %ebx
	movl %edx, %r12d
	movq REGS_SIZE(%rsp), %rax
	movq %rax, %rdx
	shrq $32, %rdx
	wrmsr
	movq %rsp, %rdi
	call trap_in_hypervisor
	movl $MSR_GS_BASE, %ecx
	movl %ebx, %eax
	movl %r12d, %edx
	wrmsr
	POP_ALL
	addq $8, %rsp
	iretq

	.section .note.GNU-stack, "", @progbits
