/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: may a kernel entry come without the U bit?
 * Rule:     yes: the kernel runs at CPL 3, so the hypervisor adds U on every
 *           level, and the guest reads entries back with it.
 * Source:   guest-abi.md 2.4.
 * Expected: accessible, U set in the entry read back.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	u64 *page = alloc_page();
	u64 e, v;

	for (int level = 4; level > 1; level--)
		check_eq(write_entry(entry_of((void *)WINDOW, level),
				     mk_pte(va_to_mfn(alloc_table()),
					    PTE_P | PTE_RW | PTE_A | PTE_D)),
			 0);
	check_eq(write_entry(pte_of((void *)WINDOW),
			     mk_pte(va_to_mfn(page),
				    PTE_P | PTE_RW | PTE_A | PTE_D)),
		 0);
	*page = 5;
	check_eq(probe_read((void *)WINDOW, &v)->vector, VEC_NONE);
	check_eq(v, 5);
	for (int level = 4; level >= 1; level--) {
		e = READ_ONCE(*entry_of((void *)WINDOW, level));
		check(e & PTE_US, "level %d entry %lx", level, e);
	}
	pass("leaf entry %lx", e);
}
