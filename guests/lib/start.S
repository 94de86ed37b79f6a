/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.S - Xen notes and entry point of a test guest.
 *
 * Keeps the entry registers for the tests to judge, moves to the library's
 * own stack and calls guest_start().
 */
#include "offsets.h"

#define NOTE(type, desc...)				\
	.balign	4;					\
	.long	4, 2f - 1f, type;			\
	.asciz	"Xen";					\
1:	desc;						\
2:	.balign	4

	.section .note.Xen, "a", @note
	NOTE(1, .quad _start)				/* ENTRY */
	NOTE(3, .quad 0xffffffff80000000)		/* VIRT_BASE */
	NOTE(4, .quad 0)				/* PADDR_OFFSET */
	NOTE(5, .asciz "xen-3.0")			/* XEN_VERSION */
	NOTE(6, .asciz "xeno-test")			/* GUEST_OS */
	NOTE(7, .asciz "1")				/* GUEST_VERSION */
	NOTE(8, .asciz "generic")			/* LOADER */
	NOTE(9, .asciz "yes")				/* PAE_MODE */
	NOTE(12, .quad 0xffff800000000000)		/* HV_START_LOW */
	NOTE(13, .quad 1, 1)				/* L1_MFN_VALID */
	NOTE(15, .quad 0x8000000000)			/* INIT_P2M */
	NOTE(16, .long 1)				/* MOD_START_PFN */
	NOTE(17, .long 0x801)				/* writable PT, dom0 */

	.section .text.start, "ax"
	.globl	_start
_start:
	mov	%rax, entry_regs+0(%rip)
	mov	%rbx, entry_regs+8(%rip)
	mov	%rcx, entry_regs+16(%rip)
	mov	%rdx, entry_regs+24(%rip)
	mov	%rsi, entry_regs+32(%rip)
	mov	%rdi, entry_regs+40(%rip)
	mov	%rbp, entry_regs+48(%rip)
	mov	%rsp, entry_regs+56(%rip)
	mov	%r8, entry_regs+64(%rip)
	mov	%r9, entry_regs+72(%rip)
	mov	%r10, entry_regs+80(%rip)
	mov	%r11, entry_regs+88(%rip)
	mov	%r12, entry_regs+96(%rip)
	mov	%r13, entry_regs+104(%rip)
	mov	%r14, entry_regs+112(%rip)
	mov	%r15, entry_regs+120(%rip)
	lea	_start(%rip), %rax
	mov	%rax, entry_regs+128(%rip)
	pushf
	pop	entry_regs+136(%rip)
	mov	%cs, entry_regs+144(%rip)
	mov	%ss, entry_regs+146(%rip)
	mov	%ds, entry_regs+148(%rip)
	mov	%es, entry_regs+150(%rip)
	mov	%fs, entry_regs+152(%rip)
	mov	%gs, entry_regs+154(%rip)
	cld
	lea	cpu_stacks+STACK_BYTES(%rip), %rsp
	mov	%rsi, %rdi
	xor	%ebp, %ebp
	call	guest_start
	ud2

	.section .note.GNU-stack, "", @progbits
