/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what if the guest clears or replaces a grant mapping itself?
 * Rule:     the entry of a grant map may vanish by a plain update; the unmap
 *           then must not free a reference twice.
 * Source:   checklist 28, XSA-224, XSA-234.
 * Expected: whatever the statuses, counts come out right: the page can become
 *           a page table afterwards, and not before.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL
#define REF 9

void test_main(void)
{
	u64 *page = alloc_page();
	u64 mfn = va_to_mfn(page);
	u32 handle, second;
	int status;

	map_at(WINDOW, 0);
	map_at(WINDOW + PAGE_SIZE, 0);
	grant_page(REF, page, 0);
	check_eq(map_grant(REF, WINDOW, GNTMAP_host_map, &handle), GNTST_okay);
	check_eq(map_grant(REF, WINDOW + PAGE_SIZE, GNTMAP_host_map, &second),
		 GNTST_okay);
	check_eq(update_va_mapping((void *)WINDOW, 0, UVMF_INVLPG), 0);
	status = unmap_grant(handle, WINDOW);
	seal(page);
	check_refused(mmuext(MMUEXT_PIN_L1_TABLE, mfn));
	check(*(volatile u64 *)(WINDOW + PAGE_SIZE) == 0, "second map");
	check_eq(unmap_grant(second, WINDOW + PAGE_SIZE), GNTST_okay);
	if (status < 0)
		unmap_grant(handle, 0);
	unmap_grant(handle, WINDOW);
	unmap_grant(second, WINDOW + PAGE_SIZE);
	check(M2P[mfn] == va_to_pfn(page), "page lost");
	pass("unmap of the vanished entry: %d, pin now %ld", status,
	     mmuext(MMUEXT_PIN_L1_TABLE, mfn));
}
