/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does update_va_mapping refuse addresses without an L1 table?
 * Rule:     no table there: refused, not a fault of the hypervisor; never an
 *           entry of the hypervisor's half; non-canonical ones neither.
 * Source:   guest-abi.md 8.2, checklist 10 and 39.
 * Expected: every call refused with a valid entry value and with 0.
 */
#include "xt.h"

void test_main(void)
{
	static const u64 addresses[] = {
		0x700000000000,     0x7ffffffff000,     HV_START,
		0xffff82d040200000, HV_END - 4096,      HV_START + 0x4000000000,
		NONCANONICAL,       0x0000800000000000, 0xffff7ffffffff000,
		0xffffc00000000000,
	};
	u64 mfn = va_to_mfn(alloc_page());

	for (unsigned int i = 0; i < ARRAY_SIZE(addresses); i++) {
		void *va = (void *)addresses[i];

		check_refused(update_va_mapping(va, mk_pte(mfn, PTE_KERNEL),
						UVMF_INVLPG));
		check_refused(update_va_mapping(va, 0, UVMF_INVLPG));
	}
	check(M2P[mfn] < start_info->nr_pages, "M2P gone");
	pass("%u addresses", (u32)ARRAY_SIZE(addresses));
}
