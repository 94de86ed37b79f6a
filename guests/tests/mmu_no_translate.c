/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is MMU_PT_UPDATE_NO_TRANSLATE an ordinary update for a PV guest?
 * Rule:     the value holds a machine frame number either way; what is checked
 *           is the same.
 * Source:   xen.h, HYPERVISOR_mmu_update.
 * Expected: the entry is as written, accessed and dirty bits included; a
 *           writable entry for a page table is refused.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL
/* Xen adds the global bit. */
#define SEEN (~0x100UL)

void test_main(void)
{
	u64 frame = va_to_mfn(alloc_page()) << 12;
	u64 bare = PTE_P | PTE_RW | PTE_US, maddr;
	const u64 *e;

	map_at(WINDOW, frame | bare);
	e = pte_of((void *)WINDOW);
	maddr = va_to_maddr(e) | MMU_PT_UPDATE_NO_TRANSLATE;
	*(volatile u64 *)WINDOW = 1;
	check(READ_ONCE(*e) & PTE_D, "no write was seen: %lx", READ_ONCE(*e));
	check_eq(write_entry_at(maddr, frame | bare), 0);
	check_eq(READ_ONCE(*e) & SEEN, frame | bare);
	check(write_entry_at(maddr, (va_to_maddr(e) & ~0xfffUL) | bare) < 0,
	      "a page table became writable");
	check_eq(READ_ONCE(*e) & SEEN, frame | bare);
	pass("an ordinary update");
}
