/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does an iret that opens the mask deliver a pending event first?
 * Rule:     before a single instruction of the target runs, the upcall comes,
 *           with the target as its interrupted address.
 * Source:   guest-abi.md 4.6, pitfall 26.
 * Expected: upcall at the target address, for kernel and for user.
 */
#include "xt.h"

USER_ASM(user_spin, "1: jmp 1b");

static u64 event_rip, event_cs, target;
static u32 port;

static bool hook(struct regs *r)
{
	if (r->vector == VEC_UD) {
		target = r->rip += 2;
		r->rflags |= EFLAGS_IF;
		return true;
	}
	if (r->vector != VEC_EVENT)
		return false;
	event_rip = r->rip;
	event_cs = r->cs;
	event_upcall();
	if ((r->cs & 3) == 3)
		pass("kernel at %lx, user at %lx", target, r->rip);
	return true;
}

void test_main(void)
{
	struct regs regs;
	long rc = bind_ipi(0);

	check(rc > 0, "bind_ipi %ld", rc);
	port = (u32)rc;
	setup_user();
	unmask_event(port);
	trap_hook = hook;
	check_eq(send_event(port), 0);
	check(!event_count[port], "delivered while masked");
	__asm__ volatile("ud2" : : : "memory");
	check(event_count[port] == 1, "%u upcalls", event_count[port]);
	check(event_rip == target && (event_cs & 3) == 0,
	      "upcall at %lx, target %lx", event_rip, target);
	events_off();
	check_eq(send_event(port), 0);
	regs = user_regs(user_spin);
	enter_user(&regs);
	fail("user space never left");
}
