/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does system time by the time record move on and never back?
 * Rule:     ns = system_time + scaled TSC delta; monotone across updates of
 *           the record; in step with SCHEDOP_poll timeouts.
 * Source:   guest-abi.md 7.
 * Expected: no step back in 300 ms; a 100 ms sleep takes 100 to 400 ms.
 */
#include "xt.h"

void test_main(void)
{
	const struct vcpu_time_info *t = &this_cpu()->vi->time;
	u64 start = now_ns(), last = start, slept;
	u32 samples = 0, version = t->version;
	long port = alloc_unbound(DOMID_SELF, DOMID_SELF);

	while (last < start + MS(300)) {
		u64 now = now_ns();

		check(now >= last, "back from %lu to %lu", last, now);
		last = now;
		samples++;
	}
	slept = now_ns();
	check_eq(poll_port((u32)port, slept + MS(100)), 0);
	slept = now_ns() - slept;
	check(slept >= MS(100) && slept < MS(400), "slept %lu ns", slept);
	check(t->tsc_to_system_mul >> 31, "mul %x", t->tsc_to_system_mul);
	pass("%u samples, slept %lu us, version %u to %u", samples,
	     slept / 1000, version, t->version);
}
