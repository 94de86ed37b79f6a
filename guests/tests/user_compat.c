/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can user space run 32-bit code and come back?
 * Rule:     CS e023 is the flat 32-bit code segment; INT 0x80 and exceptions
 *           arrive from it with that CS and a 32-bit RIP.
 * Source:   guest-abi.md 1.6, 4.2.
 * Expected: vector 0x80 with CS e023, then #UD.
 */
#include "xt.h"

USER_ASM(user_code32, ".code32\n\tmov $20, %eax\n\tint $0x80\n\t"
		      "inc %eax\n\tud2\n\t.code64");

void test_main(void)
{
	struct regs regs;
	struct fault *f;

	setup_user();
	regs = user_regs(user_code32);
	regs.cs = 0xe023;
	f = enter_user(&regs);
	check(f->vector == 0x80 && f->regs.rax == 20 &&
		      (f->regs.cs & 0xffff) == 0xe023,
	      "vector %d rax %lx cs %lx", f->vector, f->regs.rax, f->regs.cs);
	regs = f->regs;
	f = enter_user(&regs);
	check(f->vector == VEC_UD && f->regs.rax == 21 &&
		      (f->regs.cs & 0xffff) == 0xe023,
	      "vector %d rax %lx cs %lx", f->vector, f->regs.rax, f->regs.cs);
	pass("rip %lx", f->rip);
}
