/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the debug builds add to the ways in and out of entry.S. All macros keep
 * every register but the flags; in other builds they are empty.
 */
#ifndef ENTRY_HOOKS_H
#define ENTRY_HOOKS_H

/* On the CPU stack at stack_top, the result in rax, the callee-saved registers
 * still the guest's. Only what C keeps and rax survive. */
	.macro AFTER_HYPERCALL
#ifdef XENO_DEBUG
	pushq %rax
	subq $8, %rsp
	call audit_point
	addq $8, %rsp
	popq %rax
#endif
	.endm

#endif
