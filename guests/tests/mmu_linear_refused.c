/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are self-mapping ("linear") page tables refused outright?
 * Rule:     our hypervisor refuses every entry that points to a table of its
 *           own level, read-only too; it needs no bounds on recursion then.
 * Source:   checklist 4 and 45, XSA-240.
 * Expected: refused at levels 4, 3 and 2.
 */
#include "xt.h"

#define SLOT 100

void test_main(void)
{
	u64 va = (u64)SLOT << 39;

	map_at(va, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	for (int level = 4; level >= 2; level--) {
		u64 *table =
			(u64 *)((u64)entry_of((void *)va, level) & PAGE_MASK);

		check_refused(write_entry(&table[SLOT + 1],
					  mk_pte(va_to_mfn(table), PTE_RO)));
	}
	pass("3 levels refused");
}
