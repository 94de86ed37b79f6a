// SPDX-License-Identifier: Apache-2.0
/*
 * Rings of VBDs: full, large, several and broken ones, whom they notify, and
 * that a guest that breaks rules harms nobody but itself; disks that fail.
 */
#include <hv/block.h>
#include <hv/errno.h>
#include <hv/event.h>

#include "../fake/blkif_guest.h"
#include "check.h"

/* ---- rings ---- */

static void wild_indices_break_the_ring_only(void **state)
{
	struct xeno_vbd_extent other = { 0, 0, 3000, 100 };
	struct blkif_request r = guest_transfer(BLKIF_OP_READ, 1, 0, 0, 1);
	const u32 jumps[] = { 33, 1000, 0x7fffffff, 0xffffffff };
	struct front second;

	(void)state;
	guest_start(0);
	guest_vbd_create(VBD + 1, 0, &other, 1);
	for (u32 i = 0; i < ARRAY_SIZE(jumps); i++) {
		struct front wild;

		front_init(&wild, one, 1, 20 + i);
		assert_int_equal(guest_vbd_connect(VBD, 1 + i, &wild), 0);
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
	guest_check_unpinned();
	assert_int_equal(fake_disks[0].logged, ARRAY_SIZE(jumps));
	assert_int_equal(fake_guest_logs, ARRAY_SIZE(jumps));
	/* Another queue of the VBD, and another VBD. */
	guest_send(&r);
	finish_disks();
	guest_expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	front_init(&second, one, 1, 30);
	assert_int_equal(guest_vbd_connect(VBD + 1, 0, &second), 0);
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
	struct blkif_request r = guest_transfer(BLKIF_OP_READ, 0, 100, 0, 11);
	unsigned int runs;

	(void)state;
	guest_start(0);
	for (u32 i = 0; i < 32; i++) {
		r.id = i;
		r.sector_number = 100 + i;
		front_put(&front, &r);
	}
	front_push(&front);
	assert_int_equal(fake_work_round(), 1);
	/* Bounded by its slots; the rest waits in the ring. */
	assert_int_equal(guest_vbd_info(VBD).in_flight, fake_disks[0].queued);
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
	guest_check_unpinned();
}

static void responses_notify_as_asked(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_READ, 0, 0, 0, 1);

	(void)state;
	guest_start(0);
	front_sring(&front)->rsp_event = 3;
	for (u32 i = 0; i < 3; i++) {
		assert_false(front_pending(&front));
		guest_send(&r);
		finish_disks();
	}
	assert_true(front_pending(&front));
	for (u32 i = 0; i < 3; i++)
		assert_true(front_get(&front, &rsp));
	assert_false(front_get(&front, &rsp));
	guest_send(&r);
	assert_false(front_pending(&front));
	finish_disks();
	assert_true(front_pending(&front));
}

/* Urgent is only what the disk has nothing to do before. */
static void requests_gather_while_the_disk_is_busy(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_READ, 1, 0, 0, 1);

	(void)state;
	guest_start(0);
	fake_work_late = 0;
	guest_send(&r);
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
	guest_send(&r);
	assert_int_equal(fake_work_late, 0);
	finish_disks();
	for (u32 i = 0; i < 5; i++)
		guest_expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
}

static void large_rings_in_many_rounds(void **state)
{
	struct blkif_request r;
	u64 seed = 11, sent = 0, got = 0;

	(void)state;
	guest_vbd_create(VBD, 0, guest_extents, GUEST_EXTENTS);
	front_init(&front, one, 4, RING_REF);
	assert_int_equal(front.entries, 128);
	/* Indices about to wrap: a ring need not start at 0. */
	front.req_prod = front.rsp_cons = ~0U - 1000;
	front_sring(&front)->req_prod = front.req_prod;
	front_sring(&front)->rsp_prod = front.req_prod;
	front_sring(&front)->req_event = front.req_prod + 1;
	front_sring(&front)->rsp_event = front.req_prod + 1;
	assert_int_equal(guest_vbd_connect(VBD, 0, &front), 0);
	while (got < 5000) {
		u32 n = (u32)(random_next(&seed) % 129);

		while (n-- && sent - got < 128) {
			r = guest_transfer(BLKIF_OP_READ, sent * 7919,
					   sent % 990, 0,
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
	guest_check_unpinned();
}

static void two_queues_of_one_vbd(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_WRITE, 1, 0, 0, 1);
	struct front second;

	(void)state;
	guest_start(0);
	front_init(&second, one, 2, 20);
	assert_int_equal(guest_vbd_connect(VBD, 0, &second), -EBUSY);
	assert_int_equal(guest_vbd_connect(VBD, 8, &second), -ENOENT);
	assert_int_equal(guest_vbd_connect(VBD, 7, &second), 0);
	fake_work_run(RUNS);
	guest_send(&r);
	front_put(&second, &r);
	front_push(&second);
	fake_work_run(RUNS);
	assert_int_equal(fake_disks[0].queued, 2);
	assert_int_equal(guest_vbd_info(VBD).connected_queues, 2);
	assert_int_equal(guest_vbd_info(VBD).in_flight, 2);
	finish_disks();
	assert_true(front_get(&front, &rsp));
	assert_true(front_get(&second, &rsp));
	assert_int_equal(guest_vbd_info(VBD).bytes[DISK_WRITE], 2 * PAGE_SIZE);
}

/* ---- disks that fail ---- */

static void errors_of_the_disk(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_WRITE, 1, 46, 0, 3);

	(void)state;
	guest_start(0);
	guest_send(&r);
	assert_int_equal(fake_disks[0].queued, 1);
	assert_int_equal(fake_disks[1].queued, 1);
	fake_disk_finish(&fake_disks[0], 0, -EIO);
	fake_work_run(RUNS);
	/* Not before all of it is over. */
	assert_false(front_get(&front, &rsp));
	finish_disks();
	guest_expect(1, BLKIF_OP_WRITE, BLKIF_RSP_ERROR);
	guest_check_unpinned();
	assert_int_equal(guest_vbd_info(VBD).errors, 1);
	assert_int_equal(guest_vbd_info(VBD).refused, 0);
	assert_int_equal(guest_vbd_info(VBD).requests[DISK_WRITE], 2);
	assert_int_equal(guest_vbd_info(VBD).bytes[DISK_WRITE],
			 fake_disks[1].disk.bytes[DISK_WRITE]);
}

static void a_disk_that_is_full(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_READ, 0, 100, 0, 2);

	(void)state;
	guest_start(0);
	fake_disks[0].capacity = 2;
	for (u32 i = 0; i < 20; i++) {
		r.id = i;
		front_put(&front, &r);
	}
	front_push(&front);
	fake_work_run(RUNS);
	assert_int_equal(fake_disks[0].queued, 2);
	/* What is refused is not held. */
	assert_int_equal(guest_vbd_info(VBD).in_flight, 2);
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
	guest_expect(20, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	guest_check_unpinned();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BLKIF_TEST(wild_indices_break_the_ring_only),
		BLKIF_TEST(a_full_ring_and_more_work_than_a_run_does),
		BLKIF_TEST(responses_notify_as_asked),
		BLKIF_TEST(requests_gather_while_the_disk_is_busy),
		BLKIF_TEST(large_rings_in_many_rounds),
		BLKIF_TEST(two_queues_of_one_vbd),
		BLKIF_TEST(errors_of_the_disk),
		BLKIF_TEST(a_disk_that_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
