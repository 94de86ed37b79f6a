/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is the wall clock set, and does settime64 move it?
 * Rule:     wc_sec is the time at system time 0; XENPF_settime64 returns 0
 *           for Domain 0 and the record follows with an even, changed
 *           version.
 * Source:   guest-abi.md 7, fact 8.
 * Expected: a plausible year, then exactly the time set.
 */
#include "xt.h"

void test_main(void)
{
	const volatile struct shared_info *s = shared_info;
	struct xen_platform_op op = {
		.cmd = XENPF_settime64,
		.interface_version = XENPF_INTERFACE_VERSION,
	};
	u64 sec = s->wc_sec | (u64)s->wc_sec_hi << 32;
	u32 version = s->wc_version;

	check(sec > 1500000000 && sec < 4000000000, "wc_sec %lu", sec);
	op.u.settime64.secs = 1700000000;
	op.u.settime64.nsecs = 123456789;
	op.u.settime64.system_time = now_ns();
	check_eq(hypercall(__HYPERVISOR_platform_op, &op), 0);
	check(s->wc_version != version && !(s->wc_version & 1),
	      "version %u then %u", version, s->wc_version);
	sec = s->wc_sec | (u64)s->wc_sec_hi << 32;
	check(sec * 1000000000 + s->wc_nsec + op.u.settime64.system_time ==
		      1700000000123456789,
	      "wall clock %lu.%u", sec, s->wc_nsec);
	op.u.settime64.mbz = 1;
	check_refused(hypercall(__HYPERVISOR_platform_op, &op));
	op.cmd = XENPF_settime64;
	op.interface_version = 0x1234;
	check_refused(hypercall(__HYPERVISOR_platform_op, &op));
	check_eq(hypercall(__HYPERVISOR_platform_op, (void *)HV_START),
		 -XEN_EFAULT);
	pass("set to %lu.%u", sec, s->wc_nsec);
}
