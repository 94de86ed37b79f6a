/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is the builder's area mapped linearly, with its tables read-only?
 * Rule:     PFN n is at VIRT_BASE + n pages from PFN 0 to the end of the boot
 *           stack and at least 512 KiB on, in 4 KiB entries; page-table
 *           frames lie in [pt_base, nr_pt_frames) and have no writable entry.
 * Source:   guest-abi.md 1.3, checklist 1 and 6.
 * Expected: entries as told; table frames RO, all else RW.
 */
#include "xt.h"

static u64 in_tables;

static bool is_table(u64 pfn)
{
	u64 first = va_to_pfn((void *)start_info->pt_base);

	return pfn >= first && pfn < first + start_info->nr_pt_frames;
}

void test_main(void)
{
	u64 end_pfn = va_to_pfn((void *)entry_regs.rsp) + 128;

	for (u64 pfn = 0; pfn < end_pfn; pfn++) {
		const u8 *va = pfn_to_va(pfn);
		const u64 *e = pte_of(va);

		if ((unsigned long)va == ((unsigned long)shared_info & ~4095UL))
			continue;
		check(e && (*e & PTE_P), "PFN %lx is not mapped", pfn);
		check((*e & PTE_ADDR) >> 12 == pfn_to_mfn(pfn),
		      "PFN %lx maps %lx", pfn, *e);
		check(!(*e & PTE_NX), "PFN %lx is NX", pfn);
		check(!(*e & PTE_RW) == is_table(pfn), "PFN %lx entry %lx", pfn,
		      *e);
		for (int level = 2; level <= 4; level++)
			check(is_table(va_to_pfn(entry_of(va, level))),
			      "level %d of PFN %lx outside pt_base", level,
			      pfn);
		in_tables += is_table(pfn);
	}
	check(in_tables == start_info->nr_pt_frames, "%lu table frames seen",
	      in_tables);
	pass("%lx pages linear, %lu tables read-only", end_pfn, in_tables);
}
