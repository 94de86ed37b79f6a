/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a gate mask events exactly when its flags ask for it?
 * Rule:     bit 2 of the flags makes the hypervisor set the upcall mask on
 *           entry; otherwise the mask is left alone.
 * Source:   guest-abi.md 4.3.
 * Expected: 1 with flag 4, 0 without, for exceptions and for INT n.
 */
#include "xt.h"

static int mask_in_handler;

static bool hook(struct regs *r)
{
	if (r->vector != VEC_UD)
		return false;
	mask_in_handler = this_cpu()->vi->evtchn_upcall_mask;
	r->rip += 2;
	return true;
}

void test_main(void)
{
	struct trap_info gates[2] = { trap_gate(VEC_UD, 0) };

	trap_hook = hook;
	this_cpu()->vi->evtchn_upcall_mask = 0;
	__asm__ volatile("ud2" ::: "memory");
	check_eq(mask_in_handler, 1);
	check_eq(this_cpu()->vi->evtchn_upcall_mask, 0);
	check_eq(set_trap_table(gates), 0);
	__asm__ volatile("ud2" ::: "memory");
	check_eq(mask_in_handler, 0);
	this_cpu()->vi->evtchn_upcall_mask = 1;
	__asm__ volatile("ud2" ::: "memory");
	check_eq(mask_in_handler, 1);
	pass("masked on request only");
}
