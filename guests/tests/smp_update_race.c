/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can two vCPUs update one entry at the same time?
 * Rule:     each update puts exactly the old reference that it replaced;
 *           hypercalls, xchg and hardware A/D updates mixed.
 * Source:   checklist 5, 7, 9.
 * Expected: afterwards neither page has a reference left: both can be pinned.
 *
 * test: vcpus=2 time=120
 */
#include "xt.h"

#define ROUNDS 4000
#define WINDOW ((volatile u64 *)0x600000000000UL)

static u64 *pages[2];
static volatile u32 finished;

static void hammer(void)
{
	u32 self = this_cpu()->id;
	u64 pte = mk_pte(va_to_mfn(pages[self]), PTE_P | PTE_RW | PTE_US);
	u64 *e = pte_of(WINDOW);

	rendezvous(2);
	for (u32 i = 0; i < ROUNDS; i++) {
		u64 v = i & 1 ? pte : 0;

		if (i % 3 == self)
			__asm__ volatile("xchg %0, (%1)"
					 : "+r"(v)
					 : "r"(e)
					 : "memory");
		else
			check_eq(write_entry(e, v), 0);
		if (i % 5 == 0)
			probe_write(WINDOW, i);
	}
	__atomic_fetch_add((u32 *)&finished, 1, __ATOMIC_SEQ_CST);
}

void test_main(void)
{
	pages[0] = alloc_page();
	pages[1] = alloc_page();
	map_at((u64)WINDOW, 0);
	start_vcpu(1, hammer);
	hammer();
	check(spin_until(finished == 2, MS(60000)), "vCPU 1 hangs");
	check_eq(
		update_va_mapping((void *)WINDOW, 0, UVMF_TLB_FLUSH | UVMF_ALL),
		0);
	for (int i = 0; i < 2; i++) {
		memset(pages[i], 0, PAGE_SIZE);
		seal(pages[i]);
		check_eq(mmuext(MMUEXT_PIN_L1_TABLE, va_to_mfn(pages[i])), 0);
	}
	pass("%u updates each", ROUNDS);
}
