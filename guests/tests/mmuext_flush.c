/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do the TLB operations accept any address and any vCPU mask?
 * Rule:     non-canonical and hypervisor addresses flush nothing and harm
 *           nothing (INVPCID would fault); masks are bitmaps read from guest
 *           memory, absent vCPUs in them ignored.
 * Source:   checklist 27, XSA-279, guest-abi.md 8.4.
 * Expected: 0 for good ones; bad mask pointers -EFAULT.
 */
#include "xt.h"

static long multi(u32 cmd, u64 va, const void *mask)
{
	struct mmuext_op op = { .cmd = cmd };

	op.arg1.linear_addr = va;
	set_xen_guest_handle(op.arg2.vcpumask, mask);
	return mmuext_op(&op, 1, NULL, DOMID_SELF);
}

void test_main(void)
{
	static const u64 all[128] = { ~0UL, ~0UL, ~0UL };
	static const u64 none[128];

	check_eq(mmuext(MMUEXT_TLB_FLUSH_LOCAL, 0), 0);
	check_eq(mmuext(MMUEXT_TLB_FLUSH_ALL, 0), 0);
	check_eq(mmuext_linear(MMUEXT_INVLPG_LOCAL, all), 0);
	check_eq(mmuext_linear(MMUEXT_INVLPG_LOCAL, (void *)NONCANONICAL), 0);
	check_eq(mmuext_linear(MMUEXT_INVLPG_ALL, (void *)NONCANONICAL), 0);
	check_eq(mmuext_linear(MMUEXT_INVLPG_LOCAL, (void *)HV_START), 0);
	check_eq(mmuext_linear(MMUEXT_INVLPG_ALL, (void *)0x0000800000000000),
		 0);
	check_eq(multi(MMUEXT_TLB_FLUSH_MULTI, 0, all), 0);
	check_eq(multi(MMUEXT_TLB_FLUSH_MULTI, 0, none), 0);
	check_eq(multi(MMUEXT_INVLPG_MULTI, (u64)all, all), 0);
	check_eq(multi(MMUEXT_INVLPG_MULTI, NONCANONICAL, all), 0);
	check_refused(multi(MMUEXT_TLB_FLUSH_MULTI, 0, (void *)HV_START));
	check_refused(multi(MMUEXT_INVLPG_MULTI, 0, (void *)NONCANONICAL));
	check_refused(multi(MMUEXT_TLB_FLUSH_MULTI, 0, NULL));
	pass("14 flushes");
}
