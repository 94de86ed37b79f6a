/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grant.c - a version 1 grant table in which the guest grants to itself.
 * Domain 0 names itself by number: grants know no DOMID_SELF.
 */
#include "xt.h"

struct grant_entry_v1 *grant_table(void)
{
	static struct grant_entry_v1 *table;
	struct gnttab_setup_table s = { .dom = DOMID_SELF, .nr_frames = 1 };
	xen_pfn_t frame = 0;

	if (table)
		return table;
	set_xen_guest_handle(s.frame_list, &frame);
	check_eq(grant_op(GNTTABOP_setup_table, &s, 1), 0);
	check(s.status == GNTST_okay, "setup_table status %d", s.status);
	table = alloc_page();
	check_eq(update_va_mapping(table, mk_pte(frame, PTE_KERNEL),
				   UVMF_INVLPG),
		 0);
	return table;
}

void grant_page(u32 ref, const void *page, u16 flags)
{
	struct grant_entry_v1 *e = &grant_table()[ref];

	e->domid = 0;
	e->frame = (u32)va_to_mfn(page);
	__atomic_store_n(&e->flags, GTF_permit_access | flags,
			 __ATOMIC_SEQ_CST);
}

int map_grant(u32 ref, u64 host_addr, u32 flags, u32 *handle)
{
	struct gnttab_map_grant_ref op = {
		.host_addr = host_addr,
		.flags = flags,
		.ref = ref,
		.dom = 0,
		.status = 77,
	};

	check_eq(grant_op(GNTTABOP_map_grant_ref, &op, 1), 0);
	if (handle)
		*handle = op.handle;
	return op.status;
}

int unmap_grant(u32 handle, u64 host_addr)
{
	struct gnttab_unmap_grant_ref op = {
		.host_addr = host_addr,
		.handle = handle,
		.status = 77,
	};

	check_eq(grant_op(GNTTABOP_unmap_grant_ref, &op, 1), 0);
	return op.status;
}
