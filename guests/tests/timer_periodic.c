/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does the periodic timer tick, and stop?
 * Rule:     set_periodic_timer raises VIRQ_TIMER each period; stop ends it;
 *           or it's refused as a whole (the stock kernel never starts one).
 * Source:   guest-abi.md 7, 3.4.
 * Expected: 10 to 24 ticks of 10 ms in 200 ms, then none.
 */
#include "xt.h"

void test_main(void)
{
	struct vcpu_set_periodic_timer arg = { .period_ns = MS(10) };
	long rc = bind_virq(VIRQ_TIMER, 0);
	u32 port = (u32)rc, ticks = 0;
	u64 end;

	check(rc > 0, "bind_virq %ld", rc);
	rc = vcpu_op(VCPUOP_set_periodic_timer, 0, &arg);
	if (rc == -XEN_ENOSYS)
		skip("no periodic timer");
	check_eq(rc, 0);
	end = now_ns() + MS(200);
	while (now_ns() < end)
		if (event_pending(port)) {
			clear_event(port);
			ticks++;
		}
	check(ticks >= 10 && ticks <= 24, "%u ticks", ticks);
	check_eq(vcpu_op(VCPUOP_stop_periodic_timer, 0, NULL), 0);
	clear_event(port);
	check(!spin_until(event_pending(port), MS(60)), "still ticking");
	pass("%u ticks", ticks);
}
