/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: which flags can user space be given by iret?
 * Rule:     IOPL and VM never, IF always on; arithmetic flags, DF, AC and ID
 *           as asked.
 * Source:   guest-abi.md 4.6, checklist 19, XSA-202.
 * Expected: pushf in user shows exactly those.
 */
#include "xt.h"

USER_ASM(user_pushf, "pushf\n\tpop %rax\n\tud2");

static u64 through(u64 flags)
{
	struct regs regs = user_regs(user_pushf);
	struct fault *f;

	regs.rflags = flags | 2;
	f = enter_user(&regs);
	check(f->vector == VEC_UD, "flags %lx: vector %d", flags, f->vector);
	return f->regs.rax;
}

void test_main(void)
{
	u64 kept = EFLAGS_CF | EFLAGS_ZF | EFLAGS_DF | EFLAGS_AC | 1UL << 21;
	u64 got;

	setup_user();
	got = through(0);
	check(got == (EFLAGS_IF | 2), "flags 0 gave %lx", got);
	got = through(EFLAGS_IF | EFLAGS_IOPL | 1UL << 17);
	check(got == (EFLAGS_IF | 2), "IOPL, VM gave %lx", got);
	got = through(kept | EFLAGS_IF);
	check(got == (kept | EFLAGS_IF | 2), "%lx gave %lx", kept, got);
	got = through(~0UL & ~(EFLAGS_TF | 1UL << 16));
	check(!(got & (EFLAGS_IOPL | 1UL << 17)), "all ones gave %lx", got);
	pass("all ones become %lx", got);
}
