/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do IPI event channels carry events between two vCPUs?
 * Rule:     a port bound to vCPU 1 is delivered there, wakes it from block,
 *           and is never delivered on vCPU 0; each round trip completes.
 * Source:   guest-abi.md 9, 10.
 * Expected: 500 round trips, upcalls on the right vCPU.
 *
 * test: vcpus=2
 */
#include "xt.h"

#define ROUNDS 500

static u32 to_0, to_1;
static volatile u32 served, up;

static void second(void)
{
	up = 1;
	while (served < ROUNDS) {
		events_off();
		if (event_count[to_1] == served)
			check_eq(sched_op(SCHEDOP_block, NULL), 0);
		events_on();
		if (event_count[to_1] == served)
			continue;
		served++;
		check_eq(send_event(to_0), 0);
	}
}

void test_main(void)
{
	to_0 = (u32)bind_ipi(0);
	to_1 = (u32)bind_ipi(1);
	unmask_event(to_0);
	unmask_event(to_1);
	start_vcpu(1, second);
	events_on();
	check(spin_until(up, MS(5000)), "vCPU 1 is not up");
	for (u32 i = 0; i < ROUNDS; i++) {
		check_eq(send_event(to_1), 0);
		check(spin_until(event_count[to_0] == i + 1, MS(5000)),
		      "round %u: no answer, served %u", i, served);
	}
	check(event_count[to_1] == ROUNDS, "%u upcalls", event_count[to_1]);
	pass("%u round trips, %lu upcalls on vCPU 0", ROUNDS,
	     this_cpu()->upcalls);
}
