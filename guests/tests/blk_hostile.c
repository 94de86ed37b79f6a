/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what can a front end break by lying to the back end?
 * Rule:     a request that breaks a rule is answered with an error and touches
 *           neither disk nor memory; a ring with impossible indices is served
 *           no more; all else goes on.
 * Source:   include/xeno/vbd.h, xen/io/blkif.h.
 * Expected: errors for each request past the end, with wild segments, grants,
 *           counts or operations, and for writes where only reads are allowed;
 *           a second queue works after the first was killed.
 * test: disk=8
 */
#include "blkfront.h"

#define SECTORS 100U

static struct blkfront f, second, read_only;

static void refuse(struct blkfront *front, struct blkif_request r, int status)
{
	u64 before = blk_info(front->vbd).refused;

	r.id = 0x1234567800000000UL + front->req_prod;
	check_eq(blk_do(front, &r), status);
	check_eq(blk_info(front->vbd).refused, before + 1);
}

static void bad_ranges(void)
{
	const u64 bad[] = { SECTORS - 7, SECTORS,  1UL << 32,
			    1UL << 63,   ~0UL - 7, ~0UL };

	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		refuse(&f, blk_request(BLKIF_OP_WRITE, 0, bad[i], 0, 1),
		       BLKIF_RSP_ERROR);
		refuse(&f, blk_request(BLKIF_OP_READ, 0, bad[i], 0, 1),
		       BLKIF_RSP_ERROR);
	}
}

static void bad_segments(void)
{
	struct blkif_request r = blk_request(BLKIF_OP_READ, 0, 0, 0, 2);

	refuse(&f, blk_request(BLKIF_OP_READ, 0, 0, 0, 0), BLKIF_RSP_ERROR);
	refuse(&f, blk_request(BLKIF_OP_READ, 0, 0, 0, 12), BLKIF_RSP_ERROR);
	refuse(&f, blk_request(BLKIF_OP_READ, 0, 0, 0, 255), BLKIF_RSP_ERROR);
	r.seg[1].first_sect = 3;
	r.seg[1].last_sect = 2;
	refuse(&f, r, BLKIF_RSP_ERROR);
	r.seg[1].last_sect = 8;
	refuse(&f, r, BLKIF_RSP_ERROR);
	r.seg[1].first_sect = r.seg[1].last_sect = 255;
	refuse(&f, r, BLKIF_RSP_ERROR);
}

static void bad_grants(void)
{
	struct blkif_request r = blk_request(BLKIF_OP_READ, 0, 0, 0, 2);
	const u32 bad[] = { 0, 1, 400, 511, 512, 1U << 20, ~0U };

	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		r.seg[1].gref = bad[i];
		refuse(&f, r, BLKIF_RSP_ERROR);
	}
	/* To itself instead of the back end; for reading only; of no frame. */
	r.seg[1].gref = 400;
	grant_page(400, blk_data[3], 0);
	refuse(&f, r, BLKIF_RSP_ERROR);
	blk_grant(400, blk_data[3], GTF_readonly);
	refuse(&f, r, BLKIF_RSP_ERROR);
	blk_grant(400, blk_data[3], 0);
	grant_table()[400].frame = ~0U;
	refuse(&f, r, BLKIF_RSP_ERROR);
	/* A page table of ours: never to be written by a disk. */
	blk_grant(400, current_l4(), 0);
	refuse(&f, r, BLKIF_RSP_ERROR);
	grant_table()[400].flags = 0;
}

static struct blkif_request indirect(u8 op, u32 count, u32 ref)
{
	struct blkif_request r;
	struct blkif_request_indirect *in = (void *)&r;

	memset(&r, 0, sizeof(r));
	in->operation = BLKIF_OP_INDIRECT;
	in->indirect_op = op;
	in->nr_segments = (u16)count;
	in->indirect_grefs[0] = ref;
	return r;
}

static void bad_indirect(void)
{
	struct blkif_request_segment *seg = (void *)blk_data[BLK_PAGES - 1];
	u32 page = BLK_DATA_REF + BLK_PAGES - 1;

	for (u32 i = 0; i < 512; i++)
		seg[i] = (struct blkif_request_segment){
			.gref = BLK_DATA_REF + i % 40,
		};
	refuse(&f, indirect(BLKIF_OP_READ, 0, page), BLKIF_RSP_ERROR);
	refuse(&f, indirect(BLKIF_OP_READ, 257, page), BLKIF_RSP_ERROR);
	refuse(&f, indirect(BLKIF_OP_READ, 65535, page), BLKIF_RSP_ERROR);
	refuse(&f, indirect(BLKIF_OP_READ, 101, page), BLKIF_RSP_ERROR);
	refuse(&f, indirect(BLKIF_OP_READ, 10, 450), BLKIF_RSP_ERROR);
	refuse(&f, indirect(BLKIF_OP_INDIRECT, 10, page), BLKIF_RSP_EOPNOTSUPP);
	seg[50].gref = 450;
	refuse(&f, indirect(BLKIF_OP_READ, 100, page), BLKIF_RSP_ERROR);
	seg[50].gref = BLK_DATA_REF;
	{
		struct blkif_request r = indirect(BLKIF_OP_READ, 100, page);

		check_eq(blk_do(&f, &r), BLKIF_RSP_OKAY);
	}
}

static void bad_operations(void)
{
	for (u32 op = 0; op < 256; op++) {
		struct blkif_request r = blk_request((u8)op, 0, 0, 0, 1);

		if (op == BLKIF_OP_READ || op == BLKIF_OP_WRITE ||
		    op == BLKIF_OP_DISCARD || op == BLKIF_OP_INDIRECT)
			continue;
		refuse(&f, r, BLKIF_RSP_EOPNOTSUPP);
	}
}

static void bad_indices(void)
{
	struct blkif_request r = blk_request(BLKIF_OP_READ, 5, 0, 0, 1);
	u32 rsp_prod = f.sring->rsp_prod;

	WRITE_ONCE(f.sring->req_prod, f.req_prod + f.entries + 1);
	check_eq(send_event(f.port), 0);
	WRITE_ONCE(f.sring->req_prod, f.req_prod - 1);
	check_eq(send_event(f.port), 0);
	blk_put(&f, &r);
	WRITE_ONCE(f.sring->req_prod, f.req_prod);
	check_eq(send_event(f.port), 0);
	check_eq(blk_do(&second, &r), BLKIF_RSP_OKAY);
	check_eq(READ_ONCE(f.sring->rsp_prod), rsp_prod);
}

void test_main(void)
{
	const struct xeno_vbd_extent extent = { 0, 0, 500, SECTORS };
	struct blkif_request r;

	blk_begin();
	check_eq(blk_create(1, 0, &extent, 1), 0);
	check_eq(blk_create(2, XENO_VBD_READ_ONLY, &extent, 1), 0);
	check_eq(blk_connect(&f, 1, 0, 1), 0);
	check_eq(blk_connect(&second, 1, 1, 1), 0);
	check_eq(blk_connect(&read_only, 2, 0, 1), 0);
	bad_ranges();
	bad_segments();
	bad_grants();
	bad_indirect();
	bad_operations();
	refuse(&read_only, blk_request(BLKIF_OP_WRITE, 0, 0, 0, 1),
	       BLKIF_RSP_ERROR);
	r = blk_request(BLKIF_OP_READ, 0, 0, 0, 1);
	check_eq(blk_do(&read_only, &r), BLKIF_RSP_OKAY);
	check_eq(blk_disk(0).requests[1], 0);
	bad_indices();
	check_eq(blk_destroy(1), 0);
	check_eq(blk_destroy(2), 0);
	/* No page is held any more. */
	for (u32 ref = 0; ref < 512; ref++)
		check_eq(grant_table()[ref].flags & (GTF_reading | GTF_writing),
			 0);
	pass("all refused");
}
