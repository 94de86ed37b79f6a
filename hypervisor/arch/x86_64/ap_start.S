/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start of the secondary CPUs: copied to a page below 1 MiB. Real mode to
 * long mode on the hypervisor's own tables, then ap_main(struct cpu *).
 * ap_params (in the copy) is filled in by smp_boot.c.
 */
	.section .rodata
	.globl ap_trampoline, ap_trampoline_end, ap_params
	.code16
ap_trampoline:
	cli
	cld
	movw %cs, %ax
	movw %ax, %ds
	xorl %ebx, %ebx
	movw %cs, %bx
	shll $4, %ebx /* physical address of this page */
	leal (ap_gdt - ap_trampoline)(%ebx), %eax
	movl %eax, ap_gdt_ptr - ap_trampoline + 2
	leal (ap_start32 - ap_trampoline)(%ebx), %eax
	movl %eax, ap_jump32 - ap_trampoline
	leal (ap_start64 - ap_trampoline)(%ebx), %eax
	movl %eax, ap_jump64 - ap_trampoline
	lgdtl ap_gdt_ptr - ap_trampoline
	movl %cr0, %eax
	orl $1, %eax
	movl %eax, %cr0
	ljmpl *(ap_jump32 - ap_trampoline)

	.code32
ap_start32:
	movw $16, %ax
	movw %ax, %ds
	movw %ax, %ss
	movl %cr4, %eax
	orl $0x20, %eax
	movl %eax, %cr4
	movl (ap_params - ap_trampoline)(%ebx), %eax /* CR3 below 4 GiB */
	movl %eax, %cr3
	movl $0xc0000080, %ecx
	movl (ap_params - ap_trampoline + 24)(%ebx), %eax /* EFER */
	xorl %edx, %edx
	wrmsr
	movl %cr0, %eax
	andl $~0x60000004, %eax /* caches on, no FPU emulation */
	orl $0x80010023, %eax
	movl %eax, %cr0
	ljmpl *(ap_jump64 - ap_trampoline)(%ebx)

	.code64
ap_start64:
	movl %ebx, %ebx
	movq (ap_params - ap_trampoline + 8)(%rbx), %rsp
	movq (ap_params - ap_trampoline + 16)(%rbx), %rdi
	movq (ap_params - ap_trampoline + 32)(%rbx), %rax
	xorl %ecx, %ecx
	movl %ecx, %ds
	movl %ecx, %es
	movl %ecx, %ss
	movl %ecx, %fs
	movl %ecx, %gs
	xorl %ebp, %ebp
	call *%rax

	.align 8
ap_gdt:
	.quad 0
	.quad 0x00af9b000000ffff /* 8: 64-bit code */
	.quad 0x00cf93000000ffff /* 16: data */
	.quad 0x00cf9b000000ffff /* 24: 32-bit code */
ap_gdt_ptr:
	.word ap_gdt_ptr - ap_gdt - 1
	.long 0
	.align 4
ap_jump32:
	.long 0
	.word 24
	.align 4
ap_jump64:
	.long 0
	.word 8
	.align 8
ap_params:
	.quad 0 /* CR3 */
	.quad 0 /* stack */
	.quad 0 /* struct cpu */
	.quad 0 /* EFER */
	.quad 0 /* ap_main */
ap_trampoline_end:
	.section .note.GNU-stack, "", @progbits
