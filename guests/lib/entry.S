/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry.S - ways into and out of the test guest's kernel.
 *
 * The hypervisor pushes rcx, r11, [error], rip, cs, rflags, rsp, ss; a stub
 * takes the first two back and completes struct regs of trap.h.
 */
#include "offsets.h"

	.text
	.balign	16
	.globl	trap_stubs
trap_stubs:
	vector = 0
	.rept	256
	.balign	16
	pop	%rcx
	pop	%r11
	/* Bits of the vectors that come with an error code. */
	.if	(vector > 31) || !((0x227d00 >> (vector & 31)) & 1)
	push	$0
	.endif
	push	$vector
	jmp	trap_common
	vector = vector + 1
	.endr

	.globl	event_entry, syscall_entry, syscall32_entry, sysenter_entry
	.globl	failsafe_entry
event_entry:
	pop	%rcx
	pop	%r11
	push	$0
	push	$0x100
	jmp	trap_common
syscall_entry:
	pop	%rcx
	pop	%r11
	push	$0
	push	$0x101
	jmp	trap_common
syscall32_entry:
	pop	%rcx
	pop	%r11
	push	$0
	push	$0x103
	jmp	trap_common
sysenter_entry:
	pop	%rcx
	pop	%r11
	push	$0
	push	$0x104
	jmp	trap_common
failsafe_entry:
	pop	%rcx
	pop	%r11
	pop	failsafe_sels(%rip)
	pop	failsafe_sels+8(%rip)
	pop	failsafe_sels+16(%rip)
	pop	failsafe_sels+24(%rip)
	push	$0
	push	$0x102

trap_common:
	push	%rdi
	push	%rsi
	push	%rdx
	push	%rcx
	push	%rax
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	cld
	mov	%rsp, %rdi
	mov	%rsp, %rbp
	and	$-16, %rsp
	call	trap_handler
	mov	%rbp, %rsp

restore:
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rax
	pop	%rcx
	pop	%rdx
	pop	%rsi
	pop	%rdi
	add	$16, %rsp
	push	iret_vgcf(%rip)
	push	%rcx
	push	%r11
	push	%rax
	mov	$HYPERCALL_IRET, %eax
	syscall
	ud2

/* iret_to(regs): copies the frame to this stack and leaves through it. */
	.globl	iret_to
iret_to:
	mov	%rdi, %rsi
	sub	$(22 * 8), %rsp
	mov	%rsp, %rdi
	mov	$22, %ecx
	rep movsq
	jmp	restore

/* enter_user_asm(regs, cpu): returns when trap_handler() unwinds it. */
	.globl	enter_user_asm
enter_user_asm:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, CPU_USER_SP(%rsi)
	mov	%rdi, %rbx
	lea	-64(%rsp), %rsi
	and	$-16, %rsi
	mov	$0xe02b, %edi
	mov	$HYPERCALL_STACK_SWITCH, %eax
	syscall
	mov	%rbx, %rdi
	jmp	iret_to

/* unwind(sp): ends enter_user_asm() or run_guarded_asm() there. */
	.globl	unwind
unwind:
	mov	%rdi, %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret

/* run_guarded_asm(fn, arg, cpu) */
	.globl	run_guarded_asm
run_guarded_asm:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, CPU_GUARD_SP(%rdx)
	mov	%rdx, %rbx
	mov	%rdi, %rax
	mov	%rsi, %rdi
	sub	$8, %rsp
	call	*%rax
	add	$8, %rsp
	movq	$0, CPU_GUARD_SP(%rbx)
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret

/* Where a started vCPU begins: rdi is its function, rsp its own stack. */
	.globl	vcpu_entry
vcpu_entry:
	xor	%ebp, %ebp
	call	vcpu_main
	ud2

	.section .note.GNU-stack, "", @progbits
