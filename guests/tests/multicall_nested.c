/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: may a multicall contain a multicall?
 * Rule:     no: recursion driven by the guest is refused, and the batch goes
 *           on.
 * Source:   checklist 45.
 * Expected: an error for the inner call, its entry untouched.
 */
#include "xt.h"

void test_main(void)
{
	static struct multicall_entry inner = {
		.op = __HYPERVISOR_xen_version,
		.result = 77,
	};
	static struct multicall_entry outer[2] = {
		{ .op = __HYPERVISOR_multicall },
		{ .op = __HYPERVISOR_xen_version },
	};

	outer[0].args[0] = (unsigned long)&inner;
	outer[0].args[1] = 1;
	check_eq(multicall(outer, 2), 0);
	check_refused(outer[0].result);
	check_eq(outer[1].result, 0x40011);
	check_eq(inner.result, 77);
	check_eq(multicall(&inner, 1), 0);
	check_eq(inner.result, 0x40011);
	pass("inner call refused");
}
