/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a new vCPU be given privileged selectors or flags?
 * Rule:     CS and SS of the context are forced to the flat ones or refused;
 *           IOPL, VM, TF's kin never make it more than CPL 3 with IF on.
 * Source:   guest-abi.md 4.6, checklist 15 and 19.
 * Expected: CS e033 with RPL 3, IOPL 0, IF 1 or a refusal.
 *
 * test: vcpus=2
 */
#include "xt.h"

static volatile u32 second_cs, second_ss;
static volatile u64 second_flags;

static void second(void)
{
	u32 cs, ss;
	u64 flags;

	__asm__ volatile("mov %%cs, %0; mov %%ss, %1; pushf; pop %2"
			 : "=r"(cs), "=r"(ss), "=r"(flags));
	second_ss = ss;
	second_flags = flags;
	second_cs = cs;
}

static bool hook(struct regs *r)
{
	if (this_cpu()->id == 1 && r->vector == VEC_GP)
		pass("#GP %lx in its first instruction", r->error);
	return false;
}

void test_main(void)
{
	struct vcpu_guest_context *c;
	long rc;

	trap_hook = hook;
	check_refused(init_vcpu(2, second));
	c = vcpu_context(1, second);
	c->user_regs.cs = 0xe008;
	c->user_regs.ss = 0xe010;
	c->user_regs.rflags = 0x3202 | 1 << 17;
	rc = vcpu_op(VCPUOP_initialise, 1, c);
	if (rc < 0)
		pass("refused with %ld", rc);
	check_eq(vcpu_op(VCPUOP_up, 1, NULL), 0);
	check(spin_until(second_cs, MS(5000)), "vCPU 1 did not run");
	check((second_cs & 3) == 3 && (second_ss & 3) == 3, "cs %x ss %x",
	      second_cs, second_ss);
	check(!(second_flags & (EFLAGS_IOPL | 1UL << 17)) &&
		      second_flags & EFLAGS_IF,
	      "flags %lx", second_flags);
	pass("cs %x ss %x flags %lx", second_cs, second_ss, second_flags);
}
