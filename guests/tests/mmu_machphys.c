/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does MMU_MACHPHYS_UPDATE change only the M2P entries of own
 *           frames?
 * Rule:     own frames take the new PFN; frames of others, of the hypervisor
 *           and past memory are refused.
 * Source:   checklist 8, XSA-22.
 * Expected: entry changed and restored; wild ones refused.
 */
#include "xt.h"

static long machphys(u64 mfn, u64 pfn)
{
	return write_entry_at(mfn << 12 | MMU_MACHPHYS_UPDATE, pfn);
}

void test_main(void)
{
	void *page = alloc_page();
	u64 mfn = va_to_mfn(page), pfn = va_to_pfn(page);
	u64 hv = (current_l4()[L4_INDEX(HV_START)] & PTE_ADDR) >> 12;

	check_eq(machphys(mfn, 0xabcde), 0);
	check(M2P[mfn] == 0xabcde, "M2P %lx", M2P[mfn]);
	check_eq(machphys(mfn, pfn), 0);
	check(M2P[mfn] == pfn, "M2P %lx", M2P[mfn]);
	check_refused(machphys(hv, 1));
	check_refused(machphys(0xffffffffff, 1));
	check_refused(machphys(0xfffffffffffff, 1));
	pass("own frame updated, 3 others refused");
}
