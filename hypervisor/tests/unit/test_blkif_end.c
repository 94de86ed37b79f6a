// SPDX-License-Identifier: Apache-2.0
/*
 * How a VBD's ring ends while requests are in flight: memory taken back, its
 * port closed, disconnection, the death of its domain.
 */
#include <hv/block.h>
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/mm.h>

#include <arch/host_machine.h>

#include "../fake/blkif_guest.h"
#include "../fake/domains.h"
#include "check.h"

static void grants_in_flight_cannot_be_taken_back(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_READ, 1, 0, 0, 1);
	u64 mfn = guest_pages[0];

	(void)state;
	guest_start(0);
	guest_send(&r);
	/* The guest revokes, reuses the entry, and frees the page. */
	front_grant(one, GUEST_REF, guest_pages[1], 0);
	assert_int_not_equal(
		frame_owner_release(&one->owner, &frame_table[mfn]), -EINVAL);
	assert_int_equal(frame_table[mfn].owner_id, 1);
	assert_true(frame_tcount(frame_table[mfn].ref) > 0);
	finish_disks();
	guest_expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	assert_int_equal(*(u8 *)mfn_to_virt(mfn), fake_disk_pattern(0, 100));
	guest_pages[0] = fake_frame(one);
	front_grant(one, GUEST_REF, guest_pages[0], 0);
	guest_check_unpinned();
}

static void disconnect_waits_for_what_is_in_flight(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_READ, 1, 0, 0, 1);
	struct frame *f;
	u64 state_pages;

	(void)state;
	/* What grants need for themselves they keep. */
	assert_int_equal(
		grant_acquire(one, DOMID_BACKEND, GUEST_REF, false, &f), 0);
	grant_release(one, GUEST_REF, false, f);
	guest_vbd_create(VBD, 0, guest_extents, GUEST_EXTENTS);
	state_pages = one->owner.state_pages;
	front_init(&front, one, 1, RING_REF);
	assert_int_equal(guest_vbd_connect(VBD, 0, &front), 0);
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
	guest_check_unpinned();
	assert_int_equal(guest_vbd_info(VBD).requests[DISK_READ], 15);
	assert_int_equal(guest_vbd_info(VBD).connected_queues, 0);

	/* The same ring goes on where it stood: five were never taken. */
	assert_int_equal(guest_vbd_connect(VBD, 0, &front), 0);
	fake_work_run(RUNS);
	finish_disks();
	for (u32 i = 0; i < 20; i++)
		guest_expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	assert_int_equal(guest_vbd_info(VBD).requests[DISK_READ], 20);
}

static void disconnect_while_waiting_for_a_turn(void **state)
{
	struct blkif_request r = guest_indirect(BLKIF_OP_READ, 4, 80, 124);
	struct xeno_vbd_extent other = { 0, 0, 3000, 500 };
	struct front second;

	(void)state;
	guest_start(0);
	guest_vbd_create(VBD + 1, 0, &other, 1);
	for (u32 i = 0; i < 124; i++)
		guest_descriptors()[i] = (struct blkif_request_segment){
			.gref = GUEST_REF + i % 40,
			.last_sect = 7,
		};
	for (u32 i = 0; i < 2; i++) {
		front_put(&front, &r);
	}
	front_init(&second, one, 1, 20);
	assert_int_equal(guest_vbd_connect(VBD + 1, 0, &second), 0);
	front_push(&front);
	fake_work_run(RUNS);
	/* The disk's share of sectors is used up. */
	for (u32 i = 0; i < 3; i++) {
		r = guest_transfer(BLKIF_OP_READ, i, 0, 0, 11);
		front_put(&second, &r);
	}
	front_push(&second);
	fake_work_run(RUNS);
	assert_true(fake_disks[0].queued >= 8);
	assert_int_equal(guest_vbd_info(VBD + 1).in_flight, 0);
	assert_int_equal(block_vbd_disconnect(one, VBD + 1), -ERESTART);
	fake_work_run(RUNS);
	assert_int_equal(block_vbd_disconnect(one, VBD + 1), 0);
	/* What had been taken from the ring is answered. */
	assert_true(front_get(&second, &rsp));
	assert_int_equal(rsp.status, BLKIF_RSP_ERROR);
	assert_false(front_get(&second, &rsp));
	finish_disks();
	guest_expect(4, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	guest_expect(4, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	guest_check_unpinned();
}

static void a_dying_domain(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_READ, 1, 0, 0, 3);
	int budget = 10;

	(void)state;
	guest_start(0);
	guest_send(&r);
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
	guest_check_unpinned();
}

static void a_port_closed_in_flight(void **state)
{
	struct blkif_request r = guest_transfer(BLKIF_OP_READ, 1, 0, 0, 3);

	(void)state;
	guest_start(0);
	guest_send(&r);
	assert_int_equal(event_close(one, front.port), 0);
	finish_disks();
	guest_expect(1, BLKIF_OP_READ, BLKIF_RSP_OKAY);
	assert_int_equal(block_vbd_destroy(one, VBD), -ERESTART);
	fake_work_run(RUNS);
	assert_int_equal(block_vbd_destroy(one, VBD), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BLKIF_TEST(grants_in_flight_cannot_be_taken_back),
		BLKIF_TEST(disconnect_waits_for_what_is_in_flight),
		BLKIF_TEST(disconnect_while_waiting_for_a_turn),
		BLKIF_TEST(a_dying_domain),
		BLKIF_TEST(a_port_closed_in_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
