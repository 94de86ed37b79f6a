/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what happens when a domain asks for every port?
 * Rule:     at most 4095 ports, then -ENOSPC; all can be closed and used
 *           again; nothing of the hypervisor runs out with them.
 * Source:   checklist 34 and 47, XSA-317.
 * Expected: refusal at or before 4095 ports, then as many again.
 */
#include "xt.h"

static u32 fill(void)
{
	u32 n = 0;
	long rc;

	while ((rc = alloc_unbound(DOMID_SELF, DOMID_SELF)) > 0) {
		check(rc < 4096, "port %ld", rc);
		n++;
		check(n < 5000, "no end of ports");
	}
	check(rc == -XEN_ENOSPC || rc == -XEN_ENOMEM, "refused with %ld", rc);
	return n;
}

void test_main(void)
{
	u32 first = fill(), second;

	for (u32 port = 1; port < 4096; port++)
		close_event(port);
	second = fill();
	check(first == second && first > 1000, "%u then %u ports", first,
	      second);
	check_eq(send_event(4095 > first ? first : 4095), 0);
	pass("%u ports, twice", first);
}
