/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A multiboot kernel whose first instruction reads the time stamp counter. It
 * prints ENTRY-TSC 0x<16 hexadecimal digits> on COM1 and resets the machine.
 * Booted with the modules of a real run it tells what firmware and loader took
 * of that run's time from power-on.
 */
#define COM1		0x3f8
#define MAGIC		0x1badb002

	.code32
	.text
	.balign	4
	.long	MAGIC, 0, -MAGIC
	.globl	_start
_start:
	rdtsc
	mov	%eax, %ebx
	mov	%edx, %ebp
	mov	$stack_end, %esp
	mov	$label, %esi
	mov	$COM1, %dx
1:	lodsb
	test	%al, %al
	jz	2f
	out	%al, %dx
	jmp	1b
2:	mov	%ebp, %eax
	call	print_word
	mov	%ebx, %eax
	call	print_word
	mov	$'\n', %al
	mov	$COM1, %dx
	out	%al, %dx
	/* No descriptor table, so the trap becomes a shutdown: a reset. */
	lidt	no_table
	ud2

/* Eight hexadecimal digits of EAX. */
print_word:
	mov	$8, %ecx
	mov	$COM1, %dx
3:	rol	$4, %eax
	mov	%eax, %edi
	and	$15, %eax
	mov	digits(%eax), %al
	out	%al, %dx
	mov	%edi, %eax
	loop	3b
	ret

	.section .rodata
label:	.asciz	"ENTRY-TSC 0x"
digits:	.ascii	"0123456789abcdef"
no_table:
	.word	0
	.long	0

	.bss
	.skip	64
stack_end:

	.section .note.GNU-stack, "", @progbits
