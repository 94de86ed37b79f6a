/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A 32-bit program for a 64-bit kernel: makes system calls by INT 0x80 and by
 * the kernel's fast path (__kernel_vsyscall, which is SYSENTER or SYSCALL where
 * the CPU and the hypervisor offer one), and prints COMPAT-OK if both agree.
 * The fast path is checked with a call of six arguments, because the sixth
 * travels through the user's stack.
 */
#define AT_SYSINFO	32
#define NR_EXIT		1
#define NR_WRITE	4
#define NR_GETPPID	64
#define NR_MMAP2	192

	.code32
	.text
	.globl	_start
_start:
	mov	%esp, %esi		/* argc, argv[], 0, envp[], 0, auxv[] */
	mov	(%esi), %eax
	lea	8(%esi, %eax, 4), %esi
1:	lodsl
	test	%eax, %eax
	jnz	1b
2:	lodsl
	test	%eax, %eax
	jz	no_fast
	mov	%eax, %edx
	lodsl
	cmp	$AT_SYSINFO, %edx
	jne	2b
	mov	%eax, fast

	mov	$NR_GETPPID, %eax
	int	$0x80
	mov	%eax, parent
	mov	$NR_GETPPID, %eax
	call	*fast
	cmp	%eax, parent
	jne	bad

	/* One anonymous page: read and write, private; then use it. */
	mov	$NR_MMAP2, %eax
	xor	%ebx, %ebx
	mov	$4096, %ecx
	mov	$3, %edx
	mov	$0x22, %esi
	mov	$-1, %edi
	xor	%ebp, %ebp
	call	*fast
	cmp	$-4096, %eax
	ja	bad
	movl	$0x600d600d, (%eax)
	cmpl	$0x600d600d, (%eax)
	jne	bad

	/* Which instruction is the fast path? */
	mov	fast, %esi
	mov	$24, %ecx
	mov	$text_int80, %edi
3:	cmpw	$0x340f, (%esi)
	jne	4f
	mov	$text_sysenter, %edi
	jmp	5f
4:	cmpw	$0x050f, (%esi)
	jne	6f
	mov	$text_syscall, %edi
	jmp	5f
6:	inc	%esi
	loop	3b
5:	mov	%edi, %ecx
	mov	$text_size, %edx
	mov	$NR_WRITE, %eax
	mov	$1, %ebx
	call	*fast
	cmp	$text_size, %eax
	jne	bad

	xor	%ebx, %ebx
	mov	$text_ok, %ecx
	mov	$text_ok_size, %edx
	jmp	leave
no_fast:
bad:
	mov	$1, %ebx
	mov	$text_bad, %ecx
	mov	$text_bad_size, %edx
leave:
	push	%ebx
	mov	$1, %ebx
	mov	$NR_WRITE, %eax
	int	$0x80
	pop	%ebx
	mov	$NR_EXIT, %eax
	int	$0x80

	.data
text_int80:	.ascii	"COMPAT fast=int80   \n"
		.set	text_size, . - text_int80
text_sysenter:	.ascii	"COMPAT fast=sysenter\n"
text_syscall:	.ascii	"COMPAT fast=syscall \n"
text_ok:	.ascii	"COMPAT-OK\n"
		.set	text_ok_size, . - text_ok
text_bad:	.ascii	"COMPAT-BAD\n"
		.set	text_bad_size, . - text_bad

	.bss
	.balign	4
fast:	.skip	4
parent:	.skip	4

	.section .note.GNU-stack, "", @progbits
