// SPDX-License-Identifier: Apache-2.0
/*
 * Requests through rings of VBDs: what is transferred, how it is cut and
 * joined, what is answered, and that a guest that breaks rules harms nobody
 * but itself.
 */
#include <string.h>

#include <hv/block.h>
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/mm.h>

#include <arch/host_machine.h>

#include "../fake/block_world.h"
#include "../fake/domains.h"
#include "check.h"

#define VBD 51712
#define PAGES 48
#define RUNS 64
#define DATA_REF 200 /* page i of the guest: DATA_REF + i */
#define RING_REF 8

static struct domain *zero, *one;
static u64 pages[PAGES];
static struct front front;
static struct blkif_response rsp;

static int setup(void **state)
{
	(void)state;
	fake_machine_init(1024, 2);
	fake_disks_init();
	fake_guest_logs = 0;
	host_clock_ns = 1;
	zero = fake_domain_create(0, 1, true);
	one = fake_domain_create(1, 1, false);
	fake_become(zero, 0);
	assert_int_equal(grant_setup(one, 2), 0);
	for (u32 i = 0; i < PAGES; i++) {
		pages[i] = fake_frame(one);
		front_grant(one, DATA_REF + i, pages[i], 0);
	}
	return 0;
}

static int teardown(void **state)
{
	int budget = 1000, rc;

	(void)state;
	while ((rc = block_domain_exit(one, &budget)) == -ERESTART) {
		fake_work_run(RUNS);
		for (u32 i = 0; i < FAKE_DISKS; i++)
			fake_disk_finish_all(&fake_disks[i]);
		fake_work_run(RUNS);
	}
	assert_int_equal(rc, 0);
	assert_true(fake_domain_destroy(one));
	assert_true(fake_domain_destroy(zero));
	fake_disks_exit();
	fake_machine_exit();
	return 0;
}

static void create(u32 id, u32 flags, struct xeno_vbd_extent *extents, u32 n)
{
	struct xeno_vbd_create c = {
		.vbd = id,
		.flags = flags,
		.extent_count = n,
		.extents = 0x10000,
	};
	int rc;

	host_guest_window(0x10000, extents, n * sizeof(*extents));
	while ((rc = block_vbd_create(one, &c)) == -ERESTART)
		;
	assert_int_equal(rc, 0);
	host_guest_window(0, NULL, 0);
}

static int connect(u32 id, u32 queue, const struct front *f)
{
	struct xeno_vbd_connect c = {
		.vbd = id,
		.queue = queue,
		.port = f->port,
		.ring_pages = f->page_count,
	};

	memcpy(c.ring_refs, f->refs, sizeof(f->refs));
	return block_vbd_connect(one, &c);
}

/* 50 sectors of disk 0, 30 of disk 1, 1000 of disk 0. */
static struct xeno_vbd_extent three[] = {
	{ 0, 0, 100, 50 },
	{ 1, 0, 10, 30 },
	{ 0, 0, 1000, 1000 },
};
#define SECTORS 1080

static void start(u32 flags)
{
	create(VBD, flags, three, 3);
	front_init(&front, one, 1, RING_REF);
	assert_int_equal(connect(VBD, 0, &front), 0);
	fake_work_run(RUNS);
}

static u8 *disk_byte(u64 vbd_sector)
{
	if (vbd_sector < 50)
		return fake_disks[0].bytes + (100 + vbd_sector) * 512;
	if (vbd_sector < 80)
		return fake_disks[1].bytes + (10 + vbd_sector - 50) * 512;
	return fake_disks[0].bytes + (1000 + vbd_sector - 80) * 512;
}

static u8 *page(u32 i)
{
	return mfn_to_virt(pages[i]);
}

static struct blkif_request transfer(u8 op, u64 id, u64 sector, u32 first_page,
				     u32 count)
{
	struct blkif_request r = {
		.operation = op,
		.nr_segments = (u8)count,
		.id = id,
		.sector_number = sector,
	};

	for (u32 i = 0; i < count; i++) {
		r.seg[i].gref = DATA_REF + first_page + i;
		r.seg[i].last_sect = 7;
	}
	return r;
}

static void send(const struct blkif_request *r)
{
	front_put(&front, r);
	front_push(&front);
	fake_work_run(RUNS);
}

static void finish_disks(void)
{
	unsigned int n;

	do {
		n = 0;
		for (u32 i = 0; i < FAKE_DISKS; i++)
			n += fake_disk_finish_all(&fake_disks[i]);
		fake_work_run(RUNS);
	} while (n);
}

static struct xeno_vbd_info info(u32 id)
{
	struct xeno_vbd_info i = { .vbd = id };

	assert_int_equal(block_vbd_info(one, &i), 0);
	return i;
}

/* No page of the guest's data is pinned. */
static void check_unpinned(void)
{
	for (u32 i = 0; i < PAGES; i++) {
		assert_int_equal(front_entry(one, DATA_REF + i)->flags &
					 (GTF_reading | GTF_writing),
				 0);
		assert_int_equal(frame_table[pages[i]].ref & FRAME_COUNT_MASK,
				 1);
	}
}

static void expect(u64 id, u8 op, s16 status)
{
	assert_true(front_get(&front, &rsp));
	assert_int_equal(rsp.id, id);
	assert_int_equal(rsp.operation, op);
	assert_int_equal(rsp.status, status);
}

/* Sends what must be answered at once and reach no disk. */
static void refuse(struct blkif_request r, u8 op, s16 status)
{
	u64 before = info(VBD).refused;

	r.id = 0xfeedface00000000UL + front.req_prod;
	send(&r);
	for (u32 i = 0; i < FAKE_DISKS; i++)
		assert_int_equal(fake_disks[i].queued, 0);
	expect(r.id, op, status);
	assert_int_equal(info(VBD).refused, before + 1);
	check_unpinned();
}

/* ---- what is transferred ---- */

static void a_write_and_a_read(void **state)
{
	struct blkif_request r;

	(void)state;
	start(0);
	memset(page(0), 0x5a, PAGE_SIZE);
	r = transfer(BLKIF_OP_WRITE, 77, 3, 0, 1);
	send(&r);
	assert_int_equal(fake_disks[0].queued, 1);
	assert_int_equal(fake_disks[0].kicks, 1);
	assert_int_equal(fake_disks[0].queue[0]->sector, 103);
	assert_int_equal(fake_disks[0].queue[0]->op, DISK_WRITE);
	assert_int_equal(info(VBD).in_flight, 1);
	/* For the disk to read, not to write. */
	assert_int_equal(front_entry(one, DATA_REF)->flags,
			 GTF_permit_access | GTF_reading);
	assert_false(front_get(&front, &rsp));
	fake_disk_finish(&fake_disks[0], 0, 0);
	assert_false(front_get(&front, &rsp));
	assert_int_equal(fake_work_run(1), 1);
	check_unpinned();
	expect(77, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
	assert_true(front_pending(&front));
	for (u64 s = 0; s < FAKE_DISK_SECTORS; s++)
		assert_int_equal(fake_disks[0].bytes[s * 512 + 511],
				 s >= 103 && s < 111 ? 0x5a
						     : fake_disk_pattern(0, s));

	r = transfer(BLKIF_OP_READ, 78, 3, 1, 1);
	send(&r);
	assert_int_equal(front_entry(one, DATA_REF + 1)->flags,
			 GTF_permit_access | GTF_reading | GTF_writing);
	finish_disks();
	expect(78, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	assert_memory_equal(page(0), page(1), PAGE_SIZE);
	check_unpinned();
	assert_int_equal(info(VBD).requests[DISK_READ], 1);
	assert_int_equal(info(VBD).bytes[DISK_WRITE], PAGE_SIZE);
	assert_int_equal(info(VBD).in_flight, 0);
}

static void parts_of_pages_over_all_extents(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_READ, 1, 45, 0, 11);
	u64 at = 45;

	(void)state;
	start(0);
	for (u32 i = 0; i < 11; i++) {
		r.seg[i].first_sect = (u8)(i % 4);
		r.seg[i].last_sect = (u8)(7 - i % 3);
		memset(page(i), 0xee, PAGE_SIZE);
	}
	send(&r);
	/* Disk 1 takes only 3 segments at a time. */
	assert_int_equal(fake_disks[0].queued, 2);
	assert_true(fake_disks[1].queued >= 2);
	finish_disks();
	expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	for (u32 i = 0; i < 11; i++) {
		for (u32 s = 0; s < 8; s++) {
			bool in = s >= r.seg[i].first_sect &&
				  s <= r.seg[i].last_sect;

			assert_int_equal(page(i)[s * 512 + 100],
					 in ? disk_byte(at)[100] : 0xee);
			at += in;
		}
	}
	check_unpinned();
	assert_int_equal(info(VBD).bytes[DISK_READ], (at - 45) * 512);
	assert_int_equal(info(VBD).requests[DISK_READ],
			 fake_disks[0].disk.requests[DISK_READ] +
				 fake_disks[1].disk.requests[DISK_READ]);
}

static void neighbouring_pages_are_joined(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_WRITE, 1, 100, 0, 4);
	struct frame *f;
	u64 mfn;

	(void)state;
	start(0);
	assert_int_equal(frame_owner_alloc_order(&one->owner, 2, &f), 0);
	mfn = frame_mfn(f);
	for (u32 i = 0; i < 4; i++) {
		front_grant(one, 400 + i, mfn + i, 0);
		r.seg[i].gref = 400 + i;
		memset(mfn_to_virt(mfn + i), (int)i + 1, PAGE_SIZE);
	}
	r.seg[0].first_sect = 2;
	r.seg[3].last_sect = 4;
	send(&r);
	assert_int_equal(fake_disks[0].queue[0]->segment_count, 1);
	assert_int_equal(fake_disks[0].queue[0]->segments[0].maddr,
			 (mfn << PAGE_SHIFT) + 1024);
	assert_int_equal(fake_disks[0].queue[0]->segments[0].bytes, 27 * 512);
	/* Meeting within a page is no joint, nor is another order. */
	r.seg[0].last_sect = 6;
	r.id = 2;
	send(&r);
	assert_int_equal(fake_disks[0].queue[1]->segment_count, 2);
	finish_disks();
	expect(1, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
	expect(2, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
	for (u32 i = 0; i < 4; i++) {
		assert_int_equal(front_entry(one, 400 + i)->flags,
				 GTF_permit_access);
		assert_int_equal(frame_table[mfn + i].ref & FRAME_COUNT_MASK,
				 1);
	}
}

static struct blkif_request indirect(u8 op, u64 id, u64 sector, u32 count)
{
	struct blkif_request r;
	struct blkif_request_indirect *in = (void *)&r;

	memset(&r, 0, sizeof(r));
	in->operation = BLKIF_OP_INDIRECT;
	in->indirect_op = op;
	in->nr_segments = (u16)count;
	in->id = id;
	in->sector_number = sector;
	in->indirect_grefs[0] = DATA_REF + PAGES - 1;
	return r;
}

/* The descriptors of an indirect request lie in the last page. */
static struct blkif_request_segment *descriptors(void)
{
	return (void *)page(PAGES - 1);
}

static void an_indirect_request_of_all_segments(void **state)
{
	struct blkif_request r = indirect(BLKIF_OP_WRITE, 9, 30, 256);

	(void)state;
	start(0);
	for (u32 i = 0; i < 256; i++) {
		descriptors()[i] = (struct blkif_request_segment){
			.gref = DATA_REF + i % 40,
			.first_sect = (u8)(i % 8),
			.last_sect = (u8)(i % 8 + (i % 8 < 5 ? 3 : 0)),
		};
		memset(page(i % 40) + i % 8 * 512, (int)(i % 40 + 1), 512);
	}
	send(&r);
	/* It has been read: what comes later changes nothing. */
	memset(descriptors(), 0xff, 256 * 8);
	assert_false(front_get(&front, &rsp));
	finish_disks();
	expect(9, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
	assert_false(front_get(&front, &rsp));
	assert_int_equal(*disk_byte(30), 1);
	assert_int_equal(info(VBD).bytes[DISK_WRITE], (160UL * 4 + 96) * 512);
	assert_int_equal(info(VBD).bytes[DISK_WRITE],
			 fake_disks[0].disk.bytes[DISK_WRITE] +
				 fake_disks[1].disk.bytes[DISK_WRITE]);
	check_unpinned();
}

static void flushes_and_discards(void **state)
{
	struct blkif_request r = { .operation = BLKIF_OP_FLUSH_DISKCACHE };
	struct blkif_request_discard *discard = (void *)&r;

	(void)state;
	start(0);
	r.id = 5;
	send(&r);
	/* Disk 1 has no cache. */
	assert_int_equal(fake_disks[0].queued, 1);
	assert_int_equal(fake_disks[0].queue[0]->op, DISK_FLUSH);
	assert_false(front_get(&front, &rsp));
	finish_disks();
	expect(5, BLKIF_OP_FLUSH_DISKCACHE, BLKIF_RSP_OKAY);

	memset(&r, 0, sizeof(r));
	discard->operation = BLKIF_OP_DISCARD;
	discard->id = 6;
	discard->sector_number = 80 + 10;
	discard->nr_sectors = 250;
	send(&r);
	finish_disks();
	expect(6, BLKIF_OP_DISCARD, BLKIF_RSP_OKAY);
	assert_int_equal(fake_disks[0].disk.requests[DISK_DISCARD], 3);
	assert_int_equal(info(VBD).requests[DISK_DISCARD], 3);
	assert_int_equal(info(VBD).requests[DISK_FLUSH], 1);
	assert_int_equal(info(VBD).bytes[DISK_DISCARD], 250 * 512);
	for (u64 s = 80; s < SECTORS; s++)
		assert_int_equal(
			*disk_byte(s),
			s >= 90 && s < 340 ? 0 : fake_disk_pattern(0, s + 920));
	/* Disk 1 cannot, and past the end nobody can. */
	discard->sector_number = 60;
	discard->nr_sectors = 1;
	refuse(r, BLKIF_OP_DISCARD, BLKIF_RSP_EOPNOTSUPP);
	discard->sector_number = 1000;
	discard->nr_sectors = 81;
	refuse(r, BLKIF_OP_DISCARD, BLKIF_RSP_ERROR);
	discard->nr_sectors = ~0UL - 500;
	refuse(r, BLKIF_OP_DISCARD, BLKIF_RSP_ERROR);
	discard->nr_sectors = 0;
	refuse(r, BLKIF_OP_DISCARD, BLKIF_RSP_ERROR);
}

static void a_flush_where_nothing_is_cached(void **state)
{
	struct xeno_vbd_extent plain = { 1, 0, 0, 100 };
	struct blkif_request r = { .operation = BLKIF_OP_FLUSH_DISKCACHE,
				   .id = 5 };

	(void)state;
	create(VBD, 0, &plain, 1);
	front_init(&front, one, 1, RING_REF);
	assert_int_equal(connect(VBD, 0, &front), 0);
	send(&r);
	expect(5, BLKIF_OP_FLUSH_DISKCACHE, BLKIF_RSP_OKAY);
	assert_int_equal(fake_disks[1].logged, 0);
}

/* ---- what is refused ---- */

static void bad_forms_are_refused(void **state)
{
	const struct blkif_request good = transfer(BLKIF_OP_READ, 0, 0, 0, 2);
	struct blkif_request r;

	(void)state;
	start(0);
	r = good;
	r.nr_segments = 0;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.nr_segments = 12;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.nr_segments = 255;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r = good;
	r.seg[1].first_sect = 5;
	r.seg[1].last_sect = 4;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r = good;
	r.seg[0].last_sect = 8;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.seg[0].first_sect = r.seg[0].last_sect = 255;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	for (u32 op = 0; op < 256; op++) {
		r = good;
		r.operation = (u8)op;
		if (op == BLKIF_OP_READ || op == BLKIF_OP_WRITE ||
		    op == BLKIF_OP_INDIRECT || op == BLKIF_OP_DISCARD)
			continue;
		refuse(r, (u8)op, BLKIF_RSP_EOPNOTSUPP);
	}
}

static void nothing_past_the_end(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_WRITE, 0, 0, 0, 1);

	(void)state;
	start(0);
	r.sector_number = SECTORS - 7;
	refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	r.sector_number = SECTORS;
	refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	r.sector_number = ~0UL;
	refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	r.sector_number = ~0UL - 7;
	refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	r.sector_number = 1UL << 63;
	refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	/* The last sectors are the guest's own. */
	r.sector_number = SECTORS - 8;
	send(&r);
	finish_disks();
	expect(0, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
}

static void read_only_is_read_only(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_WRITE, 0, 0, 0, 1);
	struct blkif_request_discard *discard = (void *)&r;

	(void)state;
	start(XENO_VBD_READ_ONLY);
	refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	descriptors()[0] = r.seg[0];
	refuse(indirect(BLKIF_OP_WRITE, 0, 0, 1), BLKIF_OP_WRITE,
	       BLKIF_RSP_ERROR);
	memset(&r, 0, sizeof(r));
	discard->operation = BLKIF_OP_DISCARD;
	discard->nr_sectors = 8;
	refuse(r, BLKIF_OP_DISCARD, BLKIF_RSP_ERROR);
	r = transfer(BLKIF_OP_READ, 3, 0, 0, 1);
	send(&r);
	finish_disks();
	expect(3, BLKIF_OP_READ, BLKIF_RSP_OKAY);
}

static void bad_grants_are_refused(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_READ, 0, 0, 0, 3);

	(void)state;
	start(0);
	r.seg[1].gref = ~0U;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.seg[1].gref = 2 * 512;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.seg[1].gref = 0;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	/* To another, revoked, and of another's page. */
	r.seg[1].gref = 450;
	front_grant(one, 450, pages[0], 0);
	front_entry(one, 450)->domid = 0;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	front_entry(one, 450)->flags = 0;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	front_grant(one, 450, fake_frame(zero), 0);
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	front_grant(one, 450, ~0U, 0);
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	/* For reading only: a disk's write may take it, a read may not. */
	front_grant(one, 450, pages[9], GTF_readonly);
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.operation = BLKIF_OP_WRITE;
	send(&r);
	finish_disks();
	expect(0, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
}

static void bad_indirect_requests_are_refused(void **state)
{
	struct blkif_request r;
	struct blkif_request_indirect *in = (void *)&r;

	(void)state;
	start(0);
	for (u32 i = 0; i < 512; i++)
		descriptors()[i] = (struct blkif_request_segment){
			.gref = DATA_REF + i % 40,
			.last_sect = 0,
		};
	refuse(indirect(BLKIF_OP_READ, 0, 0, 0), BLKIF_OP_READ,
	       BLKIF_RSP_ERROR);
	refuse(indirect(BLKIF_OP_READ, 0, 0, 257), BLKIF_OP_READ,
	       BLKIF_RSP_ERROR);
	refuse(indirect(BLKIF_OP_READ, 0, 0, 65535), BLKIF_OP_READ,
	       BLKIF_RSP_ERROR);
	refuse(indirect(BLKIF_OP_READ, 0, SECTORS - 255, 256), BLKIF_OP_READ,
	       BLKIF_RSP_ERROR);
	refuse(indirect(BLKIF_OP_FLUSH_DISKCACHE, 0, 0, 1),
	       BLKIF_OP_FLUSH_DISKCACHE, BLKIF_RSP_EOPNOTSUPP);
	refuse(indirect(BLKIF_OP_INDIRECT, 0, 0, 1), BLKIF_OP_INDIRECT,
	       BLKIF_RSP_EOPNOTSUPP);
	r = indirect(BLKIF_OP_READ, 0, 0, 5);
	in->indirect_grefs[0] = 4000;
	refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	descriptors()[4].gref = 4000;
	refuse(indirect(BLKIF_OP_READ, 0, 0, 5), BLKIF_OP_READ,
	       BLKIF_RSP_ERROR);
	descriptors()[3].last_sect = 8;
	refuse(indirect(BLKIF_OP_READ, 0, 0, 5), BLKIF_OP_READ,
	       BLKIF_RSP_ERROR);
}

/* ---- rings ---- */

static void wild_indices_break_the_ring_only(void **state)
{
	struct xeno_vbd_extent other = { 0, 0, 3000, 100 };
	struct blkif_request r = transfer(BLKIF_OP_READ, 1, 0, 0, 1);
	const u32 jumps[] = { 33, 1000, 0x7fffffff, 0xffffffff };
	struct front second;

	(void)state;
	start(0);
	create(VBD + 1, 0, &other, 1);
	for (u32 i = 0; i < ARRAY_SIZE(jumps); i++) {
		struct front wild;

		front_init(&wild, one, 1, 20 + i);
		assert_int_equal(connect(VBD, 1 + i, &wild), 0);
		fake_work_run(RUNS);
		/* One honest request in flight, then the lie. */
		front_put(&wild, &r);
		front_push(&wild);
		fake_work_run(RUNS);
		front_sring(&wild)->req_prod = jumps[i];
		assert_int_equal(event_send(one, wild.port), 0);
		fake_work_run(RUNS);
		finish_disks();
		/* It is dead, quietly. */
		assert_int_equal(front_sring(&wild)->rsp_prod, 0);
		front_sring(&wild)->req_prod = 2;
		assert_int_equal(event_send(one, wild.port), 0);
		assert_int_equal(fake_work_run(RUNS), 1);
		assert_int_equal(front_sring(&wild)->rsp_prod, 0);
	}
	check_unpinned();
	assert_int_equal(fake_disks[0].logged, ARRAY_SIZE(jumps));
	assert_int_equal(fake_guest_logs, ARRAY_SIZE(jumps));
	/* Another queue of the VBD, and another VBD. */
	send(&r);
	finish_disks();
	expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	front_init(&second, one, 1, 30);
	assert_int_equal(connect(VBD + 1, 0, &second), 0);
	front_put(&second, &r);
	front_push(&second);
	fake_work_run(RUNS);
	finish_disks();
	assert_true(front_get(&second, &rsp));
	assert_int_equal(block_vbd_destroy(one, VBD + 1), -ERESTART);
	fake_work_run(RUNS);
	assert_int_equal(block_vbd_destroy(one, VBD + 1), 0);
}

static void a_full_ring_and_more_work_than_a_run_does(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_READ, 0, 100, 0, 11);
	unsigned int runs;

	(void)state;
	start(0);
	for (u32 i = 0; i < 32; i++) {
		r.id = i;
		r.sector_number = 100 + i;
		front_put(&front, &r);
	}
	front_push(&front);
	assert_int_equal(fake_work_round(), 1);
	/* Bounded by its slots; the rest waits in the ring. */
	assert_int_equal(info(VBD).in_flight, fake_disks[0].queued);
	assert_in_range(fake_disks[0].queued, 8, 15);
	finish_disks();
	for (u32 i = 0; i < 32; i++)
		assert_true(front_get(&front, &rsp));
	assert_int_equal(front.notified, 1);
	/* Requests that cost no slot are bounded too. */
	r.nr_segments = 0;
	for (u32 round = 0; round < 10; round++) {
		for (u32 i = 0; i < 32; i++)
			front_put(&front, &r);
		front_push(&front);
	}
	runs = fake_work_run(RUNS);
	assert_true(runs >= 1);
	check_unpinned();
}

static void responses_notify_as_asked(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_READ, 0, 0, 0, 1);

	(void)state;
	start(0);
	front_sring(&front)->rsp_event = 3;
	for (u32 i = 0; i < 3; i++) {
		assert_false(front_pending(&front));
		send(&r);
		finish_disks();
	}
	assert_true(front_pending(&front));
	for (u32 i = 0; i < 3; i++)
		assert_true(front_get(&front, &rsp));
	assert_false(front_get(&front, &rsp));
	send(&r);
	assert_false(front_pending(&front));
	finish_disks();
	assert_true(front_pending(&front));
}

/* Urgent is only what the disk has nothing to do before. */
static void requests_gather_while_the_disk_is_busy(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_READ, 1, 0, 0, 1);

	(void)state;
	start(0);
	fake_work_late = 0;
	send(&r);
	assert_int_equal(fake_work_late, 0);
	assert_int_equal(fake_disks[0].queued, 1);
	for (u32 i = 0; i < 3; i++) {
		front_put(&front, &r);
		front_push(&front);
	}
	/* Told of the first only. */
	assert_int_equal(fake_work_late, 1);
	fake_work_run(RUNS);
	assert_int_equal(fake_disks[0].queued, 4);
	finish_disks();
	fake_work_late = 0;
	send(&r);
	assert_int_equal(fake_work_late, 0);
	finish_disks();
	for (u32 i = 0; i < 5; i++)
		expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
}

static void large_rings_in_many_rounds(void **state)
{
	struct blkif_request r;
	u64 seed = 11, sent = 0, got = 0;

	(void)state;
	create(VBD, 0, three, 3);
	front_init(&front, one, 4, RING_REF);
	assert_int_equal(front.entries, 128);
	/* Indices about to wrap: a ring need not start at 0. */
	front.req_prod = front.rsp_cons = ~0U - 1000;
	front_sring(&front)->req_prod = front.req_prod;
	front_sring(&front)->rsp_prod = front.req_prod;
	front_sring(&front)->req_event = front.req_prod + 1;
	front_sring(&front)->rsp_event = front.req_prod + 1;
	assert_int_equal(connect(VBD, 0, &front), 0);
	while (got < 5000) {
		u32 n = (u32)(random_next(&seed) % 129);

		while (n-- && sent - got < 128) {
			r = transfer(BLKIF_OP_READ, sent * 7919, sent % 990, 0,
				     1 + (u32)(random_next(&seed) % 11));
			front_put(&front, &r);
			sent++;
		}
		front_push(&front);
		fake_work_run(RUNS);
		/* In any order. */
		while (fake_disks[0].queued && random_next(&seed) % 8)
			fake_disk_finish(&fake_disks[0],
					 (u32)(random_next(&seed) %
					       fake_disks[0].queued),
					 0);
		fake_disk_finish_all(&fake_disks[1]);
		fake_work_run(RUNS);
		while (front_get(&front, &rsp)) {
			assert_int_equal(rsp.status, 0);
			assert_int_equal(rsp.id % 7919, 0);
			assert_true(rsp.id / 7919 < sent);
			got++;
		}
	}
	finish_disks();
	while (front_get(&front, &rsp))
		got++;
	assert_int_equal(got, sent);
	assert_in_range(fake_disks[0].most_queued, 16, 30);
	check_unpinned();
}

static void two_queues_of_one_vbd(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_WRITE, 1, 0, 0, 1);
	struct front second;

	(void)state;
	start(0);
	front_init(&second, one, 2, 20);
	assert_int_equal(connect(VBD, 0, &second), -EBUSY);
	assert_int_equal(connect(VBD, 8, &second), -ENOENT);
	assert_int_equal(connect(VBD, 7, &second), 0);
	fake_work_run(RUNS);
	send(&r);
	front_put(&second, &r);
	front_push(&second);
	fake_work_run(RUNS);
	assert_int_equal(fake_disks[0].queued, 2);
	assert_int_equal(info(VBD).connected_queues, 2);
	assert_int_equal(info(VBD).in_flight, 2);
	finish_disks();
	assert_true(front_get(&front, &rsp));
	assert_true(front_get(&second, &rsp));
	assert_int_equal(info(VBD).bytes[DISK_WRITE], 2 * PAGE_SIZE);
}

/* ---- disks that fail ---- */

static void errors_of_the_disk(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_WRITE, 1, 46, 0, 3);

	(void)state;
	start(0);
	send(&r);
	assert_int_equal(fake_disks[0].queued, 1);
	assert_int_equal(fake_disks[1].queued, 1);
	fake_disk_finish(&fake_disks[0], 0, -EIO);
	fake_work_run(RUNS);
	/* Not before all of it is over. */
	assert_false(front_get(&front, &rsp));
	finish_disks();
	expect(1, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	check_unpinned();
	assert_int_equal(info(VBD).errors, 1);
	assert_int_equal(info(VBD).refused, 0);
	assert_int_equal(info(VBD).requests[DISK_WRITE], 2);
	assert_int_equal(info(VBD).bytes[DISK_WRITE],
			 fake_disks[1].disk.bytes[DISK_WRITE]);
}

static void a_disk_that_is_full(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_READ, 0, 100, 0, 2);

	(void)state;
	start(0);
	fake_disks[0].capacity = 2;
	for (u32 i = 0; i < 20; i++) {
		r.id = i;
		front_put(&front, &r);
	}
	front_push(&front);
	fake_work_run(RUNS);
	assert_int_equal(fake_disks[0].queued, 2);
	/* What is refused is not held. */
	assert_int_equal(info(VBD).in_flight, 2);
	finish_disks();
	for (u32 i = 0; i < 20; i++) {
		assert_true(front_get(&front, &rsp));
		assert_int_equal(rsp.status, 0);
	}
	/* Full of what others sent: asked again until it is not. */
	fake_disks[0].capacity = 0;
	r.id = 20;
	front_put(&front, &r);
	front_push(&front);
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(fake_work_round(), 1);
	fake_disks[0].capacity = 1;
	fake_work_run(RUNS);
	finish_disks();
	expect(20, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	check_unpinned();
}

/* ---- the end ---- */

static void grants_in_flight_cannot_be_taken_back(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_READ, 1, 0, 0, 1);
	u64 mfn = pages[0];

	(void)state;
	start(0);
	send(&r);
	/* The guest revokes, reuses the entry, and frees the page. */
	front_grant(one, DATA_REF, pages[1], 0);
	assert_int_not_equal(
		frame_owner_release(&one->owner, &frame_table[mfn]), -EINVAL);
	assert_int_equal(frame_table[mfn].owner_id, 1);
	assert_true(frame_tcount(frame_table[mfn].ref) > 0);
	finish_disks();
	expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	assert_int_equal(*(u8 *)mfn_to_virt(mfn), fake_disk_pattern(0, 100));
	pages[0] = fake_frame(one);
	front_grant(one, DATA_REF, pages[0], 0);
	check_unpinned();
}

static void disconnect_waits_for_what_is_in_flight(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_READ, 1, 0, 0, 1);
	struct frame *f;
	u64 state_pages;

	(void)state;
	/* What grants need for themselves they keep. */
	assert_int_equal(grant_acquire(one, DOMID_BACKEND, DATA_REF, false, &f),
			 0);
	grant_release(one, DATA_REF, false, f);
	create(VBD, 0, three, 3);
	state_pages = one->owner.state_pages;
	front_init(&front, one, 1, RING_REF);
	assert_int_equal(connect(VBD, 0, &front), 0);
	assert_int_equal(one->owner.state_pages - state_pages, 4);
	for (u32 i = 0; i < 20; i++)
		front_put(&front, &r);
	front_push(&front);
	fake_work_run(RUNS);
	assert_int_equal(fake_disks[0].queued, 15);
	assert_int_equal(block_vbd_disconnect(one, VBD), -ERESTART);
	/* Its pages are pinned; more requests are not taken. */
	assert_int_equal(front_entry(one, RING_REF)->flags &
				 (GTF_reading | GTF_writing),
			 GTF_reading | GTF_writing);
	fake_work_run(RUNS);
	assert_int_equal(block_vbd_disconnect(one, VBD), -ERESTART);
	for (u32 i = 0; i < 14; i++)
		fake_disk_finish(&fake_disks[0], 0, 0);
	fake_work_run(RUNS);
	assert_int_equal(fake_disks[0].queued, 1);
	assert_int_equal(block_vbd_disconnect(one, VBD), -ERESTART);
	/* Patience ends, and begins again after success. */
	host_clock_ns += 2000000000UL;
	assert_int_equal(block_vbd_disconnect(one, VBD), -EAGAIN);
	fake_disk_finish(&fake_disks[0], 0, 0);
	assert_int_equal(block_vbd_disconnect(one, VBD), -EAGAIN);
	fake_work_run(RUNS);
	assert_int_equal(block_vbd_disconnect(one, VBD), 0);
	assert_int_equal(block_vbd_disconnect(one, VBD), 0);
	assert_int_equal(one->owner.state_pages, state_pages);
	assert_int_equal(front_entry(one, RING_REF)->flags, GTF_permit_access);
	check_unpinned();
	assert_int_equal(info(VBD).requests[DISK_READ], 15);
	assert_int_equal(info(VBD).connected_queues, 0);

	/* The same ring goes on where it stood: five were never taken. */
	assert_int_equal(connect(VBD, 0, &front), 0);
	fake_work_run(RUNS);
	finish_disks();
	for (u32 i = 0; i < 20; i++)
		expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	assert_int_equal(info(VBD).requests[DISK_READ], 20);
}

static void disconnect_while_waiting_for_a_turn(void **state)
{
	struct blkif_request r = indirect(BLKIF_OP_READ, 4, 80, 124);
	struct xeno_vbd_extent other = { 0, 0, 3000, 500 };
	struct front second;

	(void)state;
	start(0);
	create(VBD + 1, 0, &other, 1);
	for (u32 i = 0; i < 124; i++)
		descriptors()[i] = (struct blkif_request_segment){
			.gref = DATA_REF + i % 40,
			.last_sect = 7,
		};
	for (u32 i = 0; i < 2; i++) {
		front_put(&front, &r);
	}
	front_init(&second, one, 1, 20);
	assert_int_equal(connect(VBD + 1, 0, &second), 0);
	front_push(&front);
	fake_work_run(RUNS);
	/* The disk's share of sectors is used up. */
	for (u32 i = 0; i < 3; i++) {
		r = transfer(BLKIF_OP_READ, i, 0, 0, 11);
		front_put(&second, &r);
	}
	front_push(&second);
	fake_work_run(RUNS);
	assert_true(fake_disks[0].queued >= 8);
	assert_int_equal(info(VBD + 1).in_flight, 0);
	assert_int_equal(block_vbd_disconnect(one, VBD + 1), -ERESTART);
	fake_work_run(RUNS);
	assert_int_equal(block_vbd_disconnect(one, VBD + 1), 0);
	/* What had been taken from the ring is answered. */
	assert_true(front_get(&second, &rsp));
	assert_int_equal(rsp.status, BLKIF_RSP_ERROR);
	assert_false(front_get(&second, &rsp));
	finish_disks();
	expect(4, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	expect(4, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	check_unpinned();
}

static void a_dying_domain(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_READ, 1, 0, 0, 3);
	int budget = 10;

	(void)state;
	start(0);
	send(&r);
	one->owner.dying = true;
	assert_int_equal(block_domain_exit(one, &budget), -ERESTART);
	fake_work_run(RUNS);
	assert_int_equal(block_domain_exit(one, &budget), -ERESTART);
	finish_disks();
	budget = 0;
	assert_int_equal(block_domain_exit(one, &budget), -ERESTART);
	budget = 1;
	assert_int_equal(block_domain_exit(one, &budget), 0);
	assert_int_equal(block_domain_exit(one, &budget), 0);
	assert_null(one->block);
	check_unpinned();
}

static void a_port_closed_in_flight(void **state)
{
	struct blkif_request r = transfer(BLKIF_OP_READ, 1, 0, 0, 3);

	(void)state;
	start(0);
	send(&r);
	assert_int_equal(event_close(one, front.port), 0);
	finish_disks();
	expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	assert_int_equal(block_vbd_destroy(one, VBD), -ERESTART);
	fake_work_run(RUNS);
	assert_int_equal(block_vbd_destroy(one, VBD), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_write_and_a_read),
		TEST(parts_of_pages_over_all_extents),
		TEST(neighbouring_pages_are_joined),
		TEST(an_indirect_request_of_all_segments),
		TEST(flushes_and_discards),
		TEST(a_flush_where_nothing_is_cached),
		TEST(bad_forms_are_refused),
		TEST(nothing_past_the_end),
		TEST(read_only_is_read_only),
		TEST(bad_grants_are_refused),
		TEST(bad_indirect_requests_are_refused),
		TEST(wild_indices_break_the_ring_only),
		TEST(a_full_ring_and_more_work_than_a_run_does),
		TEST(responses_notify_as_asked),
		TEST(requests_gather_while_the_disk_is_busy),
		TEST(large_rings_in_many_rounds),
		TEST(two_queues_of_one_vbd),
		TEST(errors_of_the_disk),
		TEST(a_disk_that_is_full),
		TEST(grants_in_flight_cannot_be_taken_back),
		TEST(disconnect_waits_for_what_is_in_flight),
		TEST(disconnect_while_waiting_for_a_turn),
		TEST(a_dying_domain),
		TEST(a_port_closed_in_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
