/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does an event from another vCPU end a poll?
 * Rule:     a vCPU that polls a port is woken when that port becomes pending,
 *           masked or not, without an upcall.
 * Source:   guest-abi.md 10, pitfall 14.
 * Expected: woken within 2 s of the send in each of 50 rounds, no timeouts.
 *
 * test: vcpus=2
 */
#include "xt.h"

#define ROUNDS 50

static u32 port;
static volatile u32 polling, woken;

static void second(void)
{
	for (u32 i = 0; i < ROUNDS; i++) {
		u64 start = now_ns();

		polling = i + 1;
		check_eq(poll_port(port, start + MS(10000)), 0);
		check(now_ns() - start < MS(5000), "round %u: timed out", i);
		check(event_pending(port), "round %u: woken for nothing", i);
		clear_event(port);
		woken = i + 1;
	}
}

void test_main(void)
{
	port = (u32)bind_ipi(1);
	mask_event(port);
	start_vcpu(1, second);
	for (u32 i = 0; i < ROUNDS; i++) {
		check(spin_until(polling == i + 1, MS(5000)), "no poller");
		(void)spin_until(false, MS(1) * (i % 3));
		check_eq(send_event(port), 0);
		check(spin_until(woken == i + 1, MS(5000)),
		      "round %u: not woken", i);
	}
	pass("%u rounds", ROUNDS);
}
