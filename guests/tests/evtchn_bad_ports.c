/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are ports checked before they are used?
 * Rule:     port 0, ports from 4096 on and free ports are refused by every
 *           operation.
 * Source:   checklist 34.
 * Expected: -EINVAL or such for send, close, unmask, status, bind_vcpu.
 */
#include "xt.h"

void test_main(void)
{
	static const u32 ports[] = { 0,          2000,       4095,
				     4096,       131071,     131072,
				     0x7fffffff, 0x80000000, 0xffffffff };

	for (unsigned int i = 0; i < ARRAY_SIZE(ports); i++) {
		struct evtchn_unmask um = { .port = ports[i] };
		struct evtchn_status st = { DOMID_SELF, ports[i], 0, 0, {} };
		struct evtchn_bind_vcpu bv = { .port = ports[i] };

		check_refused(send_event(ports[i]));
		check_refused(close_event(ports[i]));
		check_refused(event_op(EVTCHNOP_bind_vcpu, &bv));
		check_refused(bind_interdomain(DOMID_SELF, ports[i]));
		if (ports[i] >= 4096) {
			check_refused(event_op(EVTCHNOP_unmask, &um));
			check_refused(event_op(EVTCHNOP_status, &st));
		}
	}
	pass("%u ports", (u32)ARRAY_SIZE(ports));
}
