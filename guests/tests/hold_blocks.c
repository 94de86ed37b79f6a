/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: how long do full rings, the disk's interrupts, and the making and
 *           disconnecting of disks keep a CPU?
 * Rule:     what is taken from rings is paid from a budget, and so is the rest.
 * Source:   hv/hold.h, xeno/vbd.h.
 * Expected: every request is answered; a disk of 1024 extents comes and goes;
 *           builds that measure print the longest entries.
 * test: disk=8 time=120
 */
#include "blkfront.h"

#define QUEUES 2U
#define RING_PAGES 8U
#define ROUNDS 3U

static struct blkfront q[QUEUES];
static struct xeno_vbd_extent extents[XENO_VBD_EXTENTS_MAX];

static void fill(struct blkfront *f, bool broken)
{
	struct blkif_request r;

	for (u32 i = 0; i < f->entries; i++) {
		r = blk_request(i & 1 ? BLKIF_OP_WRITE : BLKIF_OP_READ, i,
				i * 37 % 16000, i % 37, 11);
		if (broken)
			r.seg[i % 11].gref = 400;
		blk_put(f, &r);
	}
}

static void answers(struct blkfront *f, int wanted)
{
	for (u32 i = 0; i < f->entries; i++)
		check_eq(blk_get(f).status, wanted);
}

/* Small pieces, and requests that lie in several of them. */
static void many_extents(void)
{
	static struct blkfront f;

	for (u32 i = 0; i < XENO_VBD_EXTENTS_MAX; i++)
		extents[i] = (struct xeno_vbd_extent){
			.first_sector = (u64)(XENO_VBD_EXTENTS_MAX - i) * 12,
			.sectors = 11,
		};
	check_eq(blk_create(2, XENO_VBD_READ_ONLY, extents,
			    XENO_VBD_EXTENTS_MAX),
		 0);
	check_eq(blk_connect(&f, 2, 0, 4), 0);
	for (u32 i = 0; i < f.entries; i++) {
		struct blkif_request r = blk_request(
			BLKIF_OP_READ, i, i * 41 % 11000, i % 37, 11);

		blk_put(&f, &r);
	}
	blk_push(&f);
	answers(&f, BLKIF_RSP_OKAY);
	check_eq(blk_destroy(2), 0);
	blk_forget(&f);
}

void test_main(void)
{
	struct xeno_vbd_extent all = { 0, 0, 0, 0 };

	blk_begin();
	all.sectors = blk_disk(0).sectors;
	check_eq(blk_create(1, 0, &all, 1), 0);
	for (u32 i = 0; i < QUEUES; i++)
		check_eq(blk_connect(&q[i], 1, i, RING_PAGES), 0);
	for (u32 round = 0; round < ROUNDS; round++) {
		for (u32 i = 0; i < QUEUES; i++)
			fill(&q[i], round == 1);
		for (u32 i = 0; i < QUEUES; i++)
			blk_push(&q[i]);
		for (u32 i = 0; i < QUEUES; i++)
			answers(&q[i],
				round == 1 ? BLKIF_RSP_ERROR : BLKIF_RSP_OKAY);
	}
	/* The last ones are under way when the disk goes. */
	for (u32 i = 0; i < QUEUES; i++) {
		fill(&q[i], false);
		blk_push(&q[i]);
	}
	check_eq(blk_disconnect(1), 0);
	check_eq(blk_destroy(1), 0);
	many_extents();
	pass("%u requests", (ROUNDS + 1) * QUEUES * q[0].entries);
}
