/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does EVTCHNOP_reset close all ports of the caller?
 * Rule:     after it no port is bound and all can be had again.
 * Source:   checklist 35 and 36.
 * Expected: sends refused, a VIRQ can be bound again.
 */
#include "xt.h"

void test_main(void)
{
	struct evtchn_reset reset = { .dom = DOMID_SELF };
	u32 ipi = (u32)bind_ipi(0), virq = (u32)bind_virq(VIRQ_TIMER, 0);
	long a = alloc_unbound(DOMID_SELF, DOMID_SELF);
	long b = bind_interdomain(DOMID_SELF, (u32)a);
	long rc;

	check(b > 0, "bind %ld", b);
	rc = event_op(EVTCHNOP_reset, &reset);
	if (rc == -XEN_ENOSYS)
		skip("no reset");
	check_eq(rc, 0);
	check_refused(send_event(ipi));
	check_refused(send_event(virq));
	check_refused(send_event((u32)a));
	check_refused(close_event((u32)b));
	check(bind_virq(VIRQ_TIMER, 0) > 0, "VIRQ still bound");
	ipi = (u32)bind_ipi(0);
	check_eq(send_event(ipi), 0);
	check(event_pending(ipi), "new port does not work");
	pass("4 ports closed");
}
