/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does closing a port clear what was pending on it?
 * Rule:     a port closed while pending must not show as pending to its next
 *           user; double close is refused.
 * Source:   guest-abi.md 10, checklist 36.
 * Expected: pending bit clear after close and reuse, second close -EINVAL.
 */
#include "xt.h"

void test_main(void)
{
	u32 port = (u32)bind_ipi(0);
	u32 next;

	check_eq(send_event(port), 0);
	check(event_pending(port), "not pending");
	check_eq(close_event(port), 0);
	check_refused(close_event(port));
	check_refused(send_event(port));
	next = (u32)bind_ipi(0);
	check(next == port, "port %u, then %u", port, next);
	check(!event_pending(next), "pending at birth");
	check_eq(send_event(next), 0);
	check(event_pending(next), "not pending");
	pass("port %u reused clean", port);
}
