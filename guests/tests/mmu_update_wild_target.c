/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can mmu_update write where no page table of ours is?
 * Rule:     the target frame must be the caller's and typed as a page table;
 *           frames of the hypervisor, past memory, or plain data are refused
 *           (a plain page may be written only as a counted writable access).
 * Source:   checklist 7, XSA-109.
 * Expected: refused; nothing of the hypervisor changes.
 */
#include "xt.h"

void test_main(void)
{
	u64 *page = alloc_page();
	u64 hv = (current_l4()[L4_INDEX(HV_START)] & PTE_ADDR);
	u64 *l4 = current_l4();

	check(hv, "no hypervisor entry to aim at");
	check_refused(write_entry_at(hv, 0));
	check_refused(write_entry_at(hv + 0x800, mk_pte(va_to_mfn(page), 7)));
	check_refused(write_entry_at(0x000ffffffffff000, 0));
	check_refused(write_entry_at(0xfffffffffffff000, 0));
	check_refused(write_entry_at(1UL << 45, 0));
	check((l4[L4_INDEX(HV_START)] & PTE_ADDR) == hv, "L4 changed");
	check(M2P[va_to_mfn(page)] == va_to_pfn(page), "M2P broken");
	pass("5 targets refused, hypervisor table at %lx", hv);
}
