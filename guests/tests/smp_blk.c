/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: may vCPUs use the queues of one VBD at once, while a third takes
 *           the VBD away and gives it back?
 * Rule:     queues share nothing but the disk; disconnecting one VBD waits for
 *           the disk on whatever CPU its work is, and leaves no page held.
 * Source:   include/xeno/vbd.h.
 * Expected: every read gives what was written; nothing is lost.
 * test: vcpus=3 disk=8 time=120
 */
#include "blkfront.h"

#define ROUNDS 150U
#define TURNS 40U

static struct blkfront front[2];
static volatile u32 done;

static void verify(u32 q)
{
	u8 *page = blk_data[q * 20];

	for (u32 i = 0; i < ROUNDS; i++) {
		u64 sector = q * 8000 + i * 61 % 7900;
		struct blkif_request r =
			blk_request(BLKIF_OP_WRITE, i, sector, q * 20, 1);

		memset(page, (int)(i + q + 1), 4096);
		check_eq(blk_do(&front[q], &r), BLKIF_RSP_OKAY);
		memset(page, 0, 4096);
		r.operation = BLKIF_OP_READ;
		check_eq(blk_do(&front[q], &r), BLKIF_RSP_OKAY);
		for (u32 k = 0; k < 4096; k += 511)
			check_eq(page[k], (u8)(i + q + 1));
	}
	__atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
}

static void first(void)
{
	verify(0);
	for (;;)
		sched_op(SCHEDOP_block, NULL);
}

static void second(void)
{
	verify(1);
	for (;;)
		sched_op(SCHEDOP_block, NULL);
}

/* A second VBD comes and goes with its ring full. */
static void come_and_go(void)
{
	static struct blkfront f;
	struct blkif_request r;

	check_eq(blk_connect(&f, 2, 0, 1), 0);
	for (u32 i = 0; i < f.entries; i++) {
		r = blk_request(BLKIF_OP_READ, i, i * 8, 40, 7);
		blk_put(&f, &r);
	}
	blk_push(&f);
	check_eq(blk_disconnect(2), 0);
	for (u32 ref = f.first_ref; ref < f.first_ref + f.ring_pages; ref++)
		check_eq(grant_table()[ref].flags & (GTF_reading | GTF_writing),
			 0);
	for (u32 p = 40; p < 47; p++)
		check_eq(grant_table()[BLK_DATA_REF + p].flags &
				 (GTF_reading | GTF_writing),
			 0);
	check_eq(close_event(f.port), 0);
	blk_forget(&f);
}

void test_main(void)
{
	struct xeno_vbd_extent all = { 0, 0, 0, 0 };
	struct xeno_vbd_info one, two;
	struct xeno_disk_info disk;
	u32 turns = 0;

	if (vcpus_available() < 3)
		skip("fewer than 3 vCPUs");
	blk_begin();
	all.sectors = blk_disk(0).sectors;
	check_eq(blk_create(1, 0, &all, 1), 0);
	check_eq(blk_create(2, XENO_VBD_READ_ONLY, &all, 1), 0);
	for (u32 q = 0; q < 2; q++)
		check_eq(blk_connect(&front[q], 1, q, 1), 0);
	start_vcpu(1, first);
	start_vcpu(2, second);
	while (done < 2 || turns < TURNS) {
		come_and_go();
		turns++;
	}
	check_eq(blk_disconnect(1), 0);
	one = blk_info(1);
	two = blk_info(2);
	disk = blk_disk(0);
	check_eq(one.requests[1], 2 * ROUNDS);
	check_eq(one.requests[0], 2 * ROUNDS);
	check_eq(one.requests[0] + two.requests[0], disk.requests[0]);
	check_eq(one.bytes[0] + two.bytes[0], disk.bytes[0]);
	check_eq(one.errors + two.errors + one.refused + two.refused, 0);
	check_eq(blk_destroy(1), 0);
	check_eq(blk_destroy(2), 0);
	pass("%u connections, %lu reads", turns, disk.requests[0]);
}
