/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is CMPXCHG on a live L1 entry right when it hits and when it
 *           misses?
 * Rule:     hit: ZF set and the new entry validated; miss: ZF clear, RAX gets
 *           the entry, nothing written.
 * Source:   guest-abi.md 8.3.
 * Expected: both ways as on hardware, with and without LOCK.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	volatile u64 *e;
	u64 old, before, rax;
	u8 zf;
	struct fault *f;

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	e = pte_of((void *)WINDOW);
	before = old = *e;
	rax = old ^ PTE_RW;
	f = PROBE("lock cmpxchg %3, (%2); setz %1", "+a"(rax), "=q"(zf)
		  : "r"(e), "r"(0UL)
		  : "memory", "cc");
	check_eq(f->vector, VEC_NONE);
	check(!zf && rax == before && *e == before, "miss: %u %lx %lx", zf, rax,
	      *e);
	f = PROBE("lock cmpxchg %3, (%2); setz %1", "+a"(rax), "=q"(zf)
		  : "r"(e), "r"(before & ~PTE_RW)
		  : "memory", "cc");
	check_eq(f->vector, VEC_NONE);
	check(zf && rax == before && *e == (before & ~PTE_RW),
	      "hit: %u %lx %lx", zf, rax, *e);
	rax = *e;
	f = PROBE("cmpxchg %3, (%2); setz %1", "+a"(rax), "=q"(zf)
		  : "r"(e), "r"(before)
		  : "memory", "cc");
	check_eq(f->vector, VEC_NONE);
	check(zf && *e == before, "hit without lock: %u %lx", zf, *e);
	pass("hit and miss");
}
