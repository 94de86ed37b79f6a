/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: how long does one entry last that is a multicall of long calls?
 * Rule:     a multicall is cut between its elements by the time it has taken.
 * Source:   checklist 43 and 44.
 * Expected: every element done once; the bound is judged from what a
 *           LATENCY=1 build prints.
 */
#include "xt.h"

#define ELEMENTS	200
#define OPS		400

static struct multicall_entry list[ELEMENTS];
static struct mmu_update updates[OPS];
static struct mmuext_op ops[OPS];
static char text[3000];

static void run(u64 op, const void *arg, u64 count, u64 a3)
{
	for (unsigned int i = 0; i < ELEMENTS; i++)
		list[i] = (struct multicall_entry){
			.op = op, .args = { HC_ARG(arg), count, a3,
					    DOMID_SELF },
		};
	check_eq(multicall(list, ELEMENTS), 0);
	for (unsigned int i = 0; i < ELEMENTS; i++)
		check_eq(list[i].result, 0);
}

void test_main(void)
{
	u64 *page = alloc_page();
	u64 pte = mk_pte(va_to_mfn(page), PTE_KERNEL);
	u64 maddr = va_to_maddr(pte_of(page));
	u64 mfn = va_to_mfn(alloc_page());

	for (unsigned int i = 0; i < OPS; i++) {
		updates[i] = (struct mmu_update){ maddr, pte };
		ops[i] = (struct mmuext_op){ .cmd = MMUEXT_CLEAR_PAGE,
					     .arg1.mfn = mfn };
	}
	run(__HYPERVISOR_mmu_update, updates, OPS, 0);
	run(__HYPERVISOR_mmuext_op, ops, OPS, 0);
	for (unsigned int i = 0; i < sizeof(text); i++)
		text[i] = i % 60 ? '.' : '\n';
	for (unsigned int i = 0; i < 4; i++)
		list[i] = (struct multicall_entry){
			.op = __HYPERVISOR_console_io,
			.args = { CONSOLEIO_write, sizeof(text), HC_ARG(text) },
		};
	check_eq(multicall(list, 4), 0);
	check_eq(list[3].result, 0);
	pass("%u elements twice, 12000 characters", ELEMENTS);
}
