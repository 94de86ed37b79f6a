/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do the last ports work like the first?
 * Rule:     with every port bound, port 4095 sets bit 63 of word 63 and its
 *           selector bit; only that port is delivered.
 * Source:   guest-abi.md 10, checklist 34.
 * Expected: one upcall on 4095, and on the first port of word 32.
 */
#include "xt.h"

void test_main(void)
{
	u32 ports = 0;
	long last = 0, rc;

	while ((rc = bind_ipi(0)) > 0) {
		last = rc;
		ports++;
		check(ports < 5000, "no end of ports");
	}
	check(last == 4095, "last port %ld", last);
	for (u32 p = 1; p < 4096; p++)
		unmask_event(p);
	check_eq(send_event(4095), 0);
	check(this_cpu()->vi->evtchn_pending_sel == 1UL << 63, "sel %lx",
	      this_cpu()->vi->evtchn_pending_sel);
	check_eq(send_event(2048), 0);
	check(shared_info->evtchn_pending[63] == 1UL << 63 &&
		      shared_info->evtchn_pending[32] == 1,
	      "pending words");
	events_on();
	for (u32 p = 0; p < 4096; p++)
		check(event_count[p] == (p == 4095 || p == 2048),
		      "port %u: %u upcalls", p, event_count[p]);
	pass("%u ports", ports);
}
