/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a granted page be mapped and unmapped by address?
 * Rule:     the data is shared, the entry shows reading and writing while
 *           mapped, and unmap clears the mapping and the status exactly once.
 * Source:   guest-abi.md 11, checklist 28.
 * Expected: shared data, flags 0x19 while mapped, fault after the unmap,
 *           second unmap refused.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL
#define REF 9

void test_main(void)
{
	u64 *page = alloc_page();
	struct grant_entry_v1 *e = &grant_table()[REF];
	u32 handle;
	u64 v;

	map_at(WINDOW, 0);
	*page = 123;
	grant_page(REF, page, 0);
	check_eq(map_grant(REF, WINDOW, GNTMAP_host_map, &handle), GNTST_okay);
	check((e->flags & (GTF_reading | GTF_writing)) ==
		      (GTF_reading | GTF_writing),
	      "flags %x", e->flags);
	check_eq(probe_read((void *)WINDOW, &v)->vector, VEC_NONE);
	check_eq(v, 123);
	*(volatile u64 *)WINDOW = 124;
	check_eq(*page, 124);
	check_eq(unmap_grant(handle, WINDOW), GNTST_okay);
	check_eq(probe_read((void *)WINDOW, NULL)->vector, VEC_PF);
	check(!(e->flags & (GTF_reading | GTF_writing)), "flags %x", e->flags);
	check(unmap_grant(handle, WINDOW) != GNTST_okay, "unmapped twice");
	check_eq(map_grant(REF, WINDOW, GNTMAP_host_map, &handle), GNTST_okay);
	check_eq(unmap_grant(handle, 0), GNTST_okay);
	check_eq(map_ro(page), 0);
	pass("handle %u", handle);
}
