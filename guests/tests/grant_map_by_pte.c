/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a grant be mapped through the machine address of an entry?
 * Rule:     as with an address: entry written, unmapped through the same one
 *           only, and only by the right handle.
 * Source:   checklist 31, guest-abi.md 11.
 * Expected: data shared; unmapping another entry is refused and changes
 *           nothing.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL
#define REF 9

void test_main(void)
{
	u64 *page = alloc_page();
	u64 pte, other, before;
	u32 handle;

	map_at(WINDOW, 0);
	map_at(WINDOW + PAGE_SIZE, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	pte = va_to_maddr(pte_of((void *)WINDOW));
	other = pte + 8;
	before = READ_ONCE(*pte_of((void *)(WINDOW + PAGE_SIZE)));
	*page = 55;
	grant_page(REF, page, 0);
	check_eq(map_grant(REF, pte, GNTMAP_host_map | GNTMAP_contains_pte,
			   &handle),
		 GNTST_okay);
	check_eq(*(volatile u64 *)WINDOW, 55);
	check(unmap_grant(handle, other) < 0, "unmapped through another entry");
	check(READ_ONCE(*pte_of((void *)(WINDOW + PAGE_SIZE))) == before,
	      "the other entry changed");
	check(grant_table()[REF].flags & GTF_writing, "status dropped");
	check_eq(unmap_grant(handle, pte), GNTST_okay);
	check_eq(mmuext_linear(MMUEXT_INVLPG_LOCAL, (void *)WINDOW), 0);
	check_eq(probe_read((void *)WINDOW, NULL)->vector, VEC_PF);
	pass("mapped and unmapped");
}
