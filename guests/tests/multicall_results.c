/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a multicall run every entry and report each result?
 * Rule:     the call itself gives 0; a failing entry has its -errno and does
 *           not stop the rest; unknown numbers -ENOSYS.
 * Source:   guest-abi.md 3.4.
 * Expected: results in order, also for a batch of 500.
 */
#include "xt.h"

static struct multicall_entry list[500];

void test_main(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(list); i++)
		list[i] = (struct multicall_entry){
			.op = __HYPERVISOR_xen_version,
			.result = 1,
		};
	list[1].op = 63;
	list[2].args[0] = 99;
	list[3].op = 1UL << 32 | 63;
	list[4].op = __HYPERVISOR_console_io;
	list[4].args[1] = 4;
	list[4].args[2] = HV_START;
	check_eq(multicall(list, ARRAY_SIZE(list)), 0);
	check_eq(list[0].result, 0x40011);
	check_eq(list[1].result, -XEN_ENOSYS);
	check_eq(list[2].result, -XEN_ENOSYS);
	check_eq(list[3].result, -XEN_ENOSYS);
	check_eq(list[4].result, -XEN_EFAULT);
	for (unsigned int i = 5; i < ARRAY_SIZE(list); i++)
		check(list[i].result == 0x40011, "entry %u: %lx", i,
		      list[i].result);
	check_eq(multicall(list, 0), 0);
	pass("%u entries", (u32)ARRAY_SIZE(list));
}
