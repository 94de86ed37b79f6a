/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can one frame be two kinds of page table at once?
 * Rule:     a frame validated at one level is refused at every other while it
 *           keeps that type.
 * Source:   checklist 1.
 * Expected: all twelve mismatches refused, in pins and in entries.
 */
#include "xt.h"

void test_main(void)
{
	u64 *page = alloc_table();
	u64 mfn = va_to_mfn(page);
	u64 *l4 = clone_l4();

	for (unsigned int cmd = 0; cmd < 4; cmd++) {
		check_eq(mmuext(cmd, mfn), 0);
		for (unsigned int other = 0; other < 4; other++)
			if (other != cmd)
				check_refused(mmuext(other, mfn));
		if (cmd != MMUEXT_PIN_L3_TABLE)
			check_refused(write_entry(&current_l4()[0],
						  mk_pte(mfn, PTE_KERNEL)));
		if (cmd != MMUEXT_PIN_L4_TABLE)
			check_refused(mmuext(MMUEXT_NEW_USER_BASEPTR, mfn));
		check_eq(mmuext(MMUEXT_UNPIN_TABLE, mfn), 0);
	}
	check_refused(mmuext(MMUEXT_PIN_L1_TABLE, va_to_mfn(current_l4())));
	check_refused(mmuext(MMUEXT_PIN_L3_TABLE, va_to_mfn(current_l4())));
	check_eq(mmuext(MMUEXT_PIN_L4_TABLE, va_to_mfn(l4)), 0);
	pass("12 confusions refused");
}
