/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does the iret hypercall return to kernel code exactly?
 * Rule:     all registers restored, upcall mask = !IF, IOPL and VM stripped,
 *           other flags kept; the physical IF stays on.
 * Source:   guest-abi.md 4.6, checklist 19.
 * Expected: IF 0 masks and IF 1 opens; pushf always shows IF set, IOPL 0.
 */
#include "xt.h"

static u64 set_flags, result;

static bool hook(struct regs *r)
{
	if (r->vector != VEC_UD)
		return false;
	r->rflags = set_flags;
	r->rip += 2;
	return true;
}

static void through(u64 flags)
{
	set_flags = flags | 2;
	__asm__ volatile("ud2; pushf; pop %0; cld; push $2; popf"
			 : "=r"(result)
			 :
			 : "memory", "cc");
}

void test_main(void)
{
	struct vcpu_info *vi = this_cpu()->vi;

	trap_hook = hook;
	through(0);
	check_eq(vi->evtchn_upcall_mask, 1);
	check(result & EFLAGS_IF, "flags %lx", result);
	through(EFLAGS_IF);
	check_eq(vi->evtchn_upcall_mask, 0);
	through(EFLAGS_IOPL | EFLAGS_CF | EFLAGS_DF | EFLAGS_ZF);
	check(!(result & EFLAGS_IOPL), "IOPL in %lx", result);
	check((result & (EFLAGS_CF | EFLAGS_DF | EFLAGS_ZF)) ==
		      (EFLAGS_CF | EFLAGS_DF | EFLAGS_ZF),
	      "flags %lx", result);
	through(1UL << 17 | EFLAGS_IF);
	check(!(result & 1UL << 17), "VM in %lx", result);
	through(EFLAGS_AC | 1UL << 21);
	check(result & EFLAGS_AC && result & 1UL << 21, "AC, ID in %lx",
	      result);
	pass("last flags %lx", result);
}
