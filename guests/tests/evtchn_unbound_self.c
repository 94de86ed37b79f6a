/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do two ports of one domain work as a channel to itself?
 * Rule:     alloc_unbound to self, bind_interdomain to it; a send on either
 *           side raises the other; status shows both ends.
 * Source:   guest-abi.md 10, fact 10.
 * Expected: pending on the peer only, each way; binding raises the new port
 *           once.
 */
#include "xt.h"

void test_main(void)
{
	long a = alloc_unbound(DOMID_SELF, DOMID_SELF);
	long b = bind_interdomain(DOMID_SELF, (u32)a);
	struct evtchn_status st = { .dom = DOMID_SELF };

	check(a > 0 && b > 0 && a != b, "ports %ld %ld", a, b);
	check(event_pending((u32)b), "a new binding is not pending");
	clear_event((u32)a);
	clear_event((u32)b);
	check_eq(send_event((u32)a), 0);
	check(event_pending((u32)b) && !event_pending((u32)a), "a to b");
	clear_event((u32)b);
	check_eq(send_event((u32)b), 0);
	check(event_pending((u32)a) && !event_pending((u32)b), "b to a");
	st.port = (u32)a;
	check_eq(event_op(EVTCHNOP_status, &st), 0);
	check(st.status == EVTCHNSTAT_interdomain && st.u.interdomain.port == b,
	      "status %u port %u", st.status, st.u.interdomain.port);
	check_refused(bind_interdomain(DOMID_SELF, (u32)a));
	check_eq(close_event((u32)a), 0);
	clear_event((u32)b);
	st.port = (u32)b;
	check_eq(event_op(EVTCHNOP_status, &st), 0);
	check(st.status == EVTCHNSTAT_unbound, "peer status %u", st.status);
	check_eq(send_event((u32)b), 0);
	pass("ports %ld and %ld", a, b);
}
