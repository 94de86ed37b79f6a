/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does each vCPU have its own timer and time record?
 * Rule:     VIRQ_TIMER is per vCPU; both records give the same time within a
 *           few ms; a vCPU can't set the other's timer.
 * Source:   guest-abi.md 7.
 * Expected: own timer fires on each; the clocks agree within 20 ms.
 *
 * test: vcpus=2
 */
#include "xt.h"

static volatile u32 port_1, up;
static volatile u64 stamp_1;
static volatile u32 ask;

static void second(void)
{
	port_1 = (u32)bind_virq(VIRQ_TIMER, 1);
	check_eq(set_singleshot(now_ns() + MS(5)), 0);
	check(spin_until(event_pending(port_1), MS(2000)), "no timer on 1");
	up = 1;
	while (ask < 2) {
		if (ask == 1) {
			stamp_1 = now_ns();
			ask = 0;
		}
		__asm__ volatile("pause" ::: "memory");
	}
}

void test_main(void)
{
	struct vcpu_set_singleshot_timer t = { .timeout_abs_ns = now_ns() };
	u32 port = (u32)bind_virq(VIRQ_TIMER, 0);
	s64 worst = 0;

	start_vcpu(1, second);
	check(spin_until(up, MS(5000)), "vCPU 1 is not up");
	check_refused(vcpu_op(VCPUOP_set_singleshot_timer, 1, &t));
	clear_event(port);
	check_eq(set_singleshot(now_ns() + MS(5)), 0);
	check(spin_until(event_pending(port), MS(2000)), "no timer on 0");
	for (u32 i = 0; i < 50; i++) {
		u64 before = now_ns(), after;
		s64 low, high;

		ask = 1;
		while (ask == 1)
			__asm__ volatile("pause" ::: "memory");
		after = now_ns();
		low = (s64)(before - stamp_1);
		high = (s64)(stamp_1 - after);
		if (low > worst)
			worst = low;
		if (high > worst)
			worst = high;
	}
	ask = 2;
	check(worst < (s64)MS(20), "clocks differ by %ld ns", worst);
	pass("clocks differ by at most %ld ns", worst);
}
