/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do the exceptions of user mode reach the guest kernel right?
 * Rule:     as on hardware, with the user's CS and, in page faults, the U
 *           bit.
 * Source:   guest-abi.md 4.4, 4.5.
 * Expected: #DE #BP #UD #GP; page fault codes 4, 6, 7 and 0x15 or 0x14.
 */
#include "xt.h"

USER_ASM(u_div, "xor %ecx, %ecx\n\tdiv %ecx");
USER_ASM(u_bp, "int3");
USER_ASM(u_ud, "ud2");
USER_ASM(u_gp, "hlt");
USER_ASM(u_noncanonical, "mov $1, %eax\n\tshl $63, %rax\n\tmov (%rax), %eax");
USER_ASM(u_read, "mov 0x700000, %eax");
USER_ASM(u_write, "mov %eax, 0x700008");
USER_ASM(u_text, "mov %eax, u_text(%rip)");
USER_ASM(u_kernel, "mov 0xffffffff80100000, %eax");
USER_ASM(u_jump, "mov $0x700000, %eax\n\tjmp *%rax");

static const struct {
	const u8 *code;
	int vector;
	u64 error, cr2;
} cases[] = {
	{ u_div, VEC_DE, 0, 0 },
	{ u_bp, VEC_BP, 0, 0 },
	{ u_ud, VEC_UD, 0, 0 },
	{ u_gp, VEC_GP, 0, 0 },
	{ u_noncanonical, VEC_GP, 0, 0 },
	{ u_read, VEC_PF, 4, 0x700000 },
	{ u_write, VEC_PF, 6, 0x700008 },
	{ u_text, VEC_PF, 7, 0 },
	{ u_kernel, VEC_PF, 4, 0xffffffff80100000 },
	{ u_jump, VEC_PF, 0x14, 0x700000 },
};

void test_main(void)
{
	setup_user();
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fault *f = run_user(cases[i].code);

		check(f->vector == cases[i].vector &&
			      f->error == cases[i].error,
		      "case %u: vector %d error %lx", i, f->vector, f->error);
		check(!cases[i].cr2 || f->cr2 == cases[i].cr2,
		      "case %u: cr2 %lx", i, f->cr2);
		check((f->regs.cs & 0xffff) == USER_CS, "case %u: cs %lx", i,
		      f->regs.cs);
	}
	pass("%u cases", (u32)ARRAY_SIZE(cases));
}
