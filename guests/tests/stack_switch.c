/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does stack_switch choose the stack that user traps come in on?
 * Rule:     the frame of a trap from user space is pushed just below the
 *           given address, with SS e02b; the current kernel stack is not
 *           changed.
 * Source:   guest-abi.md 4.2, 4.6.
 * Expected: frame exactly below the address, whatever SS was named.
 */
#include "xt.h"

USER_ASM(user_trap, "ud2");

static u8 *stack;
static u64 expected_top;

static bool hook(struct regs *r)
{
	u64 end = (u64)(r + 1);
	u32 ss;

	if (r->vector != VEC_UD || (r->cs & 3) != 3)
		return false;
	__asm__ volatile("mov %%ss, %0" : "=r"(ss));
	if (end != expected_top || ss != USER_SS) {
		expected_top = end;
		fail("frame ends at %lx, ss %x", end, ss);
	}
	pass("frame ends at %lx, ss %x", end, ss);
}

void test_main(void)
{
	static u8 other[2 * STACK_SIZE] __attribute__((aligned(0x8000)));
	struct regs regs;
	struct cpu *copy = (struct cpu *)other;

	*copy = *this_cpu();
	stack = other + STACK_SIZE;
	setup_user();
	regs = user_regs(user_trap);
	trap_hook = hook;
	expected_top = (u64)stack;
	check_eq(stack_switch(0x18, (u64)stack), 0);
	iret_to(&regs);
}
