// SPDX-License-Identifier: Apache-2.0
/*
 * Requests through a ring of a VBD: what is transferred, how it is cut and
 * joined, what is answered, and what is refused.
 */
#include <string.h>

#include <hv/mm.h>

#include "../fake/blkif_guest.h"
#include "../fake/domains.h"
#include "check.h"

/* ---- what is transferred ---- */

static void a_write_and_a_read(void **state)
{
	struct blkif_request r;

	(void)state;
	guest_start(0);
	memset(guest_page(0), 0x5a, PAGE_SIZE);
	r = guest_transfer(BLKIF_OP_WRITE, 77, 3, 0, 1);
	guest_send(&r);
	assert_int_equal(fake_disks[0].queued, 1);
	assert_int_equal(fake_disks[0].kicks, 1);
	assert_int_equal(fake_disks[0].queue[0]->sector, 103);
	assert_int_equal(fake_disks[0].queue[0]->op, DISK_WRITE);
	assert_int_equal(guest_vbd_info(VBD).in_flight, 1);
	/* For the disk to read, not to write. */
	assert_int_equal(front_entry(one, GUEST_REF)->flags,
			 GTF_permit_access | GTF_reading);
	assert_false(front_get(&front, &rsp));
	fake_disk_finish(&fake_disks[0], 0, 0);
	assert_false(front_get(&front, &rsp));
	assert_int_equal(fake_work_run(1), 1);
	guest_check_unpinned();
	guest_expect(77, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
	assert_true(front_pending(&front));
	for (u64 s = 0; s < FAKE_DISK_SECTORS; s++)
		assert_int_equal(fake_disks[0].bytes[s * 512 + 511],
				 s >= 103 && s < 111 ? 0x5a
						     : fake_disk_pattern(0, s));

	r = guest_transfer(BLKIF_OP_READ, 78, 3, 1, 1);
	guest_send(&r);
	assert_int_equal(front_entry(one, GUEST_REF + 1)->flags,
			 GTF_permit_access | GTF_reading | GTF_writing);
	finish_disks();
	guest_expect(78, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	assert_memory_equal(guest_page(0), guest_page(1), PAGE_SIZE);
	guest_check_unpinned();
	assert_int_equal(guest_vbd_info(VBD).requests[DISK_READ], 1);
	assert_int_equal(guest_vbd_info(VBD).bytes[DISK_WRITE], PAGE_SIZE);
	assert_int_equal(guest_vbd_info(VBD).in_flight, 0);
}

static void parts_of_pages_over_all_extents(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_READ, 1, 45, 0, 11);
	u64 at = 45;

	(void)state;
	guest_start(0);
	for (u32 i = 0; i < 11; i++) {
		r.seg[i].first_sect = (u8)(i % 4);
		r.seg[i].last_sect = (u8)(7 - i % 3);
		memset(guest_page(i), 0xee, PAGE_SIZE);
	}
	guest_send(&r);
	/* Disk 1 takes only 3 segments at a time. */
	assert_int_equal(fake_disks[0].queued, 2);
	assert_true(fake_disks[1].queued >= 2);
	finish_disks();
	guest_expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	for (u32 i = 0; i < 11; i++) {
		for (u32 s = 0; s < 8; s++) {
			bool in = s >= r.seg[i].first_sect &&
				  s <= r.seg[i].last_sect;

			assert_int_equal(guest_page(i)[s * 512 + 100],
					 in ? guest_disk_byte(at)[100] : 0xee);
			at += in;
		}
	}
	guest_check_unpinned();
	assert_int_equal(guest_vbd_info(VBD).bytes[DISK_READ], (at - 45) * 512);
	assert_int_equal(guest_vbd_info(VBD).requests[DISK_READ],
			 fake_disks[0].disk.requests[DISK_READ] +
				 fake_disks[1].disk.requests[DISK_READ]);
}

static void neighbouring_pages_are_joined(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_WRITE, 1, 100, 0, 4);
	struct frame *f;
	u64 mfn;

	(void)state;
	guest_start(0);
	assert_int_equal(frame_owner_alloc_order(&one->owner, 2, &f), 0);
	mfn = frame_mfn(f);
	for (u32 i = 0; i < 4; i++) {
		front_grant(one, 400 + i, mfn + i, 0);
		r.seg[i].gref = 400 + i;
		memset(mfn_to_virt(mfn + i), (int)i + 1, PAGE_SIZE);
	}
	r.seg[0].first_sect = 2;
	r.seg[3].last_sect = 4;
	guest_send(&r);
	assert_int_equal(fake_disks[0].queue[0]->segment_count, 1);
	assert_int_equal(fake_disks[0].queue[0]->segments[0].maddr,
			 (mfn << PAGE_SHIFT) + 1024);
	assert_int_equal(fake_disks[0].queue[0]->segments[0].bytes, 27 * 512);
	/* Meeting within a page is no joint, nor is another order. */
	r.seg[0].last_sect = 6;
	r.id = 2;
	guest_send(&r);
	assert_int_equal(fake_disks[0].queue[1]->segment_count, 2);
	finish_disks();
	guest_expect(1, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
	guest_expect(2, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
	for (u32 i = 0; i < 4; i++) {
		assert_int_equal(front_entry(one, 400 + i)->flags,
				 GTF_permit_access);
		assert_int_equal(frame_table[mfn + i].ref & FRAME_COUNT_MASK,
				 1);
	}
}

static void an_indirect_request_of_all_segments(void **state)
{
	struct blkif_request r = guest_indirect(BLKIF_OP_WRITE, 9, 30, 256);

	(void)state;
	guest_start(0);
	for (u32 i = 0; i < 256; i++) {
		guest_descriptors()[i] = (struct blkif_request_segment){
			.gref = GUEST_REF + i % 40,
			.first_sect = (u8)(i % 8),
			.last_sect = (u8)(i % 8 + (i % 8 < 5 ? 3 : 0)),
		};
		memset(guest_page(i % 40) + i % 8 * 512, (int)(i % 40 + 1),
		       512);
	}
	guest_send(&r);
	/* It has been read: what comes later changes nothing. */
	memset(guest_descriptors(), 0xff, 256 * 8);
	assert_false(front_get(&front, &rsp));
	finish_disks();
	guest_expect(9, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
	assert_false(front_get(&front, &rsp));
	assert_int_equal(*guest_disk_byte(30), 1);
	assert_int_equal(guest_vbd_info(VBD).bytes[DISK_WRITE],
			 (160UL * 4 + 96) * 512);
	assert_int_equal(guest_vbd_info(VBD).bytes[DISK_WRITE],
			 fake_disks[0].disk.bytes[DISK_WRITE] +
				 fake_disks[1].disk.bytes[DISK_WRITE]);
	guest_check_unpinned();
}

static void flushes_and_discards(void **state)
{
	struct blkif_request r = { .operation = BLKIF_OP_FLUSH_DISKCACHE };
	struct blkif_request_discard *discard = (void *)&r;

	(void)state;
	guest_start(0);
	r.id = 5;
	guest_send(&r);
	/* Disk 1 has no cache. */
	assert_int_equal(fake_disks[0].queued, 1);
	assert_int_equal(fake_disks[0].queue[0]->op, DISK_FLUSH);
	assert_false(front_get(&front, &rsp));
	finish_disks();
	guest_expect(5, BLKIF_OP_FLUSH_DISKCACHE, BLKIF_RSP_OKAY);

	memset(&r, 0, sizeof(r));
	discard->operation = BLKIF_OP_DISCARD;
	discard->id = 6;
	discard->sector_number = 80 + 10;
	discard->nr_sectors = 250;
	guest_send(&r);
	finish_disks();
	guest_expect(6, BLKIF_OP_DISCARD, BLKIF_RSP_OKAY);
	assert_int_equal(fake_disks[0].disk.requests[DISK_DISCARD], 3);
	assert_int_equal(guest_vbd_info(VBD).requests[DISK_DISCARD], 3);
	assert_int_equal(guest_vbd_info(VBD).requests[DISK_FLUSH], 1);
	assert_int_equal(guest_vbd_info(VBD).bytes[DISK_DISCARD], 250 * 512);
	for (u64 s = 80; s < VBD_SECTORS; s++)
		assert_int_equal(
			*guest_disk_byte(s),
			s >= 90 && s < 340 ? 0 : fake_disk_pattern(0, s + 920));
	/* Disk 1 cannot, and past the end nobody can. */
	discard->sector_number = 60;
	discard->nr_sectors = 1;
	guest_refuse(r, BLKIF_OP_DISCARD, BLKIF_RSP_EOPNOTSUPP);
	discard->sector_number = 1000;
	discard->nr_sectors = 81;
	guest_refuse(r, BLKIF_OP_DISCARD, BLKIF_RSP_ERROR);
	discard->nr_sectors = ~0UL - 500;
	guest_refuse(r, BLKIF_OP_DISCARD, BLKIF_RSP_ERROR);
	discard->nr_sectors = 0;
	guest_refuse(r, BLKIF_OP_DISCARD, BLKIF_RSP_ERROR);
}

static void a_flush_where_nothing_is_cached(void **state)
{
	struct xeno_vbd_extent plain = { 1, 0, 0, 100 };
	struct blkif_request r = { .operation = BLKIF_OP_FLUSH_DISKCACHE,
				   .id = 5 };

	(void)state;
	guest_vbd_create(VBD, 0, &plain, 1);
	front_init(&front, one, 1, RING_REF);
	assert_int_equal(guest_vbd_connect(VBD, 0, &front), 0);
	guest_send(&r);
	guest_expect(5, BLKIF_OP_FLUSH_DISKCACHE, BLKIF_RSP_OKAY);
	assert_int_equal(fake_disks[1].logged, 0);
}

/* ---- what is refused ---- */

static void bad_forms_are_refused(void **state)
{
	const struct blkif_request good =
		guest_transfer(BLKIF_OP_READ, 0, 0, 0, 2);
	struct blkif_request r;

	(void)state;
	guest_start(0);
	r = good;
	r.nr_segments = 0;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.nr_segments = 12;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.nr_segments = 255;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r = good;
	r.seg[1].first_sect = 5;
	r.seg[1].last_sect = 4;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r = good;
	r.seg[0].last_sect = 8;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.seg[0].first_sect = r.seg[0].last_sect = 255;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	for (u32 op = 0; op < 256; op++) {
		r = good;
		r.operation = (u8)op;
		if (op == BLKIF_OP_READ || op == BLKIF_OP_WRITE ||
		    op == BLKIF_OP_INDIRECT || op == BLKIF_OP_DISCARD)
			continue;
		guest_refuse(r, (u8)op, BLKIF_RSP_EOPNOTSUPP);
	}
}

static void nothing_past_the_end(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_WRITE, 0, 0, 0, 1);

	(void)state;
	guest_start(0);
	r.sector_number = VBD_SECTORS - 7;
	guest_refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	r.sector_number = VBD_SECTORS;
	guest_refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	r.sector_number = ~0UL;
	guest_refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	r.sector_number = ~0UL - 7;
	guest_refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	r.sector_number = 1UL << 63;
	guest_refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	/* The last sectors are the guest's own. */
	r.sector_number = VBD_SECTORS - 8;
	guest_send(&r);
	finish_disks();
	guest_expect(0, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
}

static void read_only_is_read_only(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_WRITE, 0, 0, 0, 1);
	struct blkif_request_discard *discard = (void *)&r;

	(void)state;
	guest_start(XENO_VBD_READ_ONLY);
	guest_refuse(r, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	guest_descriptors()[0] = r.seg[0];
	guest_refuse(guest_indirect(BLKIF_OP_WRITE, 0, 0, 1), BLKIF_OP_WRITE,
		     BLKIF_RSP_ERROR);
	memset(&r, 0, sizeof(r));
	discard->operation = BLKIF_OP_DISCARD;
	discard->nr_sectors = 8;
	guest_refuse(r, BLKIF_OP_DISCARD, BLKIF_RSP_ERROR);
	r = guest_transfer(BLKIF_OP_READ, 3, 0, 0, 1);
	guest_send(&r);
	finish_disks();
	guest_expect(3, BLKIF_OP_READ, BLKIF_RSP_OKAY);
}

static void bad_grants_are_refused(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_READ, 0, 0, 0, 3);

	(void)state;
	guest_start(0);
	r.seg[1].gref = ~0U;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.seg[1].gref = 2 * 512;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.seg[1].gref = 0;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	/* To another, revoked, and of another's page. */
	r.seg[1].gref = 450;
	front_grant(one, 450, guest_pages[0], 0);
	front_entry(one, 450)->domid = 0;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	front_entry(one, 450)->flags = 0;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	front_grant(one, 450, fake_frame(zero), 0);
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	front_grant(one, 450, ~0U, 0);
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	/* For reading only: a disk's write may take it, a read may not. */
	front_grant(one, 450, guest_pages[9], GTF_readonly);
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	r.operation = BLKIF_OP_WRITE;
	guest_send(&r);
	finish_disks();
	guest_expect(0, BLKIF_OP_WRITE, BLKIF_RSP_OKAY);
}

static void bad_indirect_requests_are_refused(void **state)
{
	struct blkif_request r;
	struct blkif_request_indirect *in = (void *)&r;

	(void)state;
	guest_start(0);
	for (u32 i = 0; i < 512; i++)
		guest_descriptors()[i] = (struct blkif_request_segment){
			.gref = GUEST_REF + i % 40,
			.last_sect = 0,
		};
	guest_refuse(guest_indirect(BLKIF_OP_READ, 0, 0, 0), BLKIF_OP_READ,
		     BLKIF_RSP_ERROR);
	guest_refuse(guest_indirect(BLKIF_OP_READ, 0, 0, 257), BLKIF_OP_READ,
		     BLKIF_RSP_ERROR);
	guest_refuse(guest_indirect(BLKIF_OP_READ, 0, 0, 65535), BLKIF_OP_READ,
		     BLKIF_RSP_ERROR);
	guest_refuse(guest_indirect(BLKIF_OP_READ, 0, VBD_SECTORS - 255, 256),
		     BLKIF_OP_READ, BLKIF_RSP_ERROR);
	guest_refuse(guest_indirect(BLKIF_OP_FLUSH_DISKCACHE, 0, 0, 1),
		     BLKIF_OP_FLUSH_DISKCACHE, BLKIF_RSP_EOPNOTSUPP);
	guest_refuse(guest_indirect(BLKIF_OP_INDIRECT, 0, 0, 1),
		     BLKIF_OP_INDIRECT, BLKIF_RSP_EOPNOTSUPP);
	r = guest_indirect(BLKIF_OP_READ, 0, 0, 5);
	in->indirect_grefs[0] = 4000;
	guest_refuse(r, BLKIF_OP_READ, BLKIF_RSP_ERROR);
	guest_descriptors()[4].gref = 4000;
	guest_refuse(guest_indirect(BLKIF_OP_READ, 0, 0, 5), BLKIF_OP_READ,
		     BLKIF_RSP_ERROR);
	guest_descriptors()[3].last_sect = 8;
	guest_refuse(guest_indirect(BLKIF_OP_READ, 0, 0, 5), BLKIF_OP_READ,
		     BLKIF_RSP_ERROR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BLKIF_TEST(a_write_and_a_read),
		BLKIF_TEST(parts_of_pages_over_all_extents),
		BLKIF_TEST(neighbouring_pages_are_joined),
		BLKIF_TEST(an_indirect_request_of_all_segments),
		BLKIF_TEST(flushes_and_discards),
		BLKIF_TEST(a_flush_where_nothing_is_cached),
		BLKIF_TEST(bad_forms_are_refused),
		BLKIF_TEST(nothing_past_the_end),
		BLKIF_TEST(read_only_is_read_only),
		BLKIF_TEST(bad_grants_are_refused),
		BLKIF_TEST(bad_indirect_requests_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
