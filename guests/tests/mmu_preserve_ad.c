/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does MMU_PT_UPDATE_PRESERVE_AD keep the accessed and dirty bits?
 * Rule:     set bits of the current entry stay whatever the new value says;
 *           clear ones stay as the new value says.
 * Source:   guest-abi.md 3.5, 8.2.
 * Expected: A and D survive an update without them; a normal update drops
 *           them.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	u64 frame = va_to_mfn(alloc_page()) << 12;
	u64 bare = PTE_P | PTE_RW | PTE_US;
	u64 maddr;
	const u64 *e;

	map_at(WINDOW, frame | bare);
	e = pte_of((void *)WINDOW);
	maddr = va_to_maddr(e);
	*(volatile u64 *)WINDOW = 1;
	check((READ_ONCE(*e) & (PTE_A | PTE_D)) == (PTE_A | PTE_D),
	      "hardware did not set A and D: %lx", READ_ONCE(*e));
	check_eq(write_entry_at(maddr | MMU_PT_UPDATE_PRESERVE_AD,
				frame | PTE_P | PTE_US),
		 0);
	check((READ_ONCE(*e) & (PTE_A | PTE_D | PTE_RW)) == (PTE_A | PTE_D),
	      "preserved as %lx", READ_ONCE(*e));
	check_eq(write_entry_at(maddr, frame | bare), 0);
	check(!(READ_ONCE(*e) & (PTE_A | PTE_D)), "normal update: %lx",
	      READ_ONCE(*e));
	check_eq(
		write_entry_at(maddr | MMU_PT_UPDATE_PRESERVE_AD, frame | bare),
		0);
	check(!(READ_ONCE(*e) & (PTE_A | PTE_D)), "bits from nowhere: %lx",
	      READ_ONCE(*e));
	pass("kept and dropped as asked");
}
