// SPDX-License-Identifier: Apache-2.0
/* See blkif_guest.h. */
#include "blkif_guest.h"

#include <string.h>

#include <hv/block.h>
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/mm.h>

#include <arch/host_machine.h>

#include <xeno/meter_page.h>

#include "../unit/check.h"
#include "domains.h"

struct domain *zero, *one;
u64 guest_pages[GUEST_PAGES];
struct front front;
struct blkif_response rsp;

int blkif_setup(void **state)
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
	for (u32 i = 0; i < GUEST_PAGES; i++) {
		guest_pages[i] = fake_frame(one);
		front_grant(one, GUEST_REF + i, guest_pages[i], 0);
	}
	return 0;
}

int blkif_teardown(void **state)
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

void guest_vbd_create(u32 id, u32 flags, struct xeno_vbd_extent *extents, u32 n)
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

int guest_vbd_connect(u32 id, u32 queue, const struct front *f)
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

struct xeno_vbd_extent guest_extents[GUEST_EXTENTS] = {
	{ 0, 0, 100, 50 },
	{ 1, 0, 10, 30 },
	{ 0, 0, 1000, 1000 },
};

void guest_start(u32 flags)
{
	guest_vbd_create(VBD, flags, guest_extents, GUEST_EXTENTS);
	front_init(&front, one, 1, RING_REF);
	assert_int_equal(guest_vbd_connect(VBD, 0, &front), 0);
	fake_work_run(RUNS);
}

u8 *guest_disk_byte(u64 vbd_sector)
{
	if (vbd_sector < 50)
		return fake_disks[0].bytes + (100 + vbd_sector) * 512;
	if (vbd_sector < 80)
		return fake_disks[1].bytes + (10 + vbd_sector - 50) * 512;
	return fake_disks[0].bytes + (1000 + vbd_sector - 80) * 512;
}

u8 *guest_page(u32 i)
{
	return mfn_to_virt(guest_pages[i]);
}

struct blkif_request guest_transfer(u8 op, u64 id, u64 sector, u32 first_page,
				    u32 count)
{
	struct blkif_request r = {
		.operation = op,
		.nr_segments = (u8)count,
		.id = id,
		.sector_number = sector,
	};

	for (u32 i = 0; i < count; i++) {
		r.seg[i].gref = GUEST_REF + first_page + i;
		r.seg[i].last_sect = 7;
	}
	return r;
}

void guest_send(const struct blkif_request *r)
{
	front_put(&front, r);
	front_push(&front);
	fake_work_run(RUNS);
}

void finish_disks(void)
{
	unsigned int n;

	do {
		n = 0;
		for (u32 i = 0; i < FAKE_DISKS; i++)
			n += fake_disk_finish_all(&fake_disks[i]);
		fake_work_run(RUNS);
	} while (n);
}

/* The meter page, on which nothing was before, says the same. */
static void check_meter(const struct xeno_vbd_info *i)
{
	const struct xeno_meter_vbd *m = one->meter_page->vbds;

	while (!m->in_use || m->vbd != i->id)
		assert_true(++m < one->meter_page->vbds + XENO_VBDS_PER_DOMAIN);
	assert_int_equal(m->sequence & 1, 0);
	assert_int_equal(m->read_requests, i->requests[DISK_READ]);
	assert_int_equal(m->read_bytes, i->bytes[DISK_READ]);
	assert_int_equal(m->write_requests, i->requests[DISK_WRITE] +
						    i->requests[DISK_FLUSH] +
						    i->requests[DISK_DISCARD]);
	assert_int_equal(m->write_bytes, i->bytes[DISK_WRITE]);
	assert_int_equal(m->errors, i->errors);
}

struct xeno_vbd_info guest_vbd_info(u32 id)
{
	struct xeno_vbd_info i = { .vbd = id };

	assert_int_equal(block_vbd_info(one, &i), 0);
	check_meter(&i);
	return i;
}

void guest_check_unpinned(void)
{
	for (u32 i = 0; i < GUEST_PAGES; i++) {
		assert_int_equal(front_entry(one, GUEST_REF + i)->flags &
					 (GTF_reading | GTF_writing),
				 0);
		assert_int_equal(
			frame_table[guest_pages[i]].ref & FRAME_COUNT_MASK, 1);
	}
}

void guest_expect(u64 id, u8 op, s16 status)
{
	assert_true(front_get(&front, &rsp));
	assert_int_equal(rsp.id, id);
	assert_int_equal(rsp.operation, op);
	assert_int_equal(rsp.status, status);
}

void guest_refuse(struct blkif_request r, u8 op, s16 status)
{
	u64 before = guest_vbd_info(VBD).refused;

	r.id = 0xfeedface00000000UL + front.req_prod;
	guest_send(&r);
	for (u32 i = 0; i < FAKE_DISKS; i++)
		assert_int_equal(fake_disks[i].queued, 0);
	guest_expect(r.id, op, status);
	assert_int_equal(guest_vbd_info(VBD).refused, before + 1);
	guest_check_unpinned();
}

struct blkif_request guest_indirect(u8 op, u64 id, u64 sector, u32 count)
{
	struct blkif_request r;
	struct blkif_request_indirect *in = (void *)&r;

	memset(&r, 0, sizeof(r));
	in->operation = BLKIF_OP_INDIRECT;
	in->indirect_op = op;
	in->nr_segments = (u16)count;
	in->id = id;
	in->sector_number = sector;
	in->indirect_grefs[0] = GUEST_REF + GUEST_PAGES - 1;
	return r;
}

struct blkif_request_segment *guest_descriptors(void)
{
	return (void *)guest_page(GUEST_PAGES - 1);
}
