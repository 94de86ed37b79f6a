/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a multicall list outside guest memory do harm?
 * Rule:     -EFAULT for a list in the hypervisor, non-canonical, wrapping or
 *           running into an unmapped page; entries before that page may have
 *           run.
 * Source:   checklist 39 (base plus index reaches the hypervisor).
 * Expected: -EFAULT each, results only in the guest's own page.
 */
#include "xt.h"

void test_main(void)
{
	struct multicall_entry *list = alloc_page();
	u8 *hole = alloc_page();
	struct multicall_entry *last = (void *)(hole - sizeof(*last));

	check((u8 *)list + PAGE_SIZE == hole, "pool is not contiguous");
	check_eq(multicall((void *)HV_START, 1), -XEN_EFAULT);
	check_eq(multicall((void *)0xffff82d080200000, 3), -XEN_EFAULT);
	check_eq(multicall((void *)NONCANONICAL, 1), -XEN_EFAULT);
	check_eq(multicall((void *)(HV_START - 64), 3), -XEN_EFAULT);
	check_eq(multicall(NULL, 1), -XEN_EFAULT);
	check_eq(multicall((void *)-64UL, 0x7fffffff), -XEN_EFAULT);
	check_eq(update_va_mapping(hole, 0, UVMF_INVLPG), 0);
	last->op = __HYPERVISOR_xen_version;
	check_eq(multicall(last, 2), -XEN_EFAULT);
	check_eq(last->result, 0x40011);
	pass("7 lists refused");
}
