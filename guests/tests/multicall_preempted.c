/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a long multicall of long entries come out right?
 * Rule:     preemption inside an entry and between entries continues with the
 *           right one; every result is written once.
 * Source:   checklist 43 and 44.
 * Expected: 300 entries of 512 updates each, all results 0, all updates done.
 */
#include "xt.h"

#define ENTRIES 300
#define UPDATES 512
#define WINDOW 0x600000000000UL

static struct multicall_entry list[ENTRIES];
static struct mmu_update req[UPDATES];
static u32 done[ENTRIES];

void test_main(void)
{
	u64 pte = mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL);
	u64 first;
	u64 *e;

	map_at(WINDOW, pte);
	e = (u64 *)((u64)pte_of((void *)WINDOW) & PAGE_MASK);
	first = va_to_maddr(e);
	for (u64 i = 0; i < UPDATES; i++)
		req[i] = (struct mmu_update){ first + 8 * i, pte };
	for (unsigned int i = 0; i < ENTRIES; i++) {
		list[i].op = __HYPERVISOR_mmu_update;
		list[i].args[0] = (u64)req;
		list[i].args[1] = UPDATES;
		list[i].args[2] = (u64)&done[i];
		list[i].args[3] = DOMID_SELF;
		list[i].result = 99;
	}
	check_eq(multicall(list, ENTRIES), 0);
	for (unsigned int i = 0; i < ENTRIES; i++)
		check(list[i].result == 0 && done[i] == UPDATES,
		      "entry %u: result %ld done %u", i, list[i].result,
		      done[i]);
	for (unsigned int i = 0; i < UPDATES; i++)
		check((READ_ONCE(e[i]) & PTE_ADDR) == (pte & PTE_ADDR),
		      "entry %u: %lx", i, e[i]);
	pass("%u entries", ENTRIES);
}
