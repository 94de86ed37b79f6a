/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a live page table be mapped writable?
 * Rule:     never, at any level and through any call; read-only is fine.
 * Source:   checklist 1 and 4.
 * Expected: RW refused for L1, L2, L3 and L4, RO accepted.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	u64 mfn;

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	for (int level = 1; level <= 4; level++) {
		const u64 *table = entry_of((void *)WINDOW, level);

		mfn = va_to_mfn(table);
		check_refused(update_va_mapping(
			(void *)WINDOW, mk_pte(mfn, PTE_KERNEL), UVMF_INVLPG));
		check_refused(write_entry(pte_of((void *)WINDOW),
					  mk_pte(mfn, PTE_KERNEL)));
		check_refused(map_rw((void *)((u64)table & PAGE_MASK)));
		check_eq(update_va_mapping((void *)WINDOW, mk_pte(mfn, PTE_RO),
					   UVMF_INVLPG),
			 0);
		check(*(u64 *)(WINDOW + ((u64)table & 4095)) == *table,
		      "alias differs");
		check_refused(update_va_mapping(
			(void *)WINDOW, mk_pte(mfn, PTE_KERNEL), UVMF_INVLPG));
	}
	pass("4 levels");
}
