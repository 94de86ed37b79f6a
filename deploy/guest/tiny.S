/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A PV kernel that needs nothing: for tests of domains as such. The first
 * character of its command line says what it does: s spins, c crashes by an
 * exception that it has no handler for; anything else sleeps for ever.
 */
#define SCHED_OP 29
#define SCHED_POLL 3
#define HYPERCALL_BYTES 32
#define COMMAND_LINE 128 /* offset in struct start_info, which RSI points to */

	.macro	note type, size, value:vararg
	.long	4, \size, \type
	.asciz	"Xen"
	\value
	.balign	4
	.endm

	.section .note.Xen, "a", @note
	note	5, 8, .asciz "xen-3.0"
	note	6, 5, .asciz "tiny"
	note	8, 8, .asciz "generic"
	note	3, 8, .quad 0
	note	4, 8, .quad 0
	note	1, 8, .quad _start
	note	2, 8, .quad hypercall_page

	.text
	.globl	_start
_start:
	mov	COMMAND_LINE(%rsi), %al
	cmp	$'s', %al
	je	spin
	cmp	$'c', %al
	je	crash
sleep:
	mov	$SCHED_POLL, %edi
	lea	poll(%rip), %rsi
	call	hypercall_page + SCHED_OP * HYPERCALL_BYTES
	jmp	sleep
spin:
	pause
	jmp	spin
crash:
	ud2

	.balign	8
poll:	/* no ports, no time limit */
	.quad	0, 0, 0

	.balign	4096
hypercall_page:
	.skip	4096

	.section .note.GNU-stack, "", @progbits
