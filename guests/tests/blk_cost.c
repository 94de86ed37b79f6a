/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what does a read of 4 KiB cost, one at a time?
 * Rule:     the way from ring to disk and back is short: at most 8,000
 *           instructions in guest, hypervisor and interrupts together, where
 *           a nanosecond is one (--icount).
 * Source:   a real Xen with a Linux back end takes 68,100.
 * Expected: 500 reads at odd places, each right; the time that was not idle,
 *           divided by 500, below 8,000 ns where time is instructions.
 * test: disk=8
 */
#include <xeno/node.h>

#include "blkfront.h"

#define READS 500U
#define LIMIT_NS 8000U

static struct blkfront f;

static u64 busy_ns(void)
{
	static struct xeno_meters m;

	m.head = (struct xeno_envelope){ XENO_METERS_VERSION, XENO_OP_METERS,
					 sizeof(m), 0 };
	check_eq(hypercall(XENO_HYPERVISOR_CONTROL, &m), 0);
	return m.elapsed_ns - m.idle_ns;
}

/* Whether the clock counts instructions: a known loop takes what it must. */
static bool time_is_instructions(void)
{
	u64 begin = rdtsc(), ns = now_ns();

	for (u32 i = 0; i < 1000000; i++)
		barrier();
	ns = now_ns() - ns;
	return rdtsc() - begin && ns >= 1990000 && ns < 3100000;
}

void test_main(void)
{
	struct xeno_vbd_extent all = { 0, 0, 0, 0 };
	bool exact = time_is_instructions();
	struct blkif_request r;
	u64 begin, each_ns;

	blk_begin();
	all.sectors = blk_disk(0).sectors;
	check_eq(blk_create(1, 0, &all, 1), 0);
	check_eq(blk_connect(&f, 1, 0, 1), 0);
	for (u32 i = 0; i < 11; i++)
		memset(blk_data[i], (int)i + 1, 4096);
	for (u64 at = 0; at < all.sectors - 88; at += 88) {
		r = blk_request(BLKIF_OP_WRITE, at, at, 0, 11);
		check_eq(blk_do(&f, &r), BLKIF_RSP_OKAY);
	}
	begin = busy_ns();
	for (u32 i = 0; i < READS; i++) {
		u64 page = i * 7919UL % (all.sectors / 8 - 22);

		r = blk_request(BLKIF_OP_READ, i, page * 8, 20, 1);
		check_eq(blk_do(&f, &r), BLKIF_RSP_OKAY);
		check_eq(blk_data[20][i % 4096], page % 11 + 1);
	}
	each_ns = (busy_ns() - begin) / READS;
	check(!exact || each_ns <= LIMIT_NS, "%lu instructions", each_ns);
	check_eq(blk_destroy(1), 0);
	pass("%lu %s each", each_ns, exact ? "instructions" : "ns");
}
