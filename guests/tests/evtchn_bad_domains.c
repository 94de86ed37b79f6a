/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are domains and vCPUs of event operations checked?
 * Rule:     unknown remote domains -ESRCH; unknown vCPUs -ENOENT or -EINVAL;
 *           unknown operations -ENOSYS; pointers -EFAULT.
 * Source:   checklist 34, 39, 53.
 * Expected: as the rule.
 */
#include "xt.h"

void test_main(void)
{
	struct evtchn_bind_vcpu bv = { .vcpu = 5 };
	struct evtchn_reset reset = { .dom = 77 };
	struct evtchn_status st = { .dom = 77 };
	u32 port = (u32)bind_ipi(0);

	check_refused(alloc_unbound(77, DOMID_SELF));
	check_refused(bind_interdomain(77, 1));
	check_refused(bind_ipi(1));
	check_refused(bind_ipi(~0U));
	check_refused(bind_ipi(0x80000000));
	bv.port = port;
	check_refused(event_op(EVTCHNOP_bind_vcpu, &bv));
	bv.vcpu = 0;
	bv.port = (u32)bind_virq(VIRQ_TIMER, 0);
	check_refused(event_op(EVTCHNOP_bind_vcpu, &bv));
	bv.port = (u32)alloc_unbound(DOMID_SELF, DOMID_SELF);
	check_eq(event_op(EVTCHNOP_bind_vcpu, &bv), 0);
	check_refused(event_op(EVTCHNOP_reset, &reset));
	check_refused(event_op(EVTCHNOP_status, &st));
	check_eq(event_op(77, &st), -XEN_ENOSYS);
	check_eq(event_op(-1, &st), -XEN_ENOSYS);
	for (int op = 0; op < 11; op++)
		check_refused(event_op(op, (void *)HV_START));
	check_eq(send_event(port), 0);
	pass("9 refused, 11 bad pointers");
}
