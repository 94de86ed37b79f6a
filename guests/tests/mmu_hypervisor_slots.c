/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are L4 slots 256 to 271 the hypervisor's?
 * Rule:     updates there are refused; what a new L4 holds there is ignored
 *           and replaced when it is validated, as kernels copy them.
 * Source:   guest-abi.md 2.1, checklist 15.
 * Expected: refused; an L4 with garbage there is accepted and holds other
 *           values afterwards.
 */
#include "xt.h"

void test_main(void)
{
	u64 *l4 = alloc_page();
	u64 mine = mk_pte(va_to_mfn(alloc_table()), PTE_KERNEL);

	for (unsigned int i = 256; i < 272; i++) {
		u64 before = READ_ONCE(current_l4()[i]);

		check_refused(write_entry(&current_l4()[i], 0));
		check_refused(write_entry(&current_l4()[i], mine));
		check(READ_ONCE(current_l4()[i]) == before, "slot %u", i);
	}
	for (unsigned int i = 0; i < 512; i++)
		l4[i] = current_l4()[i];
	for (unsigned int i = 256; i < 272; i++)
		l4[i] = mine;
	seal(l4);
	check_eq(mmuext(MMUEXT_PIN_L4_TABLE, va_to_mfn(l4)), 0);
	check_eq(mmuext(MMUEXT_NEW_BASEPTR, va_to_mfn(l4)), 0);
	for (unsigned int i = 256; i < 272; i++)
		check(READ_ONCE(l4[i]) != mine, "slot %u kept", i);
	check(M2P[va_to_mfn(l4)] == va_to_pfn(l4), "M2P unreadable");
	pass("16 slots");
}
