// SPDX-License-Identifier: Apache-2.0
/*
 * VBDs through the control hypercall: what may be created beside what, what is
 * told, what it costs and that it is given back.
 */
#include <string.h>

#include <hv/block.h>
#include <hv/control.h>
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/mm.h>

#include <arch/host_machine.h>

#include "../fake/block_world.h"
#include "../fake/domains.h"
#include "check.h"

#define WINDOW 0x10000UL
#define EXTENTS_AT 1024U
#define JUNK 0xa5

static u8 window[EXTENTS_AT +
		 XENO_VBD_EXTENTS_MAX * sizeof(struct xeno_vbd_extent)];
static struct domain *zero, *one, *two;
static unsigned int restarts;

static int setup(void **state)
{
	(void)state;
	fake_machine_init(2048, 2);
	fake_disks_init();
	host_clock_ns = 1;
	zero = fake_domain_create(0, 1, true);
	one = fake_domain_create(1, 1, false);
	two = fake_domain_create(2, 1, false);
	fake_become(zero, 0);
	assert_int_equal(grant_setup(one, 1), 0);
	memset(window, JUNK, sizeof(window));
	host_guest_window(WINDOW, window, sizeof(window));
	return 0;
}

static void end(struct domain *d)
{
	int budget = 1000, rc;

	while ((rc = block_domain_exit(d, &budget)) == -ERESTART)
		fake_work_run(100);
	assert_int_equal(rc, 0);
	assert_true(fake_domain_destroy(d));
}

static int teardown(void **state)
{
	(void)state;
	end(two);
	end(one);
	end(zero);
	fake_disks_exit();
	fake_machine_exit();
	return 0;
}

/* As a program of Domain 0: what is restarted is repeated. */
static long call(void *arg, u32 op, u32 version, u32 size)
{
	struct xeno_envelope *head = arg;
	long rc;

	*head = (struct xeno_envelope){ version, op, size, 0 };
	memcpy(window, arg, size);
	restarts = 0;
	while ((rc = hc_control(WINDOW, 0, 0, 0, 0, 0)) == -ERESTART) {
		fake_work_run(100);
		restarts++;
	}
	if (rc)
		assert_memory_equal(window, arg, size);
	memcpy(arg, window, size);
	return rc;
}

#define CALL(arg, op)                                                          \
	call((arg), XENO_OP_##op, XENO_##op##_VERSION, sizeof(*(arg)))

static struct xeno_vbd_extent *extents(void)
{
	return (void *)(window + EXTENTS_AT);
}

static long create(u32 domain, u32 vbd, u32 flags, u32 count)
{
	struct xeno_vbd_create c = {
		.domain_id = domain,
		.vbd = vbd,
		.flags = flags,
		.extent_count = count,
		.extents = WINDOW + EXTENTS_AT,
	};
	u64 sum = 0;
	long rc = CALL(&c, VBD_CREATE);

	for (u32 i = 0; !rc && i < count; i++)
		sum += extents()[i].sectors;
	if (!rc)
		assert_int_equal(c.sectors, sum);
	return rc;
}

static long create_one(u32 domain, u32 vbd, u32 flags, u32 disk, u64 sector,
		       u64 sectors)
{
	extents()[0] = (struct xeno_vbd_extent){ disk, 0, sector, sectors };
	return create(domain, vbd, flags, 1);
}

static long destroy(u32 domain, u32 vbd)
{
	struct xeno_vbd_name n = { .domain_id = domain, .vbd = vbd };

	return CALL(&n, VBD_DESTROY);
}

static long disconnect(u32 domain, u32 vbd)
{
	struct xeno_vbd_name n = { .domain_id = domain, .vbd = vbd };

	return CALL(&n, VBD_DISCONNECT);
}

static void what_create_refuses(void **state)
{
	u64 pages = one->owner.state_pages;

	(void)state;
	assert_int_equal(create_one(3, 1, 0, 0, 0, 1), -ESRCH);
	assert_int_equal(create_one(0x7f00, 1, 0, 0, 0, 1), -ESRCH);
	assert_int_equal(create_one(~0U, 1, 0, 0, 0, 1), -ESRCH);
	assert_int_equal(create_one(1, 1, 2, 0, 0, 1), -EINVAL);
	assert_int_equal(create(1, 1, 0, 0), -EINVAL);
	assert_int_equal(create(1, 1, 0, XENO_VBD_EXTENTS_MAX + 1), -EINVAL);
	assert_int_equal(create_one(1, 1, 0, 3, 0, 1), -ENOENT);
	assert_int_equal(create_one(1, 1, 0, ~0U, 0, 1), -ENOENT);
	assert_int_equal(create_one(1, 1, 0, 0, 0, 0), -EINVAL);
	assert_int_equal(create_one(1, 1, 0, 0, 0, FAKE_DISK_SECTORS + 1),
			 -EINVAL);
	assert_int_equal(create_one(1, 1, 0, 0, 1, FAKE_DISK_SECTORS), -EINVAL);
	assert_int_equal(create_one(1, 1, 0, 0, ~0UL, 2), -EINVAL);
	assert_int_equal(create_one(1, 1, 0, 0, 2, ~0UL), -EINVAL);
	assert_int_equal(create_one(1, 1, 0, 2, 0, 1), -EROFS);
	extents()[0].mbz = 1;
	assert_int_equal(create(1, 1, 0, 1), -EINVAL);
	extents()[0].mbz = 0;
	/* Extents that are not in memory. */
	host_guest_window(WINDOW, window, EXTENTS_AT + 10);
	assert_int_equal(create(1, 1, 0, 1), -EFAULT);
	host_guest_window(WINDOW, window, sizeof(window));
	/* The page of the domain's VBDs may stay. */
	assert_in_range(one->owner.state_pages, pages, pages + 1);
	assert_int_equal(
		create_one(1, 1, XENO_VBD_READ_ONLY, 2, 0, FAKE_DISK_SECTORS),
		0);
	assert_int_equal(create_one(1, 1, 0, 0, 0, 1), -EEXIST);
}

static void what_may_overlap(void **state)
{
	const u32 ro = XENO_VBD_READ_ONLY;

	(void)state;
	assert_int_equal(create_one(1, 1, 0, 0, 100, 50), 0);
	assert_int_equal(create_one(2, 1, 0, 0, 149, 1), -EBUSY);
	assert_int_equal(create_one(2, 1, ro, 0, 0, 101), -EBUSY);
	assert_int_equal(create_one(1, 2, ro, 0, 120, 1), -EBUSY);
	assert_int_equal(create_one(2, 1, ro, 0, 150, 50), 0);
	assert_int_equal(create_one(2, 2, ro, 0, 160, 100), 0);
	assert_int_equal(create_one(1, 2, 0, 0, 199, 10), -EBUSY);
	assert_int_equal(create_one(1, 2, ro, 0, 199, 10), 0);
	/* Domain 0 may, and disturbs nobody. */
	assert_int_equal(create_one(0, 1, 0, 0, 0, FAKE_DISK_SECTORS), 0);
	assert_int_equal(create_one(2, 3, 0, 0, 0, 100), 0);
	/* What is gone does not count. */
	assert_int_equal(destroy(1, 1), 0);
	assert_int_equal(destroy(1, 1), -ENOENT);
	assert_int_equal(create_one(2, 4, 0, 0, 149, 1), 0);
	/* Nor does another disk. */
	assert_int_equal(create_one(2, 5, 0, 1, 0, FAKE_DISK_SECTORS), 0);
}

static void many_extents_in_any_order(void **state)
{
	u64 pages, free = frame_free_count();

	(void)state;
	assert_int_equal(create_one(1, 9, 0, 1, 0, 1), 0);
	pages = one->owner.state_pages;
	/* Odd sectors, downwards; another's are the even ones. */
	for (u32 i = 0; i < XENO_VBD_EXTENTS_MAX; i++)
		extents()[i] =
			(struct xeno_vbd_extent){ 0, 0, 3001 - 2 * i, 1 };
	assert_int_equal(create(1, 1, 0, XENO_VBD_EXTENTS_MAX), 0);
	assert_true(restarts > 2);
	assert_int_equal(one->owner.state_pages - pages, 6);
	for (u32 i = 0; i < XENO_VBD_EXTENTS_MAX; i++)
		extents()[i].first_sector--;
	assert_int_equal(create(2, 1, 0, XENO_VBD_EXTENTS_MAX), 0);
	extents()[XENO_VBD_EXTENTS_MAX / 2].first_sector++;
	assert_int_equal(create(2, 2, 0, XENO_VBD_EXTENTS_MAX), -EBUSY);
	assert_int_equal(destroy(1, 1), 0);
	assert_int_equal(one->owner.state_pages, pages);
	assert_int_equal(destroy(1, 9), 0);
	assert_int_equal(destroy(2, 1), 0);
	/* The domains' own pages and nothing else. */
	assert_int_equal(free - frame_free_count(), 2);
}

static void creations_that_interrupt_each_other(void **state)
{
	struct xeno_vbd_create a = {
		.domain_id = 1,
		.vbd = 1,
		.extent_count = XENO_VBD_EXTENTS_MAX,
		.extents = WINDOW + EXTENTS_AT,
	};

	(void)state;
	for (u32 i = 0; i < XENO_VBD_EXTENTS_MAX; i++)
		extents()[i] = (struct xeno_vbd_extent){ 0, 0, 2 * i, 1 };
	/* Begun, and left for another, which then has what it wanted. */
	assert_int_equal(block_vbd_create(one, &a), -ERESTART);
	assert_int_equal(block_vbd_create(one, &a), -ERESTART);
	assert_int_equal(create_one(2, 1, 0, 0, 1000, 1), 0);
	extents()[0].first_sector = 0;
	assert_int_equal(create(1, 1, 0, XENO_VBD_EXTENTS_MAX), -EBUSY);
	/* What it is being compared with may go meanwhile. */
	extents()[500].first_sector = 3999;
	for (u32 i = 2; i < 30; i++) {
		struct xeno_vbd_extent first = extents()[0];

		assert_int_equal(create_one(2, i, 0, 1, i, 1), 0);
		extents()[0] = first;
	}
	a.vbd = 2;
	for (u32 i = 1; i < 30; i++) {
		assert_int_equal(block_vbd_create(one, &a), -ERESTART);
		assert_int_equal(block_vbd_destroy(two, i), 0);
		if (i == 6)
			break;
	}
	while (block_vbd_create(one, &a) == -ERESTART)
		;
	assert_int_equal(destroy(1, 2), 0);
	assert_int_equal(destroy(1, 1), -ENOENT);
	/* And the domain itself may go. */
	a.vbd = 3;
	a.domain_id = 2;
	a.flags = 0;
	assert_int_equal(block_vbd_create(two, &a), -ERESTART);
}

static void the_number_of_vbds_is_bounded(void **state)
{
	struct xeno_vbd_info info;
	u32 last = 0, seen = 0;

	(void)state;
	for (u32 i = 0; i < XENO_VBDS_PER_DOMAIN; i++)
		assert_int_equal(create_one(1, i * 7919 % 1000, 0, 0, i, 1), 0);
	assert_int_equal(create_one(1, 5000, 0, 0, 100, 1), -ENOSPC);
	assert_int_equal(create_one(2, 5000, 0, 0, 100, 1), 0);
	/* Listed by number. */
	memset(&info, 0, sizeof(info));
	info.domain_id = 1;
	assert_int_equal(CALL(&info, VBD_INFO), 0);
	assert_int_equal(info.id, 0);
	for (;;) {
		info = (struct xeno_vbd_info){ .domain_id = 1,
					       .vbd = last,
					       .next = 1 };
		if (CALL(&info, VBD_INFO))
			break;
		assert_true(info.id > last);
		assert_int_equal(info.sectors, 1);
		last = info.id;
		seen++;
	}
	assert_int_equal(seen, XENO_VBDS_PER_DOMAIN - 1);
	info.vbd = ~0U;
	assert_int_equal(CALL(&info, VBD_INFO), -ENOENT);
	info.next = 2;
	assert_int_equal(CALL(&info, VBD_INFO), -EINVAL);
	info.next = 0;
	info.vbd = 1;
	assert_int_equal(CALL(&info, VBD_INFO), -ENOENT);
	info.domain_id = 7;
	assert_int_equal(CALL(&info, VBD_INFO), -ESRCH);
	info.domain_id = 0;
	assert_int_equal(CALL(&info, VBD_INFO), -ENOENT);
}

static void what_connect_refuses(void **state)
{
	struct front front;
	struct xeno_vbd_connect good, c;
	u64 pages, free;

	(void)state;
	assert_int_equal(create_one(1, 1, 0, 0, 0, 100), 0);
	front_init(&front, one, 4, 8);
	good = (struct xeno_vbd_connect){
		.domain_id = 1,
		.vbd = 1,
		.port = front.port,
		.ring_pages = 4,
	};
	memcpy(good.ring_refs, front.refs, sizeof(front.refs));
	pages = one->owner.state_pages;
	free = frame_free_count();
#define REFUSED(field, value, error)                                           \
	do {                                                                   \
		c = good;                                                      \
		c.field = (value);                                             \
		assert_int_equal(CALL(&c, VBD_CONNECT), error);                \
	} while (0)
	REFUSED(domain_id, 3, -ESRCH);
	REFUSED(vbd, 2, -ENOENT);
	REFUSED(queue, 8, -ENOENT);
	REFUSED(queue, ~0U, -ENOENT);
	REFUSED(mbz, 1, -EINVAL);
	REFUSED(ring_pages, 0, -EINVAL);
	REFUSED(ring_pages, 3, -EINVAL);
	REFUSED(ring_pages, 32, -EINVAL);
	REFUSED(ring_pages, 1U << 31, -EINVAL);
	REFUSED(port, 0, -EINVAL);
	REFUSED(port, front.port + 1, -EINVAL);
	REFUSED(port, ~0U, -EINVAL);
	REFUSED(ring_refs[3], 100, -EINVAL);
	REFUSED(ring_refs[0], ~0U, -EINVAL);
	front_sring(&front)->req_prod = 129;
	REFUSED(queue, 0, -EINVAL);
	front_sring(&front)->req_prod = 0;
	front_grant(one, 8, front.mfns[0], GTF_readonly);
	REFUSED(queue, 0, -EINVAL);
	front_grant(one, 8, front.mfns[0], 0);
	/* But for what the grant table keeps nothing is left of them. */
	assert_in_range(one->owner.state_pages, pages, pages + 1);
	assert_in_range(frame_free_count(), free - 1, free);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(front_entry(one, 8 + i)->flags,
				 GTF_permit_access);
	/* No memory: nothing is left either. */
	for (u32 left = 0; left < 7; left++) {
		struct frame *taken[2048];
		u32 n = 0;

		while (frame_free_count() > left)
			taken[n++] = frame_alloc(0);
		REFUSED(queue, 0, -ENOMEM);
		while (n)
			frame_free(taken[--n], 0);
	}
	assert_in_range(frame_free_count(), free - 1, free);
	c = good;
	assert_int_equal(CALL(&c, VBD_CONNECT), 0);
	assert_int_equal(CALL(&c, VBD_CONNECT), -EBUSY);
	assert_in_range(one->owner.state_pages - pages, 7, 8);
	assert_int_equal(disconnect(1, 1), 0);
	assert_int_equal(disconnect(1, 1), 0);
	assert_int_equal(disconnect(1, 2), -ENOENT);
	assert_int_equal(disconnect(3, 1), -ESRCH);
	assert_in_range(one->owner.state_pages, pages, pages + 1);
	/* The port is as it was, for the next. */
	c = good;
	assert_int_equal(CALL(&c, VBD_CONNECT), 0);
	assert_int_equal(destroy(1, 1), 0);
}

static void creation_without_memory(void **state)
{
	u32 refused = 0;

	(void)state;
	for (u32 i = 0; i < XENO_VBD_EXTENTS_MAX; i++)
		extents()[i] = (struct xeno_vbd_extent){ 0, 0, 2 * i, 1 };
	for (u32 left = 0; left < 7; left++) {
		struct frame *taken[2048];
		u64 free;
		u32 n = 0;

		while (frame_free_count() > left)
			taken[n++] = frame_alloc(0);
		free = frame_free_count();
		assert_int_equal(create(1, 1, 0, XENO_VBD_EXTENTS_MAX),
				 -ENOMEM);
		assert_in_range(frame_free_count(), free ? free - 1 : 0, free);
		refused++;
		while (n)
			frame_free(taken[--n], 0);
		if (one->block && left >= 5)
			break;
	}
	assert_true(refused >= 5);
	assert_int_equal(create(1, 1, 0, XENO_VBD_EXTENTS_MAX), 0);
}

static void what_is_told_of_disks(void **state)
{
	struct xeno_disk_info i = { .disk = 0 };

	(void)state;
	fake_disks[0].disk.requests[DISK_FLUSH] = 7;
	fake_disks[0].disk.bytes[DISK_READ] = 512;
	fake_disks[0].disk.errors = 3;
	memset(fake_disks[0].disk.serial, 'x', 32);
	memset(&i, JUNK, sizeof(i));
	i.disk = 0;
	i.mbz = 0;
	assert_int_equal(CALL(&i, DISK_INFO), 0);
	assert_int_equal(i.sectors, FAKE_DISK_SECTORS);
	assert_int_equal(i.flags, XENO_DISK_FLUSH | XENO_DISK_DISCARD);
	assert_int_equal(i.physical_block_bytes, 512);
	assert_string_equal(i.name, "disk");
	for (u32 k = 4; k < 32; k++)
		assert_int_equal(i.name[k], 0);
	assert_int_equal(i.serial[30], 'x');
	assert_int_equal(i.serial[31], 0);
	assert_int_equal(i.requests[2], 7);
	assert_int_equal(i.requests[0], 0);
	assert_int_equal(i.bytes[0], 512);
	assert_int_equal(i.errors, 3);
	i.disk = FAKE_DISKS;
	assert_int_equal(CALL(&i, DISK_INFO), -ENOENT);
	i.disk = 0;
	i.mbz = 1;
	assert_int_equal(CALL(&i, DISK_INFO), -EINVAL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_create_refuses),
		TEST(what_may_overlap),
		TEST(many_extents_in_any_order),
		TEST(creations_that_interrupt_each_other),
		TEST(the_number_of_vbds_is_bounded),
		TEST(what_connect_refuses),
		TEST(creation_without_memory),
		TEST(what_is_told_of_disks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
