// SPDX-License-Identifier: Apache-2.0
/*
 * A hostile front end: any bytes in the ring's page and in the page of
 * indirect descriptors, grants that come and go, while disks finish in any
 * order, fail and are full. After each step what the disks were given has been
 * checked by them; at the end nothing is pinned, nothing is lost, and sectors
 * of the disks outside the VBD are as they were.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <hv/block.h>
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/mm.h>

#include <arch/host_machine.h>

#include "../fake/block_world.h"
#include "../fake/domains.h"

#define PAGES 6
#define REF 16
#define RUNS 200
#define VBD 5

struct input {
	const uint8_t *bytes;
	size_t left;
};

static struct domain *zero, *one;
static u64 pages[PAGES];
static struct front front;

static uint8_t next(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->bytes++;
}

static const struct xeno_vbd_extent map[] = {
	{ 0, 0, 64, 20 },
	{ 1, 0, 7, 9 },
	{ 0, 0, 200, 300 },
};

static bool in_vbd(u32 disk, u64 sector)
{
	for (u32 i = 0; i < ARRAY_SIZE(map); i++) {
		if (map[i].disk == disk && sector >= map[i].first_sector &&
		    sector - map[i].first_sector < map[i].sectors)
			return true;
	}
	return false;
}

static void connect(void)
{
	struct xeno_vbd_connect c = {
		.vbd = VBD,
		.port = front.port,
		.ring_pages = front.page_count,
	};
	int rc;

	memcpy(c.ring_refs, front.refs, sizeof(front.refs));
	rc = block_vbd_connect(one, &c);
	CHECK(!rc || rc == -EINVAL || rc == -EBUSY);
}

static void set_up(u32 ring_pages, u32 flags)
{
	struct xeno_vbd_create c = {
		.vbd = VBD,
		.flags = flags,
		.extent_count = ARRAY_SIZE(map),
		.extents = 0x10000,
	};

	fake_machine_init(512, 2);
	fake_disks_init();
	host_clock_ns = 1;
	zero = fake_domain_create(0, 1, true);
	one = fake_domain_create(1, 1, false);
	fake_become(zero, 0);
	CHECK(!grant_setup(one, 1));
	for (u32 i = 0; i < PAGES; i++) {
		pages[i] = fake_frame(one);
		front_grant(one, REF + i, pages[i], 0);
	}
	host_guest_window(0x10000, (void *)(uintptr_t)map, sizeof(map));
	CHECK(!block_vbd_create(one, &c));
	host_guest_window(0, NULL, 0);
	front_init(&front, one, ring_pages, 1);
	connect();
}

/* A request that is nearly right, so that deep checks are reached. */
static void nearly_right(struct input *in)
{
	struct blkif_request r;
	struct blkif_request_indirect *indirect = (void *)&r;
	struct blkif_request_segment *seg = r.seg;
	uint8_t kind = next(in);
	u32 count = next(in) % 14;

	memset(&r, 0, sizeof(r));
	r.operation = kind % 7;
	r.nr_segments = (u8)count;
	r.id = front.req_prod;
	r.sector_number = next(in) + (kind & 0x40 ? 80U : 0U);
	if (r.operation == BLKIF_OP_INDIRECT) {
		indirect->indirect_op = kind >> 7;
		indirect->nr_segments = (u16)(count * (kind & 0x20 ? 25 : 5));
		indirect->indirect_grefs[0] = REF + PAGES - 1;
		seg = mfn_to_virt(pages[PAGES - 1]);
		count = MIN(indirect->nr_segments, 400U);
	} else if (r.operation == BLKIF_OP_DISCARD) {
		((struct blkif_request_discard *)&r)->nr_sectors = next(in);
		count = 0;
	}
	for (u32 i = 0; i < count && i < 400; i++) {
		uint8_t b = i < 14 ? next(in) : (uint8_t)(i * 7);

		if (seg == r.seg && i >= BLKIF_MAX_SEGMENTS_PER_REQUEST)
			break;
		seg[i].gref = REF + b % (b == 255 ? 40 : PAGES);
		seg[i].first_sect = b / 8 % 4;
		seg[i].last_sect = (u8)(b / 8 % 4 + b / 32);
	}
	front_put(&front, &r);
	if (!(kind & 0x10))
		front_push(&front);
}

static void scribble(struct input *in)
{
	uint8_t which = next(in), at = next(in), n = next(in) % 32;
	u8 *p = which & 1 ? (u8 *)front_sring(&front)
			  : mfn_to_virt(pages[PAGES - 1]);

	for (u32 i = 0; i < n; i++)
		p[at * (which & 2 ? 1 : 16) % (PAGE_SIZE - 32) + i] = next(in);
	if (event_send(one, front.port))
		return;
}

static void regrant(struct input *in)
{
	uint8_t kind = next(in);
	u32 ref = 1 + kind % (REF + PAGES);

	if (kind & 0x80)
		front_grant(one, ref, pages[next(in) % PAGES],
			    kind & 0x40 ? GTF_readonly : 0);
	else
		memset(front_entry(one, ref), next(in), 8);
}

static void finish(struct input *in)
{
	uint8_t kind = next(in);
	struct fake_disk *d = &fake_disks[kind & 1];

	if (d->queued)
		fake_disk_finish(d, kind / 8 % d->queued,
				 (kind & 6) == 6 ? -EIO : 0);
	d->capacity = kind & 0x40 ? 2 : FAKE_DISK_QUEUE;
}

static void step(struct input *in)
{
	switch (next(in) % 8) {
	case 0:
	case 1:
	case 2:
		nearly_right(in);
		break;
	case 3:
		scribble(in);
		break;
	case 4:
		regrant(in);
		break;
	case 5:
		finish(in);
		break;
	case 6:
		fake_work_round();
		break;
	default:
		if (next(in) % 4)
			fake_work_round();
		else if (!block_vbd_disconnect(one, VBD))
			connect();
	}
}

static void check_disks(u32 flags)
{
	for (u32 disk = 0; disk < FAKE_DISKS; disk++) {
		for (u64 s = 0; s < FAKE_DISK_SECTORS; s++) {
			if (!(flags & XENO_VBD_READ_ONLY) && in_vbd(disk, s))
				continue;
			CHECK(fake_disks[disk].bytes[s * 512] ==
			      fake_disk_pattern(disk, s));
		}
	}
}

static void check_counters(void)
{
	struct xeno_vbd_info i = { .vbd = VBD };

	CHECK(!block_vbd_info(one, &i));
	CHECK(!i.in_flight && !i.connected_queues);
	for (int op = 0; op < DISK_OPS; op++) {
		CHECK(i.requests[op] ==
		      fake_disks[0].disk.requests[op] +
			      fake_disks[1].disk.requests[op]);
		CHECK(i.bytes[op] == fake_disks[0].disk.bytes[op] +
					     fake_disks[1].disk.bytes[op]);
	}
	CHECK(i.errors ==
	      fake_disks[0].disk.errors + fake_disks[1].disk.errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t kind = next(&in);
	u32 flags = (kind & 0x70) == 0x70 ? XENO_VBD_READ_ONLY : 0;
	int budget = 100, rc;

	set_up(1U << (kind & 1), flags);
	for (int steps = 0; in.left && steps < 200; steps++)
		step(&in);
	for (u32 i = 0; i < 2; i++)
		fake_disks[i].capacity = FAKE_DISK_QUEUE;
	while ((rc = block_vbd_disconnect(one, VBD)) == -ERESTART) {
		fake_work_run(RUNS);
		fake_disk_finish_all(&fake_disks[0]);
		fake_disk_finish_all(&fake_disks[1]);
	}
	CHECK(!rc);
	check_counters();
	check_disks(flags);
	for (u32 i = 0; i < PAGES; i++) {
		CHECK((frame_table[pages[i]].ref & FRAME_COUNT_MASK) == 1);
		CHECK(!frame_tcount(frame_table[pages[i]].ref));
	}
	CHECK(!block_domain_exit(one, &budget));
	CHECK(fake_domain_destroy(one));
	CHECK(fake_domain_destroy(zero));
	fake_disks_exit();
	fake_machine_exit();
	return 0;
}
