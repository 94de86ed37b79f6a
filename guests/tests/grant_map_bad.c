/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are bad references, handles, addresses and flags refused?
 * Rule:     each gives a negative status and maps nothing; no references
 *           leak: afterwards the page can be a page table.
 * Source:   checklist 28, 31, 32, 40.
 * Expected: negative status for each.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL
#define REF 9

void test_main(void)
{
	u64 *page = alloc_page();
	struct grant_entry_v1 *t = grant_table();
	u64 pte = 0, hv = current_l4()[L4_INDEX(HV_START)] & PTE_ADDR;
	static const u32 handles[] = { 0, 1, 511, 0x10000, 0x7fffffff, ~0U };

	map_at(WINDOW, 0);
	pte = va_to_maddr(pte_of((void *)WINDOW));
	grant_page(REF, page, 0);
	check(map_grant(10, WINDOW, GNTMAP_host_map, NULL) < 0, "empty");
	check(map_grant(511, WINDOW, GNTMAP_host_map, NULL) < 0, "last");
	check(map_grant(~0U, WINDOW, GNTMAP_host_map, NULL) < 0, "ref -1");
	check(map_grant(1U << 20, WINDOW, GNTMAP_host_map, NULL) < 0, "far");
	check(map_grant(REF, WINDOW, 0, NULL) < 0, "no flags");
	check(map_grant(REF, HV_START, GNTMAP_host_map, NULL) < 0, "hv");
	check(map_grant(REF, NONCANONICAL, GNTMAP_host_map, NULL) < 0, "nc");
	check(map_grant(REF, 0x500000000000, GNTMAP_host_map, NULL) < 0,
	      "no L1 table");
	for (u64 low = 1; low < 8; low++)
		check(map_grant(REF, pte + low,
				GNTMAP_host_map | GNTMAP_contains_pte,
				NULL) < 0,
		      "unaligned PTE address +%lu", low);
	check(map_grant(REF, hv, GNTMAP_host_map | GNTMAP_contains_pte, NULL) <
		      0,
	      "PTE in the hypervisor");
	check(map_grant(REF, va_to_maddr(page),
			GNTMAP_host_map | GNTMAP_contains_pte, NULL) < 0,
	      "PTE in a data page");
	t[12].flags = GTF_permit_access;
	t[12].domid = 0;
	t[12].frame = (u32)(hv >> 12);
	check(map_grant(12, WINDOW, GNTMAP_host_map, NULL) < 0, "hv frame");
	t[12].frame = ~0U;
	check(map_grant(12, WINDOW, GNTMAP_host_map, NULL) < 0, "wild frame");
	t[12].frame = (u32)va_to_mfn(current_l4());
	check(map_grant(12, WINDOW, GNTMAP_host_map, NULL) < 0, "page table");
	for (unsigned int i = 0; i < ARRAY_SIZE(handles); i++)
		check(unmap_grant(handles[i], WINDOW) < 0, "handle %u",
		      handles[i]);
	check(!(t[REF].flags & (GTF_reading | GTF_writing)), "flags %x",
	      t[REF].flags);
	*page = 0;
	seal(page);
	check_eq(mmuext(MMUEXT_PIN_L1_TABLE, va_to_mfn(page)), 0);
	pass("26 refused, no reference left");
}
