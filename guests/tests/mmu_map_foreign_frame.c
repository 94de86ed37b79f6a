/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a guest map a frame that is not its own?
 * Rule:     frames of the hypervisor are refused, writable or not; so are
 *           addresses beyond physical memory's width.
 * Source:   checklist 1, 7 and 33.
 * Expected: refused for the hypervisor's tables and for wild addresses.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	const u64 *l4 = current_l4();
	unsigned int tried = 0;

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	for (unsigned int i = 256; i < 272; i++) {
		u64 mfn = (l4[i] & PTE_ADDR) >> 12;

		if (!(l4[i] & PTE_P) || mfn == va_to_mfn(l4))
			continue;
		check_refused(update_va_mapping((void *)WINDOW,
						mk_pte(mfn, PTE_KERNEL), 0));
		check_refused(update_va_mapping((void *)WINDOW,
						mk_pte(mfn, PTE_RO), 0));
		tried++;
	}
	check(tried, "no hypervisor frame found");
	check_refused(
		update_va_mapping((void *)WINDOW, 1UL << 51 | PTE_KERNEL, 0));
	check_refused(
		update_va_mapping((void *)WINDOW, PTE_ADDR | PTE_KERNEL, 0));
	check((READ_ONCE(*pte_of((void *)WINDOW)) & PTE_ADDR) >> 12 !=
		      (l4[256] & PTE_ADDR) >> 12,
	      "mapped");
	pass("%u hypervisor frames refused", tried);
}
