/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a VBD read and write its extents, and nothing else?
 * Rule:     its sectors are those of its extents in order; what is written is
 *           read again, also by another VBD over the same sectors; no sector
 *           outside changes; counters are those of the disk.
 * Source:   include/xeno/vbd.h, xen/io/blkif.h.
 * Expected: a pattern over the disk, laid by one VBD, is broken by another
 *           exactly where its extents are.
 * test: disk=8
 */
#include "blkfront.h"

#define SPAN 2048U /* sectors under test */
#define PIECE 88U  /* sectors of 11 pages */

static struct blkfront whole, part;

static const struct xeno_vbd_extent extents[] = {
	{ 0, 0, 1000, 13 },
	{ 0, 0, 77, 3 },
	{ 0, 0, 1500, 101 },
};

static u8 pattern(u64 sector, u32 byte)
{
	return (u8)(sector * 31 + sector / 256 + byte * 7 + 3);
}

static bool in_part(u64 sector)
{
	for (u32 i = 0; i < ARRAY_SIZE(extents); i++) {
		if (sector >= extents[i].first_sector &&
		    sector - extents[i].first_sector < extents[i].sectors)
			return true;
	}
	return false;
}

static u8 *data(void)
{
	return blk_data[0];
}

static void transfer(struct blkfront *f, u8 op, u64 sector, u32 sectors)
{
	u32 pages = (sectors + 7) / 8;
	struct blkif_request r = blk_request(op, sector, sector, 0, pages);

	r.seg[pages - 1].last_sect = (u8)((sectors - 1) % 8);
	check_eq(blk_do(f, &r), BLKIF_RSP_OKAY);
}

static void lay_pattern(void)
{
	for (u64 at = 0; at < SPAN; at += PIECE) {
		u32 n = SPAN - at < PIECE ? (u32)(SPAN - at) : PIECE;

		for (u32 i = 0; i < n * 512; i++)
			data()[i] = pattern(at + i / 512, i % 512);
		transfer(&whole, BLKIF_OP_WRITE, at, n);
	}
}

static void check_whole(void)
{
	for (u64 at = 0; at < SPAN; at += PIECE) {
		u32 n = SPAN - at < PIECE ? (u32)(SPAN - at) : PIECE;

		memset(data(), 0, n * 512);
		transfer(&whole, BLKIF_OP_READ, at, n);
		for (u32 i = 0; i < n * 512; i++) {
			u8 want = in_part(at + i / 512)
					  ? 0xee
					  : pattern(at + i / 512, i % 512);

			check(data()[i] == want,
			      "sector %lu byte %u: %x not %x", at + i / 512,
			      i % 512, data()[i], want);
		}
	}
}

void test_main(void)
{
	struct blkif_request flush = {
		.operation = BLKIF_OP_FLUSH_DISKCACHE,
		.id = 99,
	};
	struct xeno_vbd_extent all = { 0, 0, 0, 0 };
	struct xeno_disk_info before, after;
	struct xeno_vbd_info w, p;

	blk_begin();
	before = blk_disk(0);
	all.sectors = before.sectors;
	check_eq(before.sectors, 8 * 2048);
	check_eq(blk_create(1, 0, &all, 1), 0);
	check_eq(blk_create(2, 0, extents, ARRAY_SIZE(extents)), 0);
	check_eq(blk_connect(&whole, 1, 0, 1), 0);
	check_eq(blk_connect(&part, 2, 0, 2), 0);
	check_eq(blk_info(2).sectors, 117);
	lay_pattern();
	/* In pieces that cross extents at odd places. */
	memset(data(), 0xee, 64 * 512);
	for (u32 at = 0; at < 117; at += 39)
		transfer(&part, BLKIF_OP_WRITE, at, 39);
	check_eq(blk_do(&part, &flush), BLKIF_RSP_OKAY);
	check_whole();
	after = blk_disk(0);
	w = blk_info(1);
	p = blk_info(2);
	for (u32 op = 0; op < 4; op++) {
		check_eq(after.requests[op] - before.requests[op],
			 w.requests[op] + p.requests[op]);
		check_eq(after.bytes[op] - before.bytes[op],
			 w.bytes[op] + p.bytes[op]);
	}
	check_eq(w.bytes[1] + p.bytes[1], (SPAN + 117) * 512);
	check_eq(w.errors + p.errors + w.refused + p.refused, 0);
	check_eq(blk_destroy(2), 0);
	check_eq(blk_destroy(1), 0);
	check_eq(blk_destroy(1), -XEN_ENOENT);
	pass("%lu writes, %lu reads, %lu flushes",
	     w.requests[1] + p.requests[1], w.requests[0] + p.requests[0],
	     p.requests[2]);
}
