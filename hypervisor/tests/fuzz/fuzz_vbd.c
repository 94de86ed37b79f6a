// SPDX-License-Identifier: Apache-2.0
/*
 * Control operations on VBDs in any order with any arguments, from memory that
 * changes between restarts: an error writes nothing, two writable VBDs of
 * guests never share a sector, and at the end all memory is back.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <hv/block.h>
#include <hv/control.h>
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/log.h>

#include <arch/host_machine.h>

#include <xeno/vbd.h>

#include "../../block/vbd.h"
#include "../fake/block_world.h"
#include "../fake/domains.h"

#define WINDOW 0x10000UL
#define EXTENTS_AT 512
#define EXTENTS 300
#define DOMAINS 3

struct input {
	const uint8_t *bytes;
	size_t left;
};

static u8 window[EXTENTS_AT + EXTENTS * sizeof(struct xeno_vbd_extent)];
static struct domain *domains[DOMAINS];
static struct front fronts[DOMAINS];

static uint8_t next(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->bytes++;
}

static void fill_extents(struct input *in)
{
	struct xeno_vbd_extent *e = (void *)(window + EXTENTS_AT);
	uint8_t disk = next(in), start = next(in), stride = next(in);

	for (u32 i = 0; i < EXTENTS; i++)
		e[i] = (struct xeno_vbd_extent){
			.disk = disk & 3,
			.first_sector = start * 16U + i * (stride & 15U),
			.sectors = 1 + stride / 64,
		};
	if (disk & 0x80)
		e[next(in)].first_sector = FAKE_DISK_SECTORS - next(in);
	if (disk & 0x40)
		((u8 *)e)[next(in) * 28] ^= next(in);
}

static u32 domain_id(struct input *in)
{
	uint8_t b = next(in);

	return b < 240 ? b % DOMAINS : b * 0x1010101U;
}

static u32 vbd_id(struct input *in)
{
	uint8_t b = next(in);

	return b < 240 ? b % 8 : b < 250 ? b * 0x1010101U : 0x7fffffff;
}

/* Runs it once; a restart may or may not be followed up. */
static void call(struct input *in, void *arg, u32 op, u32 size)
{
	struct xeno_envelope *head = arg;
	static u8 before[sizeof(window)];
	uint8_t twist = next(in);
	long rc;

	*head = (struct xeno_envelope){ 1, op, size, 0 };
	if (twist >= 0xf0)
		((u8 *)arg)[next(in) % size] ^= next(in);
	memcpy(window, arg, size);
	for (u32 tries = 0; tries < 1U + twist % 32; tries++) {
		memcpy(before, window, sizeof(window));
		rc = hc_control(WINDOW, 0, 0, 0, 0, 0);
		CHECK(rc <= 0 && rc >= -ERESTART);
		CHECK(!host_locks_held);
		if (!rc)
			return;
		CHECK(!memcmp(before, window, sizeof(window)));
		if (rc != -ERESTART)
			return;
		fake_work_run(100);
	}
}

static void create(struct input *in)
{
	uint8_t count = next(in);
	struct xeno_vbd_create c = {
		.domain_id = domain_id(in),
		.vbd = vbd_id(in),
		.flags = next(in) % 5 == 4,
		.extents = WINDOW + EXTENTS_AT,
	};

	c.extent_count = count < 200 ? count % 10 : count;
	call(in, &c, XENO_OP_VBD_CREATE, sizeof(c));
}

static void connect(struct input *in)
{
	u32 d = domain_id(in);
	struct front *f = &fronts[d % DOMAINS];
	struct xeno_vbd_connect c = {
		.domain_id = d,
		.vbd = vbd_id(in),
		.queue = next(in) % 9,
		.port = f->port,
		.ring_pages = 1,
	};

	memcpy(c.ring_refs, f->refs, sizeof(f->refs));
	call(in, &c, XENO_OP_VBD_CONNECT, sizeof(c));
}

static void name(struct input *in, u32 op)
{
	struct xeno_vbd_name n = {
		.domain_id = domain_id(in),
		.vbd = vbd_id(in),
	};

	call(in, &n, op, sizeof(n));
}

static void info(struct input *in)
{
	struct xeno_vbd_info i = {
		.domain_id = domain_id(in),
		.vbd = vbd_id(in),
		.next = next(in) & 1,
	};

	call(in, &i, XENO_OP_VBD_INFO, sizeof(i));
}

static void read_something(struct input *in)
{
	struct front *f = &fronts[next(in) % DOMAINS];
	struct blkif_request r = {
		.operation = BLKIF_OP_READ,
		.nr_segments = 1,
		.sector_number = next(in),
	};

	r.seg[0].gref = 2;
	front_put(f, &r);
	front_push(f);
}

static void step(struct input *in)
{
	struct xeno_disk_info disk = { .disk = next(in) / 64 };

	switch (next(in) % 12) {
	case 0:
		fill_extents(in);
		break;
	case 1:
	case 2:
	case 3:
		create(in);
		break;
	case 4:
	case 5:
		connect(in);
		break;
	case 6:
		name(in, XENO_OP_VBD_DISCONNECT);
		break;
	case 7:
		name(in, XENO_OP_VBD_DESTROY);
		break;
	case 8:
		info(in);
		break;
	case 9:
		call(in, &disk, XENO_OP_DISK_INFO, sizeof(disk));
		break;
	case 10:
		read_something(in);
		break;
	default:
		fake_work_round();
		for (u32 i = 0; i < FAKE_DISKS; i++)
			fake_disk_finish_all(&fake_disks[i]);
	}
}

/* Sector by sector: what the room found by sorting. */
static void check_overlaps(void)
{
	static u8 writable[FAKE_DISKS][FAKE_DISK_SECTORS];
	static u8 readable[FAKE_DISKS][FAKE_DISK_SECTORS];

	memset(writable, 0, sizeof(writable));
	memset(readable, 0, sizeof(readable));
	list_for_each (l, &vbd_list) {
		struct vbd *v = container_of(l, struct vbd, link);
		static u8 own[FAKE_DISKS][FAKE_DISK_SECTORS];

		if (!v->domain->id)
			continue;
		memset(own, 0, sizeof(own));
		for (u64 s = 0; s < v->map.sectors; s++) {
			struct extent_run run;

			extent_map_find(&v->map, s, &run);
			own[run.disk][run.sector] = 1;
		}
		for (u32 d = 0; d < FAKE_DISKS; d++) {
			for (u64 s = 0; s < FAKE_DISK_SECTORS; s++) {
				if (!own[d][s])
					continue;
				CHECK(!writable[d][s]);
				if (v->flags & XENO_VBD_READ_ONLY) {
					readable[d][s] = 1;
				} else {
					CHECK(!readable[d][s]);
					writable[d][s] = 1;
				}
			}
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	fake_machine_init(512, 2);
	fake_disks_init();
	host_clock_ns = 1;
	host_guest_window(WINDOW, window, sizeof(window));
	for (u16 i = 0; i < DOMAINS; i++) {
		domains[i] = fake_domain_create(i, 1, !i);
		CHECK(!grant_setup(domains[i], 1));
		front_init(&fronts[i], domains[i], 1, 1);
		front_grant(domains[i], 2, fake_frame(domains[i]), 0);
	}
	fake_become(domains[0], 0);
	fill_extents(&in);
	for (int steps = 0; in.left && steps < 150; steps++)
		step(&in);
	check_overlaps();
	for (int i = DOMAINS - 1; i >= 0; i--) {
		int budget = 100, rc;

		while ((rc = block_domain_exit(domains[i], &budget)) ==
		       -ERESTART) {
			fake_work_run(100);
			for (u32 k = 0; k < FAKE_DISKS; k++)
				fake_disk_finish_all(&fake_disks[k]);
			CHECK(budget >= 0);
		}
		CHECK(!rc);
		CHECK(fake_domain_destroy(domains[i]));
	}
	fake_disks_exit();
	fake_machine_exit();
	return 0;
}
