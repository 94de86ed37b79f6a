/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what does a store across two entries, or across a page, do?
 * Rule:     it is never carried out on half an entry: fault, or both entries
 *           validated; a table is never left inconsistent.
 * Source:   checklist 9, 31.
 * Expected: page fault and both entries unchanged.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

static void try(volatile u64 *e, unsigned int offset)
{
	u64 a = e[0], b = e[1];
	u64 at = (u64)e + offset;
	struct fault *f = probe_write((void *)at, ~0UL);

	check(f->vector == VEC_PF, "offset %u: vector %d", offset, f->vector);
	check(f->error == 3, "offset %u: error %lx", offset, f->error);
	check(e[0] == a && e[1] == b, "offset %u: %lx %lx", offset, e[0], e[1]);
}

void test_main(void)
{
	u64 pte = mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL);
	u64 *e;

	map_at(WINDOW, pte);
	e = pte_of((void *)WINDOW);
	check_eq(write_entry(e + 1, pte), 0);
	for (unsigned int offset = 1; offset < 8; offset++)
		try(e, offset);
	/* From the last entry of an L1 over the end of its page. */
	e = (u64 *)((u64)e & PAGE_MASK) + 511;
	check_eq(write_entry(e, pte), 0);
	for (unsigned int offset = 1; offset < 8; offset++) {
		u64 at = (u64)e + offset;
		struct fault *f = probe_write((void *)at, ~0UL);

		check(f->vector == VEC_PF &&
			      (*e & PTE_ADDR) == (pte & PTE_ADDR),
		      "page end: vector %d entry %lx", f->vector, *e);
	}
	pass("14 stores refused");
}
