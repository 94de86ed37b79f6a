/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is a table with one bad entry refused as a whole?
 * Rule:     all or nothing: after the failure no reference stays, so the
 *           frames it named are free for other use.
 * Source:   checklist 3.
 * Expected: refused with a bad entry in first, middle or last place; then the
 *           good frames can be page tables themselves.
 */
#include "xt.h"

void test_main(void)
{
	static const unsigned int places[] = { 0, 255, 511 };
	u64 *data = alloc_page();
	u64 good = mk_pte(va_to_mfn(data), PTE_KERNEL);
	u64 bad = current_l4()[L4_INDEX(HV_START)] & PTE_ADDR;

	for (unsigned int i = 0; i < ARRAY_SIZE(places); i++) {
		u64 *l1 = alloc_page();

		for (unsigned int n = 0; n < 512; n++)
			l1[n] = good;
		l1[places[i]] = bad | PTE_KERNEL;
		seal(l1);
		check_refused(mmuext(MMUEXT_PIN_L1_TABLE, va_to_mfn(l1)));
		check_eq(map_rw(l1), 0);
	}
	/* No writable reference of the failed tables may be left on it. */
	seal(data);
	check_eq(mmuext(MMUEXT_PIN_L1_TABLE, va_to_mfn(data)), 0);
	pass("3 places");
}
