/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does TF single-step user and kernel code of the guest?
 * Rule:     #DB after one instruction, DR6.BS visible by get_debugreg(6); a
 *           syscall or trap into the guest clears TF on entry.
 * Source:   guest-abi.md 4.5, checklist 20.
 * Expected: RIP moves by one instruction each time.
 */
#include "xt.h"

USER_ASM(user_steps, "nop\n\tnop\n\tud2");

void test_main(void)
{
	struct regs regs;
	struct fault *f;

	setup_user();
	regs = user_regs(user_steps);
	regs.rflags |= EFLAGS_TF;
	f = enter_user(&regs);
	check(f->vector == VEC_DB && f->rip == regs.rip + 1,
	      "vector %d rip +%lu", f->vector, f->rip - regs.rip);
	check(get_debugreg(6) & 1 << 14, "dr6 %lx", get_debugreg(6));
	check_eq(set_debugreg(6, 0xffff0ff0), 0);
	regs = f->regs;
	f = enter_user(&regs);
	check(f->vector == VEC_DB && f->rip == regs.rip + 1,
	      "second: vector %d rip +%lu", f->vector, f->rip - regs.rip);
	regs = f->regs;
	regs.rflags &= ~EFLAGS_TF;
	f = enter_user(&regs);
	check(f->vector == VEC_UD, "third: vector %d", f->vector);
	f = PROBE("pushf; orl $0x100, (%%rsp); popf; nop", : : "memory", "cc");
	check(f->vector == VEC_DB && f->regs.rflags & EFLAGS_TF,
	      "kernel: vector %d", f->vector);
	pass("two user steps and a kernel step");
}
