/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a large tree of shared tables be pinned and unpinned in
 *           bounded time?
 * Rule:     shared tables are validated once and counted; long validation is
 *           preempted, so a due timer event is not late by the whole pin.
 * Source:   checklist 3, 44 and 45.
 * Expected: 262,144 L1 references pinned and unpinned; page reusable after.
 *
 * test: time=120
 */
#include "xt.h"

void test_main(void)
{
	u64 *data = alloc_page(), *l4 = alloc_page();
	u64 *l3[8], *l2[8], *l1[8];
	u64 start, pin_ns, unpin_ns;

	for (unsigned int t = 0; t < 8; t++) {
		l1[t] = alloc_page();
		l2[t] = alloc_page();
		l3[t] = alloc_page();
		for (unsigned int i = 0; i < 512; i++)
			l1[t][i] = mk_pte(va_to_mfn(data), PTE_KERNEL);
		seal(l1[t]);
	}
	for (unsigned int t = 0; t < 8; t++) {
		for (unsigned int i = 0; i < 512; i++)
			l2[t][i] = mk_pte(va_to_mfn(l1[i % 8]), PTE_KERNEL);
		seal(l2[t]);
	}
	for (unsigned int t = 0; t < 8; t++) {
		for (unsigned int i = 0; i < 512; i++)
			l3[t][i] = mk_pte(va_to_mfn(l2[i % 8]), PTE_KERNEL);
		seal(l3[t]);
	}
	for (unsigned int i = 0; i < 256; i++)
		l4[i] = mk_pte(va_to_mfn(l3[i % 8]), PTE_KERNEL);
	seal(l4);
	start = now_ns();
	check_eq(mmuext(MMUEXT_PIN_L4_TABLE, va_to_mfn(l4)), 0);
	pin_ns = now_ns() - start;
	check_refused(map_rw(l1[3]));
	check_refused(map_rw(l3[7]));
	start = now_ns();
	check_eq(mmuext(MMUEXT_UNPIN_TABLE, va_to_mfn(l4)), 0);
	unpin_ns = now_ns() - start;
	for (unsigned int t = 0; t < 8; t++) {
		check_eq(map_rw(l1[t]), 0);
		check_eq(map_rw(l2[t]), 0);
		check_eq(map_rw(l3[t]), 0);
	}
	seal(data);
	check_eq(mmuext(MMUEXT_PIN_L1_TABLE, va_to_mfn(data)), 0);
	pass("pin %lu us, unpin %lu us", pin_ns / 1000, unpin_ns / 1000);
}
