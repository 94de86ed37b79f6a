/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can two vCPUs pin and unpin the same table wildly?
 * Rule:     each pin and unpin is atomic; the counts come out right.
 * Source:   checklist 1 and 3.
 * Expected: after 2000 rounds each the page can be unpinned to writable.
 *
 * test: vcpus=2 time=120
 */
#include "xt.h"

#define ROUNDS 2000

static u64 *table;
static volatile u32 finished;
static u32 ok[2];

static void hammer(void)
{
	u64 mfn = va_to_mfn(table);
	u32 self = this_cpu()->id;

	rendezvous(2);
	for (u32 i = 0; i < ROUNDS; i++) {
		u32 cmd = (i + self) & 1 ? MMUEXT_PIN_L1_TABLE
					 : MMUEXT_PIN_L2_TABLE;

		ok[self] += mmuext(cmd, mfn) == 0;
		mmuext(MMUEXT_UNPIN_TABLE, mfn);
	}
	__atomic_fetch_add((u32 *)&finished, 1, __ATOMIC_SEQ_CST);
}

void test_main(void)
{
	u64 mfn;

	table = alloc_table();
	mfn = va_to_mfn(table);
	start_vcpu(1, hammer);
	hammer();
	check(spin_until(finished == 2, MS(60000)), "vCPU 1 hangs");
	mmuext(MMUEXT_UNPIN_TABLE, mfn);
	check_eq(mmuext(MMUEXT_UNPIN_TABLE, mfn), -XEN_EINVAL);
	check_eq(map_rw(table), 0);
	*table = 1;
	check_eq(map_ro(table), 0);
	pass("%u and %u pins succeeded", ok[0], ok[1]);
}
