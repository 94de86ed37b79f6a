/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a mapped grant keep its page from becoming a page table?
 * Rule:     a writable grant map counts as a writable reference, even when
 *           the owner's own mapping is read-only.
 * Source:   checklist 1 and 28.
 * Expected: pin refused while mapped RW, accepted after the unmap; a pinned
 *           page can't be mapped RW by grant.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL
#define REF 9

void test_main(void)
{
	u64 *page = alloc_table();
	u64 mfn = va_to_mfn(page);
	u32 handle;

	map_at(WINDOW, 0);
	grant_page(REF, page, 0);
	check_eq(map_grant(REF, WINDOW, GNTMAP_host_map, &handle), GNTST_okay);
	for (unsigned int cmd = 0; cmd < 4; cmd++)
		check_refused(mmuext(cmd, mfn));
	check_eq(unmap_grant(handle, WINDOW), GNTST_okay);
	check_eq(mmuext(MMUEXT_PIN_L1_TABLE, mfn), 0);
	check(map_grant(REF, WINDOW, GNTMAP_host_map, NULL) < 0,
	      "page table mapped writable by grant");
	check_eq(map_grant(REF, WINDOW, GNTMAP_host_map | GNTMAP_readonly,
			   &handle),
		 GNTST_okay);
	check_eq(unmap_grant(handle, WINDOW), GNTST_okay);
	check_eq(mmuext(MMUEXT_UNPIN_TABLE, mfn), 0);
	check_eq(map_rw(page), 0);
	pass("4 pins refused");
}
