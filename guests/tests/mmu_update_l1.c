/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does mmu_update write an L1 entry as given?
 * Rule:     the entry reads back with the frame and flags asked for (U and A
 *           may be added), and the mapping works at once for a fresh address.
 * Source:   guest-abi.md 8.2, 2.4.
 * Expected: data seen through the new mapping; clearing it faults again.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	u64 *page = alloc_page();
	u64 soft = 0x200 | 1UL << 58;
	struct fault *f;
	u64 v, e;

	*page = 0x1122334455667788;
	map_at(WINDOW, mk_pte(va_to_mfn(page), PTE_KERNEL | soft | PTE_NX));
	check_eq(probe_read((void *)WINDOW, &v)->vector, VEC_NONE);
	check(v == *page, "read %lx", v);
	e = READ_ONCE(*pte_of((void *)WINDOW));
	check((e & PTE_ADDR) >> 12 == va_to_mfn(page), "entry %lx", e);
	check((e & (PTE_KERNEL | soft | PTE_NX)) ==
		      (PTE_KERNEL | soft | PTE_NX),
	      "flags of %lx", e);
	check_eq(write_entry(pte_of((void *)WINDOW), 0), 0);
	check_eq(mmuext_linear(MMUEXT_INVLPG_LOCAL, (void *)WINDOW), 0);
	f = probe_read((void *)WINDOW, NULL);
	check(f->vector == VEC_PF && !f->error, "vector %d error %lx",
	      f->vector, f->error);
	pass("entry read back as %lx", e);
}
