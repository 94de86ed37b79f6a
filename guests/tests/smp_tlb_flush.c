/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a flush reach the other vCPU before the call returns?
 * Rule:     after an unmap with UVMF_ALL, or TLB_FLUSH_MULTI naming vCPU 1,
 *           that vCPU can no longer read through the old entry.
 * Source:   guest-abi.md 8.4, checklist 2.
 * Expected: 200 remaps, never a stale value on vCPU 1.
 *
 * test: vcpus=2
 */
#include "xt.h"

#define WINDOW ((volatile u64 *)0x600000000000UL)

static volatile u32 stop, up;
static volatile u64 stale, allowed_a, loops;

/* Reads for ever; a value other than the two that may be there is stale. */
static void second(void)
{
	up = 1;
	while (!stop) {
		u64 epoch = allowed_a;
		u64 v = *WINDOW;

		barrier();
		if (epoch == allowed_a && v != epoch && epoch)
			stale = v;
		loops++;
	}
}

void test_main(void)
{
	u64 *page[2] = { alloc_page(), alloc_page() };
	struct mmuext_op op = { .cmd = MMUEXT_TLB_FLUSH_MULTI };
	static const u64 mask[2] = { 2, 0 };

	set_xen_guest_handle(op.arg2.vcpumask, (void *)mask);
	*page[0] = 1;
	*page[1] = 2;
	map_at((u64)WINDOW, mk_pte(va_to_mfn(page[0]), PTE_RO));
	allowed_a = 0;
	start_vcpu(1, second);
	check(spin_until(up && loops > 100, MS(5000)), "vCPU 1 is not up");
	for (u32 i = 0; i < 200; i++) {
		u64 pte = mk_pte(va_to_mfn(page[i & 1]), PTE_RO);
		u64 seen = loops;

		allowed_a = 0;
		barrier();
		if (i & 2) {
			check_eq(write_entry(pte_of(WINDOW), pte), 0);
			check_eq(mmuext_op(&op, 1, NULL, DOMID_SELF), 0);
		} else {
			check_eq(update_va_mapping((void *)WINDOW, pte,
						   UVMF_INVLPG | UVMF_ALL),
				 0);
		}
		allowed_a = 1 + (i & 1);
		check(spin_until(loops > seen + 10, MS(5000)), "stuck");
		check(!stale, "round %u: vCPU 1 read %lu", i, stale);
	}
	stop = 1;
	pass("200 remaps, %lu reads", loops);
}
