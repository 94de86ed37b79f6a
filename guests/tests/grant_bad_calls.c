/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does grant_table_op refuse bad operations and pointers?
 * Rule:     unknown operations -ENOSYS, lists outside guest memory -EFAULT,
 *           version 2 and transfers refused.
 * Source:   checklist 30, 39.
 * Expected: as the rule; a huge count stops at the end of memory.
 */
#include "xt.h"

void test_main(void)
{
	struct gnttab_transfer transfer = { .domid = DOMID_SELF };
	static const u32 ops[] = {
		GNTTABOP_map_grant_ref, GNTTABOP_unmap_grant_ref,
		GNTTABOP_setup_table,   GNTTABOP_copy,
		GNTTABOP_query_size,    GNTTABOP_unmap_and_replace,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		check_refused(grant_op(ops[i], (void *)HV_START, 1));
		check_refused(grant_op(ops[i], (void *)NONCANONICAL, 1));
		check_refused(grant_op(ops[i], (void *)(HV_START - 128), ~0U));
		check_refused(grant_op(ops[i], NULL, 2));
	}
	check_eq(grant_op(77, &transfer, 1), -XEN_ENOSYS);
	check_refused(grant_op(~0U, &transfer, 1));
	transfer.mfn = va_to_mfn(alloc_page());
	if (grant_op(GNTTABOP_transfer, &transfer, 1) == 0)
		check(transfer.status != GNTST_okay, "transfer accepted");
	check(M2P[transfer.mfn] < start_info->nr_pages, "page went away");
	pass("%u operations", (u32)ARRAY_SIZE(ops));
}
