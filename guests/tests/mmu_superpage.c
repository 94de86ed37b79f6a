/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a PV guest map a superpage?
 * Rule:     the page-size bit is refused in L2 and L3 entries.
 * Source:   checklist 6, XSA-148, guest-abi.md 2.4.
 * Expected: refused by update and by pin; CPUID shows no PSE.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	u64 *l2 = alloc_page();
	u64 pte;

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	pte = (pfn_to_mfn(512) << 12 & ~0x1fffffUL) | PTE_KERNEL | PTE_PSE;
	check_refused(write_entry(entry_of((void *)WINDOW, 2), pte));
	check_refused(write_entry(entry_of((void *)WINDOW, 3), pte));
	check_refused(
		write_entry(entry_of((void *)WINDOW, 3),
			    (pte & ~0x3fffffffUL) | PTE_KERNEL | PTE_PSE));
	/* The same entry with only the bit added, then only RW changed. */
	check_refused(write_entry(entry_of((void *)WINDOW, 2),
				  *entry_of((void *)WINDOW, 2) | PTE_PSE));
	l2[7] = pte;
	seal(l2);
	check_refused(mmuext(MMUEXT_PIN_L2_TABLE, va_to_mfn(l2)));
	pass("5 attempts refused");
}
