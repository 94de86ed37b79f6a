/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a singleshot timer in the past fire at once?
 * Rule:     a past or present deadline raises VIRQ_TIMER immediately and is
 *           no error; so does deadline 0 or 1 ns.
 * Source:   guest-abi.md 7, pitfall 11, checklist 38.
 * Expected: pending within 50 ms for each.
 */
#include "xt.h"

void test_main(void)
{
	u64 deadlines[] = { now_ns() - MS(1), 1, now_ns() };
	long port = bind_virq(VIRQ_TIMER, 0);

	check(port > 0, "bind_virq %ld", port);
	for (unsigned int i = 0; i < ARRAY_SIZE(deadlines); i++) {
		clear_event((u32)port);
		check_eq(set_singleshot(deadlines[i]), 0);
		check(spin_until(event_pending((u32)port), MS(50)),
		      "deadline %lu did not fire", deadlines[i]);
	}
	pass("%u deadlines", (u32)ARRAY_SIZE(deadlines));
}
