/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do timer values at the end of the range do harm?
 * Rule:     far deadlines are kept or clipped, never overflow into the past;
 *           periodic rates near zero are refused or bounded; the host must
 *           not starve.
 * Source:   checklist 38, XSA-20.
 * Expected: nothing fires within 60 ms; the guest keeps running.
 */
#include "xt.h"

static u32 port;

static void quiet(const char *what)
{
	check(!spin_until(event_pending(port), MS(60)), "%s fired", what);
}

void test_main(void)
{
	struct vcpu_set_periodic_timer periodic = { .period_ns = 0 };
	static const u64 periods[] = { 0, 1, 1000, 999999 };
	long rc = bind_virq(VIRQ_TIMER, 0);

	check(rc > 0, "bind_virq %ld", rc);
	port = (u32)rc;
	vcpu_op(VCPUOP_stop_periodic_timer, 0, NULL);
	clear_event(port);
	set_singleshot(now_ns() + (1UL << 62));
	quiet("2^62 ns");
	set_singleshot(0x7fffffffffffffff);
	quiet("the largest positive");
	for (unsigned int i = 0; i < ARRAY_SIZE(periods); i++) {
		periodic.period_ns = periods[i];
		vcpu_op(VCPUOP_set_periodic_timer, 0, &periodic);
		(void)spin_until(false, MS(5));
	}
	check_eq(vcpu_op(VCPUOP_stop_periodic_timer, 0, NULL), 0);
	/* Huge values with the sign bit are "far away" too, or at once. */
	set_singleshot(~0UL);
	set_timer_op(1UL << 63);
	set_timer_op(0);
	clear_event(port);
	check_eq(set_singleshot(now_ns() + MS(5)), 0);
	check(spin_until(event_pending(port), MS(500)), "timer is dead");
	pass("%u periods", (u32)ARRAY_SIZE(periods));
}
