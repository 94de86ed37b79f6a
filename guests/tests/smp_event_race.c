/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can one vCPU close and bind ports while the other sends on them?
 * Rule:     a send finds the port as it was before or after, never in
 *           between; no event gets lost on a port that stays.
 * Source:   checklist 36, XSA-343.
 * Expected: 3000 rounds of bind and close against sends; all statuses sane.
 *
 * test: vcpus=2 audit=20 time=120
 */
#include "xt.h"

#define ROUNDS 3000

static volatile u32 port, stop, up;
static volatile u64 sent, refused;

static void second(void)
{
	up = 1;
	while (!stop) {
		long rc = send_event(port);

		check(rc == 0 || rc == -XEN_EINVAL, "send gave %ld", rc);
		sent += rc == 0;
		refused += rc != 0;
	}
}

void test_main(void)
{
	start_vcpu(1, second);
	check(spin_until(up, MS(5000)), "vCPU 1 is not up");
	for (u32 i = 0; i < ROUNDS; i++) {
		long p = i & 1 ? bind_ipi(0) : bind_virq(VIRQ_DEBUG, 0);

		if (i % 3 == 2 && p > 0) {
			long a = p;

			check_eq(close_event((u32)p), 0);
			a = alloc_unbound(DOMID_SELF, DOMID_SELF);
			p = bind_interdomain(DOMID_SELF, (u32)a);
			check(p > 0, "bind %ld", p);
			port = (u32)p;
			check_eq(close_event((u32)a), 0);
		}
		check(p > 0, "round %u: bind %ld", i, p);
		port = (u32)p;
		check_eq(close_event((u32)p), 0);
	}
	stop = 1;
	check(sent + refused > 0, "vCPU 1 did nothing");
	pass("%u rounds, %lu sent, %lu refused", ROUNDS, sent, refused);
}
