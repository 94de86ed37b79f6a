/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do mask, pending and unmask follow the two-level protocol?
 * Rule:     a masked port sets its pending bit and no upcall; unmask of a
 *           pending port raises the upcall; a pending port is not raised
 *           twice.
 * Source:   guest-abi.md 10.
 * Expected: pending_sel and upcall_pending as the rule at each step.
 */
#include "xt.h"

void test_main(void)
{
	struct vcpu_info *vi = this_cpu()->vi;
	u32 port = (u32)bind_ipi(0);

	mask_event(port);
	vi->evtchn_upcall_pending = 0;
	vi->evtchn_pending_sel = 0;
	check_eq(send_event(port), 0);
	check(event_pending(port), "not pending");
	check(!vi->evtchn_upcall_pending && !vi->evtchn_pending_sel,
	      "masked port raised: sel %lx", vi->evtchn_pending_sel);
	unmask_event(port);
	check(vi->evtchn_upcall_pending, "unmask did not raise");
	check(vi->evtchn_pending_sel == 1UL << (port / 64), "sel %lx",
	      vi->evtchn_pending_sel);
	check(!event_masked(port), "still masked");
	vi->evtchn_upcall_pending = 0;
	vi->evtchn_pending_sel = 0;
	check_eq(send_event(port), 0);
	check(!vi->evtchn_pending_sel, "a pending port was raised again");
	clear_event(port);
	check_eq(send_event(port), 0);
	check(vi->evtchn_pending_sel && vi->evtchn_upcall_pending,
	      "not raised");
	check(!event_count[port], "delivered with the upcall mask set");
	events_on();
	check(event_count[port] == 1, "%u upcalls", event_count[port]);
	mask_event(port);
	unmask_event(port);
	check(event_count[port] == 1, "unmask without pending raised");
	pass("port %u", port);
}
