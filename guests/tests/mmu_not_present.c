/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: may a not-present entry hold anything?
 * Rule:     yes at every level; it is not validated and reads back the same.
 * Source:   guest-abi.md 8.2, checklist 52.
 * Expected: patterns with P clear accepted in L1 to L4.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	static const u64 values[] = {
		~1UL,   0x8000000000000000, PTE_PSE | PTE_RW,
		0x5554, PTE_ADDR | PTE_NX,
	};

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	for (int level = 1; level <= 4; level++) {
		u64 *e = entry_of((void *)WINDOW, level);

		/* Another, unused entry of the same table. */
		e += level == 4 ? -1 : 1;
		for (unsigned int i = 0; i < ARRAY_SIZE(values); i++) {
			check_eq(write_entry(e, values[i]), 0);
			check(READ_ONCE(*e) == values[i],
			      "level %d: %lx read back as %lx", level,
			      values[i], READ_ONCE(*e));
		}
	}
	pass("%u patterns at 4 levels", (u32)ARRAY_SIZE(values));
}
