/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is a read-only grant never writable?
 * Rule:     GTF_readonly refuses writable maps; a read-only map gives a
 *           read-only entry and sets reading only.
 * Source:   checklist 28.
 * Expected: status not okay, then a map on which writes fault.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL
#define REF 9

void test_main(void)
{
	u64 *page = alloc_page();
	struct grant_entry_v1 *e = &grant_table()[REF];
	u32 handle;
	struct fault *f;

	map_at(WINDOW, 0);
	grant_page(REF, page, GTF_readonly);
	check(map_grant(REF, WINDOW, GNTMAP_host_map, NULL) != GNTST_okay,
	      "writable map of a read-only grant");
	check_eq(map_grant(REF, WINDOW, GNTMAP_host_map | GNTMAP_readonly,
			   &handle),
		 GNTST_okay);
	check((e->flags & (GTF_reading | GTF_writing)) == GTF_reading,
	      "flags %x", e->flags);
	f = probe_write((void *)WINDOW, 5);
	check(f->vector == VEC_PF && f->error == 3, "write: vector %d",
	      f->vector);
	check_refused(update_va_mapping(
		(void *)WINDOW, mk_pte(va_to_mfn(current_l4()), PTE_KERNEL),
		0));
	check_eq(unmap_grant(handle, WINDOW), GNTST_okay);
	check_eq(e->flags & (GTF_reading | GTF_writing), 0);
	pass("read-only");
}
