/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are FIFO event channels refused?
 * Rule:     our hypervisor has the two-level form only: init_control,
 *           expand_array and set_priority give -ENOSYS and events still work.
 * Source:   guest-abi.md 3.2, fact 7.
 * Expected: -ENOSYS three times.
 */
#include "xt.h"

void test_main(void)
{
	struct evtchn_init_control init = {
		.control_gfn = va_to_mfn(alloc_page()),
	};
	struct evtchn_expand_array expand = {
		.array_gfn = va_to_mfn(alloc_page()),
	};
	struct evtchn_set_priority prio = { .priority = 7 };
	u32 port = (u32)bind_ipi(0);

	check_eq(event_op(EVTCHNOP_init_control, &init), -XEN_ENOSYS);
	check_eq(event_op(EVTCHNOP_expand_array, &expand), -XEN_ENOSYS);
	prio.port = port;
	check_eq(event_op(EVTCHNOP_set_priority, &prio), -XEN_ENOSYS);
	check_eq(send_event(port), 0);
	check(event_pending(port), "two-level events are gone");
	pass("3 operations");
}
