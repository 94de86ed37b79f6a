/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can one vCPU reset all event channels while the other uses them?
 * Rule:     reset closes ports one by one under the locks that sends take;
 *           afterwards the port table is empty and usable.
 * Source:   checklist 36, XSA-344.
 * Expected: 100 resets; binds and sends on vCPU 1 give sane results.
 *
 * test: vcpus=2 time=120
 */
#include "xt.h"

static volatile u32 stop, up;
static volatile u64 done;

static void second(void)
{
	up = 1;
	while (!stop) {
		long p = alloc_unbound(DOMID_SELF, DOMID_SELF);
		long q = p > 0 ? bind_interdomain(DOMID_SELF, (u32)p) : p;

		check(p > 0 || p > -4096, "alloc %ld", p);
		if (q > 0)
			send_event((u32)q);
		if (p > 0)
			close_event((u32)p);
		done++;
	}
}

void test_main(void)
{
	struct evtchn_reset reset = { .dom = DOMID_SELF };
	u32 resets = 0;
	u64 end;
	long p;

	start_vcpu(1, second);
	check(spin_until(up, MS(5000)), "vCPU 1 is not up");
	end = now_ns() + MS(20000);
	while (resets < 100 && now_ns() < end) {
		long rc = event_op(EVTCHNOP_reset, &reset);

		if (rc == -XEN_ENOSYS)
			skip("no reset");
		/* Not now, says Xen at times. */
		if (rc == -XEN_EAGAIN)
			continue;
		check_eq(rc, 0);
		resets++;
	}
	stop = 1;
	check(done, "vCPU 1 did nothing");
	(void)spin_until(vcpu_op(VCPUOP_is_up, 1, NULL) == 0, MS(5000));
	check_eq(event_op(EVTCHNOP_reset, &reset), 0);
	p = bind_ipi(0);
	check(p > 0, "bind_ipi %ld", p);
	check_eq(send_event((u32)p), 0);
	check(event_pending((u32)p), "not pending");
	pass("%u resets against %lu binds", resets, done);
}
