/* SPDX-License-Identifier: Apache-2.0 */
/* The least guest: a kernel of two pages that sleeps for ever. */
#define NOTE(type, desc...)                                                    \
	.long 4, 2f - 1f, type; .asciz "Xen"; 1: desc; 2: .balign 4
#define SCHED_OP 29
#define SCHED_POLL 3

	.section .note.Xen, "a", @note
	NOTE(5, .asciz "xen-3.0")	/* XEN_VERSION */
	NOTE(6, .asciz "tiny")		/* GUEST_OS */
	NOTE(8, .asciz "generic")	/* LOADER */
	NOTE(3, .quad 0)		/* VIRT_BASE */
	NOTE(4, .quad 0)		/* PADDR_OFFSET */
	NOTE(1, .quad _start)		/* ENTRY */
	NOTE(2, .quad hypercall_page)	/* HYPERCALL_PAGE */

	.text
	.globl _start
_start:	mov	$SCHED_POLL, %edi
	lea	poll(%rip), %rsi
	call	hypercall_page + SCHED_OP * 32
	jmp	_start

	.balign	8
poll:	.quad	0, 0, 0			/* no ports, no timeout: never woken */

	.balign	4096
hypercall_page:
	.skip	4096
