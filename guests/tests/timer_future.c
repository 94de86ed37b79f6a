/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a singleshot timer fire when it should, and once?
 * Rule:     not before its deadline, soon after it, once; stop_singleshot
 *           cancels; a new one replaces the old.
 * Source:   guest-abi.md 7.
 * Expected: 20 ms timer between 20 and 200 ms; the cancelled one never.
 */
#include "xt.h"

void test_main(void)
{
	long rc = bind_virq(VIRQ_TIMER, 0);
	u32 port = (u32)rc;
	u64 start, took;

	check(rc > 0, "bind_virq %ld", rc);
	vcpu_op(VCPUOP_stop_periodic_timer, 0, NULL);
	clear_event(port);
	start = now_ns();
	check_eq(set_singleshot(start + MS(20)), 0);
	check(spin_until(event_pending(port), MS(1000)), "never fired");
	took = now_ns() - start;
	check(took >= MS(20) && took < MS(200), "fired after %lu ns", took);
	clear_event(port);
	check(!spin_until(event_pending(port), MS(60)), "fired twice");
	check_eq(set_singleshot(now_ns() + MS(20)), 0);
	check_eq(vcpu_op(VCPUOP_stop_singleshot_timer, 0, NULL), 0);
	check(!spin_until(event_pending(port), MS(60)), "fired when stopped");
	check_eq(set_singleshot(now_ns() + MS(10)), 0);
	check_eq(set_singleshot(now_ns() + MS(500)), 0);
	check(!spin_until(event_pending(port), MS(60)), "the old one fired");
	pass("20 ms took %lu us", took / 1000);
}
