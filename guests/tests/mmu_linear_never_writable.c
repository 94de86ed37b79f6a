/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can an L4, L3 or L2 table map itself writable?
 * Rule:     no; and where a read-only self map exists, no fast path may add
 *           RW (XSA-182).
 * Source:   checklist 4 and 5.
 * Expected: RW recursion never takes effect: a write through it never lands.
 */
#include "xt.h"

#define SLOT 100

static void try(u64 *table, unsigned int slot, int level)
{
	u64 mfn = va_to_mfn(table);
	long ro, rw;

	rw = write_entry(&table[slot], mk_pte(mfn, PTE_KERNEL));
	check(rw < 0, "level %d: writable self map", level);
	ro = write_entry(&table[slot], mk_pte(mfn, PTE_RO));
	if (ro < 0)
		return;
	/* Read-only worked: now the "only flags changed" way to writable. */
	rw = write_entry(&table[slot], mk_pte(mfn, PTE_KERNEL));
	check(rw < 0 || !(READ_ONCE(table[slot]) & PTE_RW),
	      "level %d: became writable", level);
	check_eq(write_entry(&table[slot], 0), 0);
}

void test_main(void)
{
	u64 va = (u64)SLOT << 39;
	u64 *l4 = current_l4();

	map_at(va, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	try(l4, SLOT + 1, 4);
	try((u64 *)((u64)entry_of((void *)va, 3) & PAGE_MASK), SLOT, 3);
	try((u64 *)((u64)entry_of((void *)va, 2) & PAGE_MASK), SLOT, 2);
	pass("3 levels");
}
