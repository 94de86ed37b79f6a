/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does set_timer_op do the same as a singleshot timer?
 * Rule:     an absolute deadline raises VIRQ_TIMER; 0 cancels.
 * Source:   guest-abi.md 7, 3.4.
 * Expected: fires after 20 ms, at once for the past, never when cancelled.
 */
#include "xt.h"

void test_main(void)
{
	long rc = bind_virq(VIRQ_TIMER, 0);
	u32 port = (u32)rc;
	u64 start = now_ns();

	check(rc > 0, "bind_virq %ld", rc);
	vcpu_op(VCPUOP_stop_periodic_timer, 0, NULL);
	clear_event(port);
	check_eq(set_timer_op(start + MS(20)), 0);
	check(spin_until(event_pending(port), MS(1000)), "never fired");
	check(now_ns() - start >= MS(20), "fired early");
	clear_event(port);
	check_eq(set_timer_op(now_ns() - MS(5)), 0);
	check(spin_until(event_pending(port), MS(100)), "past: never fired");
	clear_event(port);
	check_eq(set_timer_op(now_ns() + MS(20)), 0);
	check_eq(set_timer_op(0), 0);
	check(!spin_until(event_pending(port), MS(60)), "fired when cancelled");
	pass("3 ways");
}
