/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: how long does one entry last that validates or drops big tables?
 * Rule:     validation and its undoing stop when their budget is used up and
 *           go on where they stopped, full tables and empty ones alike.
 * Source:   checklist 43 and 44.
 * Expected: tables pinned and unpinned; the bound is judged from what a
 *           LATENCY=1 build prints.
 */
#include "xt.h"

#define EMPTY	200
#define FULL	100

static u64 tables[1 + EMPTY + 1 + FULL][512] __attribute__((aligned(4096)));

static void fill(u64 *table, u64 *children, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		table[i] = mk_pte(va_to_mfn(children + i * 512UL), PTE_KERNEL);
}

static void pin_and_unpin(unsigned int cmd, const u64 *table)
{
	check_eq(mmuext(cmd, va_to_mfn(table)), 0);
	check_eq(mmuext(MMUEXT_UNPIN_TABLE, va_to_mfn(table)), 0);
}

void test_main(void)
{
	u64 *l3_of_empty = tables[0], *empty = tables[1];
	u64 *l2_of_full = tables[1 + EMPTY], *full = tables[2 + EMPTY];
	u64 ro = mk_pte(va_to_mfn(alloc_page()), PTE_RO);
	u64 rw = mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL);

	fill(l3_of_empty, empty, EMPTY);
	fill(l2_of_full, full, FULL);
	for (unsigned int i = 0; i < FULL; i++)
		for (unsigned int k = 0; k < 512; k++)
			full[i * 512UL + k] = k & 1 ? ro : rw;
	for (unsigned int i = 0; i < ARRAY_SIZE(tables); i++)
		check_eq(map_ro(tables[i]), 0);
	pin_and_unpin(MMUEXT_PIN_L3_TABLE, l3_of_empty);
	pin_and_unpin(MMUEXT_PIN_L2_TABLE, l2_of_full);
	/* All are plain memory again. */
	for (unsigned int i = 0; i < ARRAY_SIZE(tables); i++)
		check_eq(map_rw(tables[i]), 0);
	pass("%u empty, %u full tables", EMPTY, FULL);
}
