/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are BTR and BTS on a live L1 entry carried out?
 * Rule:     with LOCK, immediate and register bit index, the old bit in CF.
 * Source:   guest-abi.md 8.3 (test_and_clear of the accessed bit).
 * Expected: A cleared with CF 1, cleared again with CF 0, set again.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	volatile u64 *e;
	u64 before, flags;
	struct fault *f;

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	e = pte_of((void *)WINDOW);
	before = *e;
	f = PROBE("lock btrq $5, (%1); pushf; pop %0", "=r"(flags)
		  : "r"(e)
		  : "memory", "cc");
	check_eq(f->vector, VEC_NONE);
	check(*e == (before & ~PTE_A) && flags & EFLAGS_CF, "%lx %lx", *e,
	      flags);
	f = PROBE("stc; lock btrq %2, (%1); pushf; pop %0", "=r"(flags)
		  : "r"(e), "r"(5UL)
		  : "memory", "cc");
	check_eq(f->vector, VEC_NONE);
	check(*e == (before & ~PTE_A) && !(flags & EFLAGS_CF), "%lx %lx", *e,
	      flags);
	f = PROBE("lock btsq %2, (%1); pushf; pop %0", "=r"(flags)
		  : "r"(e), "r"(5UL)
		  : "memory", "cc");
	check_eq(f->vector, VEC_NONE);
	check(*e == before && !(flags & EFLAGS_CF), "%lx %lx", *e, flags);
	f = PROBE("lock btsl $1, (%1); pushf; pop %0", "=r"(flags)
		  : "r"(e)
		  : "memory", "cc");
	check_eq(f->vector, VEC_NONE);
	check(*e == before && flags & EFLAGS_CF, "%lx %lx", *e, flags);
	pass("4 operations");
}
