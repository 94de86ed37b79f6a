/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a batch of a million updates finish, and stay interruptible?
 * Rule:     long calls are preempted and continued; a timer event whose time
 *           comes in the middle is not lost, and the count is right at the
 *           end.
 * Source:   checklist 43 and 44.
 * Expected: all done; VIRQ_TIMER pending by the end.
 *
 * test: memory=64 time=120
 */
#include "xt.h"

#define BATCH (1U << 17)
#define ROUNDS 8

static struct mmu_update list[BATCH];

void test_main(void)
{
	u64 *page = alloc_page();
	u64 pte = mk_pte(va_to_mfn(page), PTE_KERNEL);
	u64 maddr = va_to_maddr(pte_of(page));
	u64 start, elapsed_ns;
	u32 done = 0;
	long port = bind_virq(VIRQ_TIMER, 0);

	check(port > 0, "timer port %ld", port);
	unmask_event((u32)port);
	for (unsigned int i = 0; i < BATCH; i++)
		list[i] = (struct mmu_update){ maddr, pte };
	start = now_ns();
	check_eq(set_singleshot(start + MS(1)), 0);
	events_on();
	for (unsigned int n = 0; n < ROUNDS; n++) {
		check_eq(mmu_update(list, BATCH, &done, DOMID_SELF), 0);
		check_eq(done, BATCH);
	}
	elapsed_ns = now_ns() - start;
	check(elapsed_ns < MS(2) || event_count[port], "timer event lost");
	*page = 1;
	pass("%u updates in %lu ms, %u timer upcalls", BATCH * ROUNDS,
	     elapsed_ns / 1000000, event_count[port]);
}
