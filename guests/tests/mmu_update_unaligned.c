/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does mmu_update refuse an entry address that is not aligned?
 * Rule:     bits 0-1 are the command, bit 2 must be clear; an entry can't be
 *           written across two entries, nor half of one.
 * Source:   checklist 7, 9 and 31.
 * Expected: refused for bit 2 with each command, the entry unchanged.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	u64 *page = alloc_page();
	u64 pte = mk_pte(va_to_mfn(page), PTE_KERNEL);
	u64 before, maddr;

	map_at(WINDOW, pte);
	before = READ_ONCE(*pte_of((void *)WINDOW));
	maddr = va_to_maddr(pte_of((void *)WINDOW));
	for (u64 low = 4; low < 8; low++)
		check_refused(write_entry_at(maddr | low, 0));
	check(READ_ONCE(*pte_of((void *)WINDOW)) == before, "entry changed");
	check_eq(write_entry_at(maddr, 0), 0);
	pass("4 commands refused");
}
