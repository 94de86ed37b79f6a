/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First instructions: Multiboot 1 and 2 headers, 32-bit entry, early page
 * tables (first 4 GiB at 0, IMAGE_VIRT and DIRECT_MAP_VIRT), long mode, C.
 */
#include <arch/layout.h>

#define PHYS(sym) ((sym) - IMAGE_VIRT)

#define MB1_MAGIC 0x1badb002
#define MB1_FLAGS 0x00010003 /* page-aligned modules, memory map, addresses */
#define MB2_MAGIC 0xe85250d6

	.section .multiboot, "ax"
	.align 8
mb1_header:
	.long MB1_MAGIC
	.long MB1_FLAGS
	.long -(MB1_MAGIC + MB1_FLAGS)
	.long PHYS(mb1_header)
	.long PHYS(image_start)
	.long PHYS(image_data_end)
	.long PHYS(image_end)
	.long PHYS(start32)

	.align 8
mb2_header:
	.long MB2_MAGIC
	.long 0 /* i386 protected mode */
	.long mb2_end - mb2_header
	.long -(MB2_MAGIC + (mb2_end - mb2_header))
	/* address tag */
	.word 2, 0
	.long 24
	.long PHYS(mb2_header)
	.long PHYS(image_start)
	.long PHYS(image_data_end)
	.long PHYS(image_end)
	/* entry tag */
	.word 3, 0
	.long 12
	.long PHYS(start32)
	.align 8
	/* modules page aligned */
	.word 6, 0
	.long 8
	/* end */
	.word 0, 0
	.long 8
mb2_end:

	.section .head, "ax"
	.code32
	.globl start32
start32:
	cli
	cld
	movl %eax, PHYS(boot_magic)
	movl %ebx, PHYS(boot_info_phys)
	movl $PHYS(boot_stack_top), %esp

	/* Long mode or a word on the serial line. */
	movl $0x80000000, %eax
	cpuid
	cmpl $0x80000001, %eax
	jb no_long_mode
	movl $0x80000001, %eax
	cpuid
	btl $29, %edx
	jnc no_long_mode
	movl %edx, PHYS(boot_ext_features)

	/* boot_l2: 4 tables of 2 MiB pages, 4 GiB in all. */
	movl $PHYS(boot_l2), %edi
	movl $0xe3, %eax /* present, writable, accessed, dirty, 2 MiB */
	xorl %edx, %edx
	movl $2048, %ecx
1:	movl %eax, (%edi)
	movl %edx, 4(%edi)
	addl $0x200000, %eax
	addl $8, %edi
	decl %ecx
	jnz 1b
	movl $PHYS(boot_l3), %edi
	movl $PHYS(boot_l2) + 0x63, %eax
	movl $4, %ecx
2:	movl %eax, (%edi)
	addl $0x1000, %eax
	addl $8, %edi
	decl %ecx
	jnz 2b
	movl $PHYS(boot_l3) + 0x63, %eax
	movl $PHYS(boot_l4), %edi
	movl %eax, (%edi)
	movl %eax, 258 * 8(%edi)
	movl %eax, 262 * 8(%edi)

	movl %cr4, %eax
	orl $0x20, %eax /* PAE */
	movl %eax, %cr4
	movl $PHYS(boot_l4), %eax
	movl %eax, %cr3
	movl $0xc0000080, %ecx
	rdmsr
	orl $0x101, %eax /* LME, SCE */
	btl $20, PHYS(boot_ext_features)
	jnc 3f
	orl $0x800, %eax /* NXE */
3:	wrmsr
	movl %cr0, %eax
	andl $~0x4, %eax /* no FPU emulation */
	orl $0x80010023, %eax /* PG, WP, NE, MP, PE */
	movl %eax, %cr0
	lgdtl PHYS(boot_gdt_ptr)
	ljmpl $8, $PHYS(start64)

no_long_mode:
	movl $PHYS(no_long_mode_text), %esi
4:	movw $0x3fd, %dx
5:	inb %dx, %al
	testb $0x20, %al
	jz 5b
	lodsb
	testb %al, %al
	jz 6f
	movw $0x3f8, %dx
	outb %al, %dx
	jmp 4b
6:	hlt
	jmp 6b

	.code64
start64:
	movabsq $start_virt, %rax
	jmp *%rax
start_virt:
	xorl %eax, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	movl %eax, %fs
	movl %eax, %gs
	leaq boot_stack_top(%rip), %rsp
	movl boot_magic(%rip), %edi
	movl boot_info_phys(%rip), %esi
	xorl %ebp, %ebp
	call boot_main
7:	cli
	hlt
	jmp 7b

	.section .rodata
no_long_mode_text:
	.asciz "boot error: this CPU has no 64-bit mode (long mode)\r\n"

	.data
	.align 8
boot_gdt:
	.quad 0
	.quad 0x00af9b000000ffff
boot_gdt_ptr:
	.word boot_gdt_ptr - boot_gdt - 1
	.long PHYS(boot_gdt)
	.align 4
	.globl boot_magic, boot_info_phys
boot_magic:
	.long 0
boot_info_phys:
	.long 0
boot_ext_features:
	.long 0

	.bss
	.align 4096
	.globl boot_l4, boot_stack_top
boot_l4:
	.skip 4096
boot_l3:
	.skip 4096
boot_l2:
	.skip 4 * 4096
boot_stack:
	.skip 16384
boot_stack_top:
	.section .note.GNU-stack, "", @progbits
