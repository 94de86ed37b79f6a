/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: may a VBD be taken away while its disk is at work?
 * Rule:     disconnecting waits for what is in flight and returns with no page
 *           of the guest held; the rings of the front end stay whole, and the
 *           same VBD can be connected again.
 * Source:   include/xeno/vbd.h, XENO_OP_VBD_DISCONNECT.
 * Expected: after each of many rounds of full rings and a disconnection no
 *           grant is in use, and each request is answered or still in its ring.
 * test: disk=8
 */
#include "blkfront.h"

static struct blkfront queue[2];
static u64 answered, failed, left;

static void round_of(u32 n)
{
	for (u32 q = 0; q < 2; q++)
		check_eq(blk_connect(&queue[q], 1, q, q + 1), 0);
	for (u32 q = 0; q < 2; q++) {
		for (u32 i = 0; i < queue[q].entries; i++) {
			struct blkif_request r = blk_request(
				i % 2, i, (i * 97 + n) % 16000, i % 37, 11);

			blk_put(&queue[q], &r);
		}
		blk_push(&queue[q]);
		/* Revoked at once: what is in flight stays pinned. */
		if (n % 2)
			grant_table()[BLK_DATA_REF + n].flags &= 0;
	}
	for (u32 i = 0; i < n; i++)
		blk_get(&queue[i % 2]);
	check_eq(blk_disconnect(1), 0);
	for (u32 ref = 0; ref < 512; ref++)
		check_eq(grant_table()[ref].flags & (GTF_reading | GTF_writing),
			 0);
	for (u32 q = 0; q < 2; q++) {
		struct blkfront *f = &queue[q];

		check(f->sring->rsp_prod <= f->entries, "too many responses");
		for (u32 i = 0; i < f->sring->rsp_prod; i++) {
			answered++;
			failed += f->sring->ring[i].rsp.status != 0;
		}
		left += f->entries - f->sring->rsp_prod;
		check_eq(close_event(f->port), 0);
	}
	blk_grant(BLK_DATA_REF + n, blk_data[n], 0);
}

void test_main(void)
{
	struct xeno_vbd_extent all = { 0, 0, 0, 0 };
	struct xeno_vbd_info i;
	struct xeno_disk_info disk;

	blk_begin();
	all.sectors = blk_disk(0).sectors;
	check_eq(blk_create(1, 0, &all, 1), 0);
	for (u32 n = 0; n < 10; n++)
		round_of(n);
	i = blk_info(1);
	disk = blk_disk(0);
	check_eq(i.in_flight, 0);
	check_eq(i.connected_queues, 0);
	check_eq(i.requests[0], disk.requests[0]);
	check_eq(i.requests[1], disk.requests[1]);
	check(left > 0, "never disconnected with requests in the ring");
	check_eq(blk_destroy(1), 0);
	pass("%lu answered, %lu of them failed, %lu left in rings", answered,
	     failed, left);
}
