/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do wild flags of update_va_mapping do harm?
 * Rule:     the upper bits are a pointer to a vCPU mask when UVMF_MULTI asks
 *           for one; a bad pointer is an error or ignored, nothing worse.
 * Source:   checklist 39; xen.h UVMF_MULTI.
 * Expected: the guest runs on and the M2P is intact.
 */
#include "xt.h"

void test_main(void)
{
	static const u64 flags[] = {
		UVMF_INVLPG | HV_START,
		UVMF_TLB_FLUSH | HV_START,
		UVMF_INVLPG | NONCANONICAL,
		UVMF_TLB_FLUSH | 0x1000,
		UVMF_FLUSHTYPE_MASK,
		~0UL,
		~0UL & ~4UL,
		UVMF_INVLPG | 0xffff82d040000000,
	};
	u64 *page = alloc_page();
	u64 pte = mk_pte(va_to_mfn(page), PTE_KERNEL);
	unsigned int refused = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++) {
		long rc = update_va_mapping(page, pte, flags[i]);

		check(rc == 0 || (rc < 0 && rc > -200), "flags %lx: %ld",
		      flags[i], rc);
		refused += rc < 0;
	}
	*page = 1;
	check(M2P[va_to_mfn(page)] == va_to_pfn(page), "M2P");
	pass("%u of %u refused", refused, (u32)ARRAY_SIZE(flags));
}
