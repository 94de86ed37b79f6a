/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does the type rule survive random operations of two vCPUs at
 *           once?
 * Rule:     as mmu_fuzz, with both vCPUs on the same pages; checked at rest.
 * Source:   checklist 1 to 5 and 9, XSA-401 and XSA-408.
 * Expected: no type and no writable reference is left at the end of each of 3
 *           rounds.
 *
 * test: vcpus=2 time=180
 */
#include "xt.h"

#define STEPS 1500
#define ROUNDS 3

static void storm(u64 seed)
{
	for (u32 i = 0; i < STEPS; i++)
		fuzz_step(&seed);
}

static void second(void)
{
	for (u64 round = 0; round < ROUNDS; round++) {
		rendezvous(2);
		storm(0xdeadbeef12345 + round);
		mmuext(MMUEXT_NEW_USER_BASEPTR, 0);
		rendezvous(2);
	}
}

void test_main(void)
{
	start_vcpu(1, second);
	for (u64 round = 0; round < ROUNDS; round++) {
		fuzz_init();
		rendezvous(2);
		storm(0x1234567 + round);
		rendezvous(2);
		fuzz_finish();
	}
	pass("%u rounds of %u steps on each vCPU", ROUNDS, STEPS);
}
