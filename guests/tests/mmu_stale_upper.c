/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does an update go to the table that is hooked in now?
 * Rule:     after an L2 entry is replaced without any flush,
 *           update_va_mapping must find the new L1, not the one cached from
 *           before (XSA-286).
 * Source:   checklist 10.
 * Expected: the new table's entry changes, the old one's does not.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	u64 pte_a = mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL);
	u64 pte_b = mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL);
	u64 *old, *new = alloc_page();

	map_at(WINDOW, pte_a);
	old = pte_of((void *)WINDOW);
	new[0] = pte_a;
	seal(new);
	for (int i = 0; i < 100; i++) {
		u64 *to = i & 1 ? old : new, *from = i & 1 ? new : old;

		*(volatile u64 *)WINDOW = 1;
		check_eq(write_entry(entry_of((void *)WINDOW, 2),
				     mk_pte(va_to_mfn(to), PTE_KERNEL)),
			 0);
		check_eq(update_va_mapping((void *)WINDOW, pte_b, UVMF_NONE),
			 0);
		check((READ_ONCE(*to) & PTE_ADDR) == (pte_b & PTE_ADDR),
		      "round %d: new table %lx", i, *to);
		check((READ_ONCE(*from) & PTE_ADDR) == (pte_a & PTE_ADDR),
		      "round %d: old table %lx", i, *from);
		check_eq(update_va_mapping((void *)WINDOW, pte_a, UVMF_INVLPG),
			 0);
	}
	pass("100 swaps");
}
