/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do query_size and setup_table give a usable version 1 table?
 * Rule:     frames are the caller's to map, have no PFN, start zeroed; bad
 *           counts and domains get a status, not an error of the call.
 * Source:   guest-abi.md 11, pitfall 19, checklist 51.
 * Expected: frame 0 maps and is clear, too many frames refused.
 */
#include "xt.h"

void test_main(void)
{
	struct gnttab_query_size q = { .dom = DOMID_SELF };
	struct gnttab_setup_table s = { .dom = DOMID_SELF, .nr_frames = 1 };
	xen_pfn_t frames[2] = { 0, 0 };
	u64 *table = alloc_page();

	check_eq(grant_op(GNTTABOP_query_size, &q, 1), 0);
	check(q.status == GNTST_okay && q.max_nr_frames >= 4 &&
		      q.nr_frames <= q.max_nr_frames,
	      "query: %d %u %u", q.status, q.nr_frames, q.max_nr_frames);
	set_xen_guest_handle(s.frame_list, frames);
	check_eq(grant_op(GNTTABOP_setup_table, &s, 1), 0);
	check(s.status == GNTST_okay && frames[0], "setup: %d", s.status);
	check_eq(update_va_mapping(table, mk_pte(frames[0], PTE_KERNEL),
				   UVMF_INVLPG),
		 0);
	for (unsigned int i = 0; i < 512; i++)
		check(!table[i], "word %u of the table is %lx", i, table[i]);
	table[511] = 0;
	check(M2P[frames[0]] >= start_info->nr_pages, "table frame has PFN %lx",
	      M2P[frames[0]]);
	s.nr_frames = q.max_nr_frames + 1;
	check_eq(grant_op(GNTTABOP_setup_table, &s, 1), 0);
	check(s.status != GNTST_okay, "%u frames given", s.nr_frames);
	s.dom = 77;
	s.nr_frames = 1;
	check_eq(grant_op(GNTTABOP_setup_table, &s, 1), 0);
	check(s.status != GNTST_okay, "table of domain 77");
	q.dom = 77;
	check_eq(grant_op(GNTTABOP_query_size, &q, 1), 0);
	check(q.status != GNTST_okay, "size of domain 77");
	pass("%u of %u frames", q.nr_frames, q.max_nr_frames);
}
