/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can two vCPUs make one page writable and a page table at once?
 * Rule:     type and count change in one atomic step, whoever wins; the loser
 *           is refused.
 * Source:   checklist 1 and 2, XSA-401.
 * Expected: never both; each side wins at least once in 3000 rounds.
 *
 * test: vcpus=2 time=120
 */
#include "xt.h"

#define ROUNDS 3000
#define WINDOW ((volatile u64 *)0x600000000000UL)

static u64 *page;
static u64 mfn;
static volatile long rw_result;

static void second(void)
{
	for (u32 i = 0; i < ROUNDS; i++) {
		rendezvous(2);
		rw_result = update_va_mapping((void *)WINDOW,
					      mk_pte(mfn, PTE_KERNEL),
					      UVMF_INVLPG | UVMF_ALL);
		rendezvous(2);
		rendezvous(2);
	}
}

void test_main(void)
{
	u32 pinned = 0, mapped = 0, neither = 0;

	page = alloc_table();
	mfn = va_to_mfn(page);
	map_at((u64)WINDOW, 0);
	start_vcpu(1, second);
	for (u32 i = 0; i < ROUNDS; i++) {
		long pin;

		rendezvous(2);
		for (u32 spin = 0; spin < (i & 63) * 8; spin++)
			barrier();
		pin = mmuext(MMUEXT_PIN_L1_TABLE, mfn);
		rendezvous(2);
		check(pin < 0 || rw_result < 0,
		      "round %u: pinned and mapped writable", i);
		pinned += pin == 0;
		mapped += rw_result == 0;
		neither += pin < 0 && rw_result < 0;
		if (pin == 0)
			check_eq(mmuext(MMUEXT_UNPIN_TABLE, mfn), 0);
		if (rw_result == 0)
			check_eq(update_va_mapping((void *)WINDOW, 0,
						   UVMF_INVLPG | UVMF_ALL),
				 0);
		rendezvous(2);
	}
	check(pinned + mapped > ROUNDS / 2, "%u and %u", pinned, mapped);
	pass("%u pins, %u maps, %u neither", pinned, mapped, neither);
}
