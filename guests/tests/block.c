/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does SCHEDOP_block sleep until an event, without losing one?
 * Rule:     it opens the upcall mask and sleeps; a pending event returns at
 *           once; it returns 0 after the upcall.
 * Source:   guest-abi.md 7, pitfall 11.
 * Expected: at once for a pending event, 20 ms for a timer; 200 rounds of a
 *           close race.
 */
#include "xt.h"

void test_main(void)
{
	long rc = bind_virq(VIRQ_TIMER, 0);
	u32 port = (u32)rc;
	u64 start, took;

	check(rc > 0, "bind_virq %ld", rc);
	vcpu_op(VCPUOP_stop_periodic_timer, 0, NULL);
	unmask_event(port);
	start = now_ns();
	check_eq(set_singleshot(start + MS(20)), 0);
	check_eq(sched_op(SCHEDOP_block, NULL), 0);
	took = now_ns() - start;
	check(event_count[port] == 1 && took >= MS(20) && took < MS(500),
	      "%u upcalls after %lu ns", event_count[port], took);
	check_eq(this_cpu()->vi->evtchn_upcall_mask, 0);
	events_off();
	check_eq(send_event((u32)bind_ipi(0)), 0);
	for (u32 i = 0; i < 200; i++) {
		u32 before = event_count[port];

		events_off();
		check_eq(set_singleshot(now_ns() + i * 200), 0);
		start = now_ns();
		check_eq(sched_op(SCHEDOP_block, NULL), 0);
		if (event_count[port] == before)
			check(spin_until(event_count[port] != before, MS(500)),
			      "round %u: timer lost", i);
		check(now_ns() - start < MS(500), "round %u slept too long", i);
	}
	pass("20 ms took %lu us, 200 races", took / 1000);
}
