/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does the type rule survive random page-table operations?
 * Rule:     whatever mix of pins, entry updates, direct stores and remaps: no
 *           page table has a writable mapping, and no reference is left at
 *           the end.
 * Source:   checklist 1 to 5 and 9.
 * Expected: the invariant after every 50 of 30,000 steps, clean at the end.
 *
 * test: time=120
 */
#include "xt.h"

#define STEPS 30000

void test_main(void)
{
	u64 rng = 0x9e3779b97f4a7c15UL;

	fuzz_init();
	for (u32 i = 0; i < STEPS; i++) {
		fuzz_step(&rng);
		if (i % 50 == 0)
			fuzz_check();
	}
	fuzz_check();
	fuzz_finish();
	check(fuzz_pins > 100 && fuzz_updates > 100 && fuzz_stores > 100,
	      "too tame: %u %u %u", fuzz_pins, fuzz_updates, fuzz_stores);
	pass("%u steps: %u pins, %u updates, %u stores", STEPS, fuzz_pins,
	     fuzz_updates, fuzz_stores);
}
