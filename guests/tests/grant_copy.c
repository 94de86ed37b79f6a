/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does GNTTABOP_copy copy by reference and by frame, inside bounds?
 * Rule:     offsets and lengths stay in a page; read-only grants are not
 *           written; page tables and foreign frames are never targets; one
 *           bad entry doesn't stop the rest.
 * Source:   checklist 29, 32, guest-abi.md 11.
 * Expected: data copied; seven bad ones get a negative status.
 */
#include "xt.h"

#define REF 9

static int copy(u64 src_mfn, u32 src_off, u64 dst_mfn, u32 dst_off, u32 len,
		u32 flags)
{
	struct gnttab_copy op = {
		.source.domid = DOMID_SELF,
		.source.offset = (u16)src_off,
		.dest.domid = DOMID_SELF,
		.dest.offset = (u16)dst_off,
		.len = (u16)len,
		.flags = (u16)flags,
		.status = 77,
	};

	if (flags & GNTCOPY_source_gref)
		op.source.u.ref = (u32)src_mfn;
	else
		op.source.u.gmfn = src_mfn;
	if (flags & GNTCOPY_dest_gref)
		op.dest.u.ref = (u32)dst_mfn;
	else
		op.dest.u.gmfn = dst_mfn;
	check_eq(grant_op(GNTTABOP_copy, &op, 1), 0);
	return op.status;
}

void test_main(void)
{
	u8 *a = alloc_page();
	u8 *b = alloc_page();
	u64 ma = va_to_mfn(a), mb = va_to_mfn(b);
	u64 hv = (current_l4()[L4_INDEX(HV_START)] & PTE_ADDR) >> 12;

	memset(a, 0x5a, PAGE_SIZE);
	grant_page(REF, b, 0);
	grant_page(REF + 1, b, GTF_readonly);
	check_eq(copy(ma, 100, REF, 4000, 96, GNTCOPY_dest_gref), GNTST_okay);
	check(b[3999] == 0 && b[4000] == 0x5a && b[4095] == 0x5a, "copied");
	check_eq(copy(REF, 4095, ma, 0, 1, GNTCOPY_source_gref), GNTST_okay);
	check_eq(copy(ma, 0, mb, 0, 4096, 0), GNTST_okay);
	check(copy(ma, 4000, mb, 0, 97, 0) < 0, "past the source's end");
	check(copy(ma, 0, mb, 4000, 97, 0) < 0, "past the target's end");
	check(copy(ma, 0xffff, mb, 0, 2, 0) < 0, "wrapping offset");
	check(copy(ma, 0, REF + 1, 0, 8, GNTCOPY_dest_gref) < 0, "read-only");
	check(copy(ma, 0, va_to_mfn(current_l4()), 0, 8, 0) < 0, "page table");
	check(copy(ma, 0, hv, 0, 8, 0) < 0, "to the hypervisor");
	check(copy(hv, 0, ma, 0, 8, 0) < 0, "from the hypervisor");
	check(copy(ma, 0, 400, 0, 8, GNTCOPY_dest_gref) < 0, "empty ref");
	check(copy(ma, 0, ~0U, 0, 8, GNTCOPY_dest_gref) < 0, "ref -1");
	check(!(grant_table()[REF].flags & (GTF_reading | GTF_writing)),
	      "flags %x", grant_table()[REF].flags);
	pass("3 copies, 9 refused");
}
