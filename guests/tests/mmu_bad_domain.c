/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are page-table calls for domains that do not exist refused?
 * Rule:     an unknown target domain gives -ESRCH, and nothing is done.
 * Source:   checklist 53 and 55.
 * Expected: -ESRCH for unused numbers; reserved numbers refused or harmless.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	struct mmuext_op op = { .cmd = MMUEXT_TLB_FLUSH_LOCAL };
	struct mmu_update req;
	u64 before;

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	before = *pte_of((void *)WINDOW);
	req = (struct mmu_update){ va_to_maddr(pte_of((void *)WINDOW)), 0 };
	check_eq(mmu_update(&req, 1, NULL, 1), -XEN_ESRCH);
	check_eq(mmu_update(&req, 1, NULL, 0x7fef), -XEN_ESRCH);
	check_eq(mmu_update(&req, 1, NULL, 5U << 16 | DOMID_SELF), -XEN_ESRCH);
	check_refused(mmu_update(&req, 1, NULL, DOMID_INVALID));
	check_eq(mmuext_op(&op, 1, NULL, 1), -XEN_ESRCH);
	check_refused(mmuext_op(&op, 1, NULL, DOMID_INVALID));
	check_eq(hypercall(__HYPERVISOR_update_va_mapping_otherdomain, WINDOW,
			   0, 0, 1),
		 -XEN_ESRCH);
	check(READ_ONCE(*pte_of((void *)WINDOW)) == before, "entry changed");
	pass("7 calls refused");
}
