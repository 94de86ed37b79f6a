/* SPDX-License-Identifier: Apache-2.0 */
/*
 * int guest_copy(void *dst, const void *src, size_t n): one side is guest
 * memory (range already checked); -14 when an access faults. Copies by words,
 * then by bytes: each byte of the guest is touched once.
 */
	.macro EXTABLE insn, fixup
	.pushsection .extable, "a"
	.balign 8
	.quad \insn, \fixup
	.popsection
	.endm

	.text
	.globl guest_copy_raw
guest_copy_raw:
	cmpq $64, %rdx
	jae 4f
	subq $8, %rdx
	jb 2f
1:
11:	movq (%rsi), %rax
12:	movq %rax, (%rdi)
	addq $8, %rsi
	addq $8, %rdi
	subq $8, %rdx
	jae 1b
2:	addq $8, %rdx
	jz 3f
21:	movb (%rsi), %al
22:	movb %al, (%rdi)
	incq %rsi
	incq %rdi
	subq $9, %rdx
	jmp 2b
3:	xorl %eax, %eax
	ret
4:	movq %rdx, %rcx
	shrq $3, %rcx
	andl $7, %edx
41:	rep movsq
	testl %edx, %edx
	jz 3b
	subq $8, %rdx
	jmp 2b

guest_copy_fault:
	movl $-14, %eax
	ret

	EXTABLE 11b, guest_copy_fault
	EXTABLE 12b, guest_copy_fault
	EXTABLE 21b, guest_copy_fault
	EXTABLE 22b, guest_copy_fault
	EXTABLE 41b, guest_copy_fault

	.section .note.GNU-stack, "", @progbits
