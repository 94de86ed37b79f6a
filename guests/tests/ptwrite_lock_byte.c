/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are one-byte logic operations on a live L1 entry carried out?
 * Rule:     LOCK AND, OR and XOR with an 8-bit immediate change just that
 *           byte and set the flags as on hardware.
 * Source:   guest-abi.md 8.3 (fork's lock andb), checklist 9.
 * Expected: RW cleared and set again; ZF, SF, PF right and CF clear.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

static u64 flags;

#define OP(insn)                                                               \
	PROBE("stc; " insn "; pushf; pop %0", "=r"(flags)                      \
	      : "r"(e)                                                         \
	      : "memory", "cc")

void test_main(void)
{
	volatile u64 *e;
	u64 before;

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL | 1UL << 57));
	e = pte_of((void *)WINDOW);
	before = *e;
	check_eq(OP("lock andb $0xfd, (%1)")->vector, VEC_NONE);
	check(*e == (before & ~PTE_RW), "and: %lx", *e);
	check(!(flags & (EFLAGS_CF | EFLAGS_ZF)), "and: flags %lx", flags);
	check_eq(mmuext_linear(MMUEXT_INVLPG_LOCAL, (void *)WINDOW), 0);
	check_eq(probe_write((void *)WINDOW, 1)->error, 3);
	check_eq(OP("lock orb $2, (%1)")->vector, VEC_NONE);
	check(*e == before, "or: %lx", *e);
	check(!(flags & (EFLAGS_CF | EFLAGS_ZF)), "or: flags %lx", flags);
	check_eq(OP("lock xorb $2, (%1)")->vector, VEC_NONE);
	check(*e == (before & ~PTE_RW), "xor: %lx", *e);
	check_eq(OP("lock andb $0, (%1)")->vector, VEC_NONE);
	check(*e == (before & ~0xffUL), "and 0: %lx", *e);
	check((flags & (EFLAGS_CF | EFLAGS_ZF | EFLAGS_PF)) ==
		      (EFLAGS_ZF | EFLAGS_PF),
	      "and 0: flags %lx", flags);
	pass("4 operations, entry %lx", *e);
}
