/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First process of the Domain 0 test image. Its first instruction reads the
 * time stamp counter, so that "how long from power-on to init" is one number;
 * it prints the line DOM0-INIT-TSC <decimal> and becomes the shell script
 * /lib/init. Job parameters arrive as environment: the kernel hands unknown
 * NAME=value words of its command line to init.
 */
	.text
	.globl	_start
_start:
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rsp, %rbp		/* argc, argv[], NULL, envp[], NULL */

	/* Decimal digits, written backwards in front of the newline. */
	lea	line_end(%rip), %rdi
	movb	$'\n', (%rdi)
	mov	$10, %ecx
1:	xor	%edx, %edx
	div	%rcx
	add	$'0', %dl
	dec	%rdi
	mov	%dl, (%rdi)
	test	%rax, %rax
	jnz	1b

	/* The label goes in front of the digits. */
	lea	label_end(%rip), %rsi
	lea	label(%rip), %rdx
2:	dec	%rsi
	dec	%rdi
	mov	(%rsi), %al
	mov	%al, (%rdi)
	cmp	%rdx, %rsi
	jne	2b

	mov	%rdi, %rsi
	lea	line_end + 1(%rip), %rdx
	sub	%rsi, %rdx
	mov	$1, %edi
	mov	$1, %eax		/* write */
	syscall

	mov	(%rbp), %rax
	lea	16(%rbp, %rax, 8), %rdx	/* envp */
	lea	shell(%rip), %rdi
	lea	arguments(%rip), %rsi
	mov	$59, %eax		/* execve; returns only on failure */
	syscall
	mov	$1, %edi
	mov	$231, %eax		/* exit_group: the kernel will panic */
	syscall

	.data
label:	.ascii	"DOM0-INIT-TSC "
label_end:
shell:	.asciz	"/bin/busybox"
name:	.asciz	"sh"
script:	.asciz	"/lib/init"
	.balign	8
arguments:
	.quad	name, script, 0

	.bss
	.skip	64
line_end:
	.skip	1

	.section .note.GNU-stack, "", @progbits
