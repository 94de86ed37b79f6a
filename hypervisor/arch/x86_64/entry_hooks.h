/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What DEBUG=1 and LATENCY=1 builds add to the ways in and out of entry.S. In
 * other builds all of these are empty. They keep all registers but the flags.
 */
#ifndef ENTRY_HOOKS_H
#define ENTRY_HOOKS_H

#include <hv/hold.h>

/* Calls a C function from the CPU stack. */
	.macro CALL_KEEPING_ALL fn
	pushq %rbp
	movq %rsp, %rbp
	pushq %rax
	pushq %rcx
	pushq %rdx
	pushq %rsi
	pushq %rdi
	pushq %r8
	pushq %r9
	pushq %r10
	pushq %r11
	andq $-16, %rsp
	call \fn
	leaq -72(%rbp), %rsp
	popq %r11
	popq %r10
	popq %r9
	popq %r8
	popq %rdi
	popq %rsi
	popq %rdx
	popq %rcx
	popq %rax
	popq %rbp
	.endm

	.macro AFTER_HYPERCALL
#ifdef XENO_DEBUG
	CALL_KEEPING_ALL audit_point
#endif
	.endm

/* An entry begins; GS base is ours, any stack. */
	.macro HOLD_BEGIN kind
#ifdef XENO_LATENCY
	movq %rax, %gs:CPU_HOLD_RAX
	movq %rdx, %gs:CPU_HOLD_RDX
	movl $\kind, %gs:CPU_HOLD_KIND
	rdtsc
	shlq $32, %rdx
	orq %rdx, %rax
	movq %rax, %gs:CPU_HOLD_START
	movq %gs:CPU_HOLD_RAX, %rax
	movq %gs:CPU_HOLD_RDX, %rdx
#endif
	.endm

/* Now it is known what it is: the number in a 32-bit register. */
	.macro HOLD_KIND reg
#ifdef XENO_LATENCY
	movl \reg, %gs:CPU_HOLD_KIND
#endif
	.endm

/* The same for a saved frame at rsp, rax being free. */
	.macro HOLD_VECTOR_KIND
#ifdef XENO_LATENCY
	movl REGS_ERROR + 4(%rsp), %eax
	addl $HOLD_VECTOR, %eax
	movl %eax, %gs:CPU_HOLD_KIND
#endif
	.endm

/* Nothing but loading the guest's registers comes after this. */
	.macro HOLD_END
#ifdef XENO_LATENCY
	CALL_KEEPING_ALL hold_end
#endif
	.endm

#endif
