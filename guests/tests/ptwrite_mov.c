/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is a plain 8-byte store to a live L1 entry carried out?
 * Rule:     the write traps, is validated like an update, and applied;
 *           register and sign-extended immediate forms, also with REX and
 *           displacement.
 * Source:   guest-abi.md 8.3, checklist 9.
 * Expected: the entry takes the value; the mapping works.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

void test_main(void)
{
	u64 *page = alloc_page();
	u64 pte = mk_pte(va_to_mfn(page), PTE_KERNEL);
	volatile u64 *e;
	u64 v;

	map_at(WINDOW, pte);
	e = pte_of((void *)WINDOW) + 1;
	*page = 42;
	check_eq(PROBE("mov %1, (%0)",
		       : "r"(e), "r"(pte)
		       : "memory")
			 ->vector,
		 VEC_NONE);
	check_eq(probe_read((void *)(WINDOW + PAGE_SIZE), &v)->vector,
		 VEC_NONE);
	check_eq(v, 42);
	check_eq(PROBE("movq $0, (%0)", : "r"(e) : "memory")->vector, VEC_NONE);
	check(!*e, "entry %lx", *e);
	check_eq(PROBE("mov %1, -0x1000(%0)",
		       : "r"((u64)e + 0x1000), "r"(pte)
		       : "memory")
			 ->vector,
		 VEC_NONE);
	check((*e & PTE_ADDR) == (pte & PTE_ADDR), "entry %lx", *e);
	check_eq(PROBE("movq $-2, (%0)",
		       : "r"(e)
		       : "memory")
			 ->vector,
		 VEC_NONE);
	check(*e == ~1UL, "entry %lx", *e);
	__asm__ volatile("mov %0, %%r13; mov %1, %%r12; xor %%ecx, %%ecx\n\t"
			 "mov %%r12, (%%r13,%%rcx,8)"
			 :
			 : "r"(e), "r"(pte)
			 : "r12", "r13", "rcx", "memory");
	check((*e & PTE_ADDR) == (pte & PTE_ADDR), "entry %lx", *e);
	pass("5 forms");
}
