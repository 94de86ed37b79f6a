/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does xchg on a live L1 entry swap it and give the old value?
 * Rule:     the register gets the entry as the guest may see it, A and D bits
 *           of the hardware included; the new one is validated.
 * Source:   guest-abi.md 8.3.
 * Expected: old value with A and D set; a second xchg gives what the first
 *           put.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	u64 frame = va_to_mfn(alloc_page()) << 12;
	volatile u64 *e;
	u64 v = 0;

	map_at(WINDOW, frame | PTE_P | PTE_RW | PTE_US);
	e = pte_of((void *)WINDOW);
	*(volatile u64 *)WINDOW = 1;
	check_eq(PROBE("xchg %0, (%1)", "+r"(v)
		       : "r"(e)
		       : "memory")
			 ->vector,
		 VEC_NONE);
	check((v & PTE_ADDR) == frame &&
		      (v & (PTE_P | PTE_RW | PTE_A | PTE_D)) ==
			      (PTE_P | PTE_RW | PTE_A | PTE_D),
	      "old entry %lx", v);
	check(!*e, "entry %lx", *e);
	check_eq(mmuext_linear(MMUEXT_INVLPG_LOCAL, (void *)WINDOW), 0);
	check_eq(probe_read((void *)WINDOW, NULL)->vector, VEC_PF);
	check_eq(PROBE("xchg %0, (%1)", "+r"(v)
		       : "r"(e)
		       : "memory")
			 ->vector,
		 VEC_NONE);
	check(!v, "old entry %lx", v);
	check_eq(probe_read((void *)WINDOW, NULL)->vector, VEC_NONE);
	pass("swapped twice, entry %lx", *e);
}
