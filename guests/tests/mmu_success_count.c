/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does the done count tell how far a failing batch came?
 * Rule:     updates run in order, stop at the first failure, and the count of
 *           finished ones is written in that case too.
 * Source:   guest-abi.md 8.2.
 * Expected: 3 of 5 done, the failing one's errno returned, the 5th not done.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	u64 pte = mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL);
	struct mmu_update req[5];
	struct mmuext_op ops[3] = {
		{ .cmd = MMUEXT_TLB_FLUSH_LOCAL },
		{ .cmd = MMUEXT_UNPIN_TABLE, .arg1.mfn = va_to_mfn(req) },
		{ .cmd = MMUEXT_TLB_FLUSH_LOCAL },
	};
	u32 done = 99;
	const u64 *e;
	long rc;

	map_at(WINDOW, pte);
	e = pte_of((void *)WINDOW);
	for (unsigned int i = 0; i < 5; i++)
		req[i] = (struct mmu_update){ va_to_maddr(e + 1 + i), pte };
	req[3].val = 1UL << 51 | PTE_KERNEL;
	check_refused(mmu_update(req, 5, &done, DOMID_SELF));
	check_eq(done, 3);
	check(e[3] & PTE_P && !e[4] && !e[5], "entries %lx %lx %lx", e[3], e[4],
	      e[5]);
	done = 99;
	ops[1].arg1.mfn = va_to_mfn(alloc_page());
	check_refused(mmuext_op(ops, 3, &done, DOMID_SELF));
	check_eq(done, 1);
	check_eq(mmu_update(req, 0, &done, DOMID_SELF), 0);
	check_eq(done, 0);
	rc = mmu_update(req, 2, (u32 *)HV_START, DOMID_SELF);
	check(rc == 0 || rc == -XEN_EFAULT, "bad count pointer: %ld", rc);
	check_eq(mmu_update(req, 2, NULL, DOMID_SELF), 0);
	pass("3 of 5 and 1 of 3");
}
