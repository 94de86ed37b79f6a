/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does update_va_mapping change one L1 entry and flush as told?
 * Rule:     works on the current kernel table; UVMF_INVLPG and UVMF_TLB_FLUSH
 *           make the change visible at once, UVMF_ALL on all vCPUs.
 * Source:   guest-abi.md 8.2.
 * Expected: RO after the call faults on write, RW again works, for each flag.
 */
#include "xt.h"

void test_main(void)
{
	static const u64 flags[] = {
		UVMF_INVLPG | UVMF_LOCAL,
		UVMF_INVLPG | UVMF_ALL,
		UVMF_TLB_FLUSH | UVMF_LOCAL,
		UVMF_TLB_FLUSH | UVMF_ALL,
	};
	u64 *page = alloc_page();
	u64 mfn = va_to_mfn(page);
	struct fault *f;

	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++) {
		*page = i;
		check_eq(update_va_mapping(page, mk_pte(mfn, PTE_RO), flags[i]),
			 0);
		f = probe_write(page, 99);
		check(f->vector == VEC_PF && f->error == 3,
		      "flags %lx: vector %d", flags[i], f->vector);
		check(*page == i, "value %lx", *page);
		check_eq(update_va_mapping(page, mk_pte(mfn, PTE_KERNEL),
					   flags[i]),
			 0);
		check_eq(probe_write(page, 99)->vector, VEC_NONE);
		check_eq(update_va_mapping(page, 0, flags[i]), 0);
		check_eq(probe_read(page, NULL)->vector, VEC_PF);
		check_eq(update_va_mapping(page, mk_pte(mfn, PTE_KERNEL),
					   UVMF_NONE),
			 0);
		check_eq(*page, 99);
	}
	pass("4 flag combinations");
}
