/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what does a direct store to a live L2, L3 or L4 entry do?
 * Rule:     only L1 entries need emulation; upper ones fault, or are
 *           validated in full; a superpage or a self map never gets in.
 * Source:   guest-abi.md 8.3, checklist 6 and 9.
 * Expected: the entry is unchanged after each bad store.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	u64 page = va_to_mfn(alloc_page());

	map_at(WINDOW, mk_pte(page, PTE_KERNEL));
	for (int level = 2; level <= 4; level++) {
		volatile u64 *e = entry_of((void *)WINDOW, level);
		u64 bad[] = {
			mk_pte(va_to_mfn((void *)e), PTE_KERNEL),
			mk_pte(page, PTE_KERNEL),
			*e | PTE_PSE,
			current_l4()[L4_INDEX(HV_START)],
		};
		u64 before = *e;

		for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
			struct fault *f;

			if (level == 4 && i == 2)
				continue;
			f = probe_write(e, bad[i]);
			check(f->vector == VEC_PF, "level %d store %u: %d",
			      level, i, f->vector);
			check(*e == before, "level %d store %u: %lx", level, i,
			      *e);
		}
	}
	pass("3 levels");
}
