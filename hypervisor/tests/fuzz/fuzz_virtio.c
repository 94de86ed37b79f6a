// SPDX-License-Identifier: Apache-2.0
/*
 * A hostile virtio device: the input changes its configuration space and
 * registers before it is found, and then writes its rings, while requests come
 * and go. Whatever it does, each request must end exactly once, and none but
 * the device's own memory be touched.
 */
#include <stdlib.h>
#include <string.h>

#include <hv/drivers.h>
#include <hv/log.h>
#include <hv/meter.h>
#include <hv/work.h>

#include <arch/host_machine.h>

#include "../fake/virtio_device.h"

#define PENDING 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *input;
static size_t left;

static u32 next(unsigned int bytes)
{
	u32 value = 0;

	while (bytes-- && left) {
		value = value << 8 | *input++;
		left--;
	}
	return value;
}

static struct pending {
	struct disk_request r;
	struct disk_segment segment;
	struct uplink_packet p;
	bool out;
	u64 page;
} pending[PENDING];
static unsigned int outstanding;

static void ended(struct pending *p)
{
	CHECK(p->out);
	CHECK(host_locks_held == 0);
	p->out = false;
	outstanding--;
}

static void request_done(struct disk_request *r, int status)
{
	(void)status;
	ended(container_of(r, struct pending, r));
}

static void packet_done(struct uplink_packet *p)
{
	ended(container_of(p, struct pending, p));
}

static u32 sum;

static u32 receive(struct uplink *u, const void *frame, u32 bytes,
		   const struct packet_offload *offload)
{
	const u8 *p = frame;

	(void)u;
	for (u32 i = 0; i < bytes; i++)
		sum += p[i];
	if (offload->flags & PACKET_CSUM_BLANK)
		sum += p[offload->csum_start + offload->csum_offset + 1];
	return bytes;
}

static void ask(struct pending *p)
{
	int err = 0;

	if (p->out)
		return;
	if (!p->page)
		p->page = fake_guest_page();
	p->out = true;
	if (fake_disk) {
		p->segment = (struct disk_segment){ p->page, 512 };
		p->r = (struct disk_request){
			.op = (enum disk_op)(next(1) % DISK_OPS),
			.sector = next(1),
			.sectors = 1,
			.segment_count = 1,
			.segments = &p->segment,
			.done = request_done,
		};
		err = disk_submit(fake_disk, &p->r);
	} else {
		p->p.offload = (struct packet_offload){
			.flags = (u16)(next(1) & 15),
			.csum_start = (u16)next(1),
			.gso_bytes = (u16)next(1),
		};
		p->p.segment_count = 1 + next(1) % 4;
		for (u32 i = 0; i < p->p.segment_count; i++)
			p->p.segments[i] =
				(struct uplink_segment){ p->page, 60 };
		p->p.done = packet_done;
		err = fake_uplink->driver->send(fake_uplink, &p->p);
	}
	if (err)
		p->out = false;
	else
		outstanding++;
}

static void kick(void)
{
	if (fake_disk)
		disk_kick(fake_disk);
	else
		fake_uplink->driver->kick(fake_uplink);
}

static void run_work(void)
{
	for (int i = 0; i < 20 && work_run(~0UL); i++)
		;
}

/* One thing that a device may do to what it shares with the driver. */
static void write_ring(struct fake_function *f, const u8 *op, bool *tampered)
{
	struct fake_queue *q = &f->queues[op[1] & 1];
	struct fake_chain c;
	u64 at;

	if (!q->enabled)
		return;
	switch (op[0] % 4) {
	case 0:
		/* An honest answer, if the descriptors still say how. */
		if (!*tampered && fake_take(f, op[1] & 1, &c)) {
			u8 *p = fake_memory(c.buffers[c.count - 1].maddr);

			if (c.buffers[c.count - 1].writable)
				memset(p, op[2],
				       MIN(c.buffers[c.count - 1].bytes, 64U));
			fake_done(f, op[1] & 1, c.head,
				  c.buffers[c.count - 1].writable ? op[3] : 0);
		}
		return;
	case 1:
		fake_done(f, op[1] & 1, next(2), next(2));
		return;
	case 2:
		at = q->used + next(2) % 2060;
		break;
	default:
		*tampered = true;
		at = (op[1] & 2 ? q->desc : q->avail) + next(2) % 500;
		break;
	}
	*(u8 *)fake_memory(at) = (u8)next(1);
}

static void change(struct fake_function *f)
{
	u8 where = (u8)next(1), at = (u8)next(1), value = (u8)next(1);
	struct fake_queue *q = &f->queues[where & 1];

	switch (where / 2 % 6) {
	case 0:
	case 1:
		/* What it is stays: the fake side depends on it. */
		if (at >= 4)
			f->space[at] = value;
		break;
	case 2:
		f->config[at % 64] = value;
		break;
	case 3:
		q->max = q->size = (u16)(at << 8 | value);
		break;
	case 4:
		q->notify_off = (u16)(at << 8 | value);
		break;
	default:
		f->num_queues = at & 3;
		f->no_vectors = value & 1;
		f->never_agrees = value & 2;
		f->never_resets = value & 4;
		f->generation = value;
		break;
	}
}

static void play(struct fake_function *f)
{
	bool tampered = false;
	u8 op[4];

	while (left) {
		switch (next(1) % 8) {
		case 0:
		case 1:
			ask(&pending[next(1) % PENDING]);
			break;
		case 2:
			kick();
			break;
		case 3:
			fake_interrupt(next(1) & 1);
			run_work();
			break;
		case 4:
			f->config[next(1) % 64] = (u8)next(1);
			break;
		default:
			for (int i = 0; i < 4; i++)
				op[i] = (u8)next(1);
			write_ring(f, op, &tampered);
			break;
		}
	}
}

/* Whatever it did: once it lies undoubtedly, everything ends. */
static void end(struct fake_function *f)
{
	f->never_resets = false;
	for (u16 queue = 0; queue < FAKE_QUEUES; queue++)
		if (f->queues[queue].enabled) {
			u8 *used = fake_memory(f->queues[queue].used);

			memset(used + 4, 0xff, 8UL * f->queues[queue].size);
			fake_done(f, queue, ~0U, ~0U);
		}
	ask(&pending[0]);
	kick();
	fake_interrupt(0);
	run_work();
	run_work();
	if (outstanding && f->status)
		/* All answered by chance: then there is nothing to lie of. */
		CHECK(f->status & 4);
	else
		CHECK(!outstanding);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const u16 kinds[] = { 0x1042, 0x1001, 0x1041, 0x1000 };
	struct fake_function *f;
	unsigned int changes;
	u16 kind;

	host_log_level = -1;
	input = data;
	left = size;
	fake_start();
	fake_nothing_reads_as_ones = true;
	meter_cpu_start(0, host_clock_ns);
	work_start();
	memset(pending, 0, sizeof(pending));
	outstanding = 0;
	kind = kinds[next(1) & 3];
	f = fake_virtio_add(0, 8, kind, (u64)next(4));
	fake_put64(f->config, 64);
	fake_put32(f->config + 12, 60);
	/* A disk that never answers is not used at all. */
	f->on_notify =
		kind == kinds[0] || kind == kinds[1] ? fake_serve_disk : NULL;
	changes = next(1) % 8;
	while (changes--)
		change(f);
	drivers_init(NULL, 0);
	f->on_notify = NULL;
	if (fake_uplink)
		fake_uplink->receive = receive;
	if (fake_disk || fake_uplink) {
		play(f);
		end(f);
	}
	fake_stop();
	return 0;
}
