/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a page with a writable mapping become a page table?
 * Rule:     not at any level, by pinning or by being hooked into a table.
 * Source:   checklist 1.
 * Expected: refused while the linear map is writable, accepted after.
 */
#include "xt.h"

void test_main(void)
{
	u64 *page = alloc_page();
	u64 mfn = va_to_mfn(page);

	for (unsigned int cmd = MMUEXT_PIN_L1_TABLE; cmd <= MMUEXT_PIN_L4_TABLE;
	     cmd++)
		check_refused(mmuext(cmd, mfn));
	check_refused(write_entry(&current_l4()[0], mk_pte(mfn, PTE_KERNEL)));
	check_refused(mmuext(MMUEXT_NEW_BASEPTR, mfn));
	check_refused(mmuext(MMUEXT_NEW_USER_BASEPTR, mfn));
	*page = 0;
	seal(page);
	for (unsigned int cmd = MMUEXT_PIN_L1_TABLE; cmd <= MMUEXT_PIN_L4_TABLE;
	     cmd++) {
		check_eq(mmuext(cmd, mfn), 0);
		check_refused(map_rw(page));
		check_eq(mmuext(MMUEXT_UNPIN_TABLE, mfn), 0);
	}
	check_eq(map_rw(page), 0);
	*page = 1;
	pass("4 levels refused, accepted, and given back");
}
