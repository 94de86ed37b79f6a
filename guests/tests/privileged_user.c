/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does guest user space get any privileged instruction emulated?
 * Rule:     emulation asks for the guest's own privilege first: in user mode
 *           every one of them is #GP (or #UD), whatever the kernel may do.
 * Source:   checklist 25.
 * Expected: #GP for each, at the instruction.
 */
#include "xt.h"

USER_ASM(user_priv,
	 "cli\n\t.balign 8\n\tsti\n\t.balign 8\n\tclts\n\t.balign 8\n\t"
	 "hlt\n\t.balign 8\n\tmov %cr0, %rax\n\t.balign 8\n\t"
	 "mov %rax, %cr0\n\t.balign 8\n\tmov %cr2, %rax\n\t.balign 8\n\t"
	 "mov %cr3, %rax\n\t.balign 8\n\tmov %rax, %cr3\n\t.balign 8\n\t"
	 "mov %cr4, %rax\n\t.balign 8\n\tmov %rax, %cr4\n\t.balign 8\n\t"
	 "rdmsr\n\t.balign 8\n\twrmsr\n\t.balign 8\n\t"
	 "mov %dr7, %rax\n\t.balign 8\n\tmov %rax, %dr7\n\t.balign 8\n\t"
	 "wbinvd\n\t.balign 8\n\tinvlpg (%rax)\n\t.balign 8\n\t"
	 "lgdt (%rsp)\n\t.balign 8\n\tlidt (%rsp)\n\t.balign 8\n\t"
	 "ltr %ax\n\t.balign 8\n\tin $0x60, %al\n\t.balign 8\n\t"
	 "out %al, $0x80\n\t.balign 8\n\tin %dx, %eax\n\t.balign 8\n\t"
	 "xsetbv\n\t.balign 8\n\tswapgs\n\t.balign 8\n"
	 ".globl user_priv_end\nuser_priv_end: ud2");
extern const u8 user_priv_end[];

void test_main(void)
{
	unsigned int n = 0;

	setup_user();
	for (const u8 *p = user_priv; p < user_priv_end; p += 8, n++) {
		struct regs regs = user_regs(p);
		struct fault *f;

		regs.rcx = 0xc0000080;
		f = enter_user(&regs);
		check((f->vector == VEC_GP || f->vector == VEC_UD) &&
			      f->rip == USER_VA(p),
		      "instruction %u: vector %d", n, f->vector);
	}
	pass("%u instructions", n);
}
