// SPDX-License-Identifier: Apache-2.0
/* The fake PCI machine (contract in virtio_device.h). */
#include "virtio_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hv/errno.h>
#include <hv/log.h>
#include <hv/mm.h>

#include <arch/cpu.h>
#include <arch/device.h>
#include <arch/host_machine.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define FRAMES 1024
#define DEVICES_VIRT 0x100000000000UL /* never dereferenced */

struct fake_function fake_functions[8];
struct fake_function *fake_device;
u64 fake_frames_live;
bool fake_nothing_reads_as_ones;
struct disk *fake_disk;
struct uplink *fake_uplink;

/* Of this test. */
static struct {
	void (*handler)(void *data);
	void *data;
} vectors[256];
static unsigned int vector_count;

/* ---- memory: handed out upwards, each block behind a poisoned page ---- */

static u64 next_mfn;

void fake_start(void)
{
	/* Kept from test to test: a fuzzer starts often. */
	if (!host_memory) {
		host_machine_init(FRAMES, 2);
		ASAN_POISON_MEMORY_REGION(host_memory, FRAMES * PAGE_SIZE);
	}
	next_mfn = 1;
	fake_frames_live = 0;
	memset(fake_functions, 0, sizeof(fake_functions));
	fake_device = NULL;
	fake_disk = NULL;
	fake_uplink = NULL;
	fake_disk_status = 0;
	memset(fake_types, 0, sizeof(fake_types));
	memset(vectors, 0, sizeof(vectors));
	/* Unlike what an entry holds that nobody wrote. */
	vector_count = 1;
	host_clock_step_ns = 1000000;
}

void fake_stop(void)
{
	CHECK(!host_locks_held);
	memset(frame_table, 0, next_mfn * sizeof(*frame_table));
	ASAN_POISON_MEMORY_REGION(host_memory, next_mfn * PAGE_SIZE);
}

struct frame *frame_alloc(unsigned int order)
{
	u64 mfn = ALIGN_UP(next_mfn + 1, 1UL << order);

	if (mfn + (1UL << order) > FRAMES)
		return NULL;
	next_mfn = mfn + (1UL << order);
	fake_frames_live += 1UL << order;
	ASAN_UNPOISON_MEMORY_REGION(mfn_to_virt(mfn), PAGE_SIZE << order);
	memset(mfn_to_virt(mfn), 0, PAGE_SIZE << order);
	for (u64 i = mfn; i < next_mfn; i++)
		frame_table[i] = (struct frame){
			.ref = FRAME_HV | 1,
			.owner_id = OWNER_HV,
			.flags = FRAME_FLAG_RAM,
		};
	return &frame_table[mfn];
}

void frame_free(struct frame *f, unsigned int order)
{
	CHECK(f->owner_id == OWNER_HV);
	f->owner_id = OWNER_NONE;
	f->ref = 0;
	fake_frames_live -= 1UL << order;
	ASAN_POISON_MEMORY_REGION(mfn_to_virt(frame_mfn(f)),
				  PAGE_SIZE << order);
}

u64 fake_guest_page(void)
{
	struct frame *f = frame_alloc(0);

	CHECK(f);
	fake_frames_live--;
	f->owner_id = 1;
	f->ref = FRAME_ALLOCATED | FRAME_VALIDATED | FRAME_TCOUNT_ONE | 2 |
		 (u64)FRAME_WRITABLE << FRAME_TYPE_SHIFT;
	return frame_mfn(f) << PAGE_SHIFT;
}

void *fake_memory(u64 maddr)
{
	return host_memory + maddr;
}

int disk_register(struct disk *d)
{
	fake_disk = d;
	return 0;
}

int uplink_register(struct uplink *u)
{
	fake_uplink = u;
	return 0;
}

/* ---- configuration space ---- */

void fake_put16(u8 *at, u16 value)
{
	memcpy(at, &value, sizeof(value));
}

void fake_put32(u8 *at, u32 value)
{
	memcpy(at, &value, sizeof(value));
}

void fake_put64(u8 *at, u64 value)
{
	memcpy(at, &value, sizeof(value));
}

static u64 get(const u8 *at, unsigned int bytes)
{
	u64 value = 0;

	memcpy(&value, at, bytes);
	return value;
}

static struct fake_function *function_at(u8 bus, u8 devfn)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(fake_functions); i++)
		if (fake_functions[i].there && fake_functions[i].bus == bus &&
		    fake_functions[i].devfn == devfn)
			return &fake_functions[i];
	return NULL;
}

static u64 bar_size(const struct fake_function *f, unsigned int i)
{
	/* The upper half of a wide one belongs to the one before. */
	if (i && (f->space[0x10 + 4 * (i - 1)] & 7) == 4)
		return f->bar_bytes[i - 1];
	return f->bar_bytes[i];
}

static void space_write(struct fake_function *f, u16 reg, unsigned int bytes,
			u32 value)
{
	unsigned int i = (reg - 0x10U) / 4;
	bool upper = i && i < 6 && (f->space[0x10 + 4 * (i - 1)] & 7) == 4;
	u32 low = (u32)get(f->space + (reg & 0xfc), 4);

	if (reg == 4) {
		/* Ones clear bits of the status; the rest of it stays. */
		u16 status = (u16)get(f->space + 6, 2);

		fake_put16(f->space + 4, (u16)value);
		if (bytes == 4)
			fake_put16(f->space + 6,
				   status & (u16) ~(value >> 16 & 0xf900));
		return;
	}
	if (reg < 0x10 || reg >= 0x28) {
		if (reg + bytes <= sizeof(f->space))
			memcpy(f->space + reg, &value, bytes);
		return;
	}
	/* BARs: bits below the size cannot be set. */
	if (upper)
		fake_put32(f->space + reg,
			   value & (u32)(~(bar_size(f, i) - 1) >> 32));
	else if (bar_size(f, i))
		fake_put32(f->space + reg,
			   (value & (u32) ~(bar_size(f, i) - 1)) | (low & 15));
}

u32 pci_ports_read(u8 bus, u8 devfn, u8 reg)
{
	struct fake_function *f = function_at(bus, devfn);

	return f ? (u32)get(f->space + (reg & 0xfc), 4) : ~0U;
}

void pci_ports_write(u8 bus, u8 devfn, u8 reg, u32 value)
{
	struct fake_function *f = function_at(bus, devfn);

	if (f)
		space_write(f, reg & 0xfc, 4, value);
}

/* ---- registers ---- */

static void reset_device(struct fake_function *f)
{
	f->agreed = 0;
	f->status = 0;
	f->config_msix = 0xffff;
	for (unsigned int i = 0; i < FAKE_QUEUES; i++) {
		struct fake_queue *q = &f->queues[i];

		q->size = q->max;
		q->msix = 0xffff;
		q->enabled = q->seen = 0;
	}
}

static u64 common_read(struct fake_function *f, u64 at)
{
	struct fake_queue none = { .max = 0 };
	const struct fake_queue *q =
		f->queue_select < f->num_queues && f->queue_select < FAKE_QUEUES
			? &f->queues[f->queue_select]
			: &none;

	switch (at) {
	case 0x04:
		return f->feature_select < 2
			       ? (u32)(f->offered >> 32 * f->feature_select)
			       : 0;
	case 0x12:
		return f->num_queues;
	case 0x14:
		return f->status;
	case 0x15:
		return f->generation;
	case 0x18:
		return q->size;
	case 0x1a:
		return f->no_vectors ? 0xffff : q->msix;
	case 0x1e:
		return q->notify_off;
	default:
		return 0;
	}
}

static void write_status(struct fake_function *f, u8 value)
{
	if (!value && f->never_resets)
		return;
	if (!value)
		reset_device(f);
	if (f->never_agrees)
		value &= (u8)~8;
	f->status = value;
}

static void queue_write(struct fake_queue *q, u64 at, u32 value)
{
	u64 *const maddrs[] = { &q->desc, &q->avail, &q->used };

	if (at == 0x18)
		q->size = (u16)value;
	else if (at == 0x1a)
		q->msix = (u16)value;
	else if (at == 0x1c)
		q->enabled = (u16)value;
	else if (at >= 0x20 && at < 0x38)
		memcpy((u8 *)maddrs[(at - 0x20) / 8] + (at & 4), &value, 4);
}

static void common_write(struct fake_function *f, u64 at, u32 value)
{
	switch (at) {
	case 0x00:
		f->feature_select = value;
		break;
	case 0x08:
		f->driver_select = value;
		break;
	case 0x0c:
		if (f->driver_select < 2)
			memcpy((u8 *)&f->agreed + 4 * f->driver_select, &value,
			       4);
		break;
	case 0x10:
		f->config_msix = (u16)value;
		break;
	case 0x14:
		write_status(f, (u8)value);
		break;
	case 0x16:
		f->queue_select = (u16)value;
		break;
	default:
		if (f->queue_select < FAKE_QUEUES)
			queue_write(&f->queues[f->queue_select], at, value);
		break;
	}
}

static struct fake_function *function_of_bar(u64 maddr, unsigned int *bar,
					     u64 *at)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(fake_functions); i++) {
		struct fake_function *f = &fake_functions[i];

		for (unsigned int b = 0; f->there && b < 6; b++) {
			u64 start = get(f->space + 0x10 + 4 * b, 4) & ~15UL;

			if (f->bar_bytes[b] && maddr >= start &&
			    maddr - start < f->bar_bytes[b]) {
				*bar = b;
				*at = maddr - start;
				return f;
			}
		}
	}
	return NULL;
}

u64 host_device_read(const volatile void *p, unsigned int bytes)
{
	u64 maddr = (u64)p - DEVICES_VIRT, at;
	struct fake_function *f;
	unsigned int bar;

	if (maddr >= FAKE_ECAM_MADDR &&
	    maddr < FAKE_ECAM_MADDR + (256UL << 20)) {
		u64 offset = maddr - FAKE_ECAM_MADDR;

		f = function_at((u8)(offset >> 20), (u8)(offset >> 12));
		offset &= 0xfff;
		return f && offset + bytes <= sizeof(f->space)
			       ? get(f->space + offset, bytes)
			       : ~0UL;
	}
	f = function_of_bar(maddr, &bar, &at);
	if (!f && fake_nothing_reads_as_ones)
		return ~0UL;
	if (!f)
		panic("read of %u bytes at %lx, where nothing is", bytes,
		      maddr);
	if (bar == 1)
		return at + bytes <= sizeof(f->msix) ? get(f->msix + at, bytes)
						     : 0;
	if (at >= FAKE_DEVICE && at + bytes <= FAKE_DEVICE + sizeof(f->config))
		return get(f->config + (at - FAKE_DEVICE), bytes);
	return at < 0x38 ? common_read(f, at) : 0;
}

void host_device_write(volatile void *p, unsigned int bytes, u64 value)
{
	u64 maddr = (u64)p - DEVICES_VIRT, at;
	struct fake_function *f;
	unsigned int bar;

	if (maddr >= FAKE_ECAM_MADDR &&
	    maddr < FAKE_ECAM_MADDR + (256UL << 20)) {
		u64 offset = maddr - FAKE_ECAM_MADDR;

		f = function_at((u8)(offset >> 20), (u8)(offset >> 12));
		if (f)
			space_write(f, (u16)(offset & 0xfff), bytes,
				    (u32)value);
		return;
	}
	f = function_of_bar(maddr, &bar, &at);
	if (!f && fake_nothing_reads_as_ones)
		return;
	if (!f)
		panic("write of %u bytes at %lx, where nothing is", bytes,
		      maddr);
	if (bar == 1) {
		if (at + bytes <= sizeof(f->msix))
			memcpy(f->msix + at, &value, bytes);
	} else if (at < 0x38) {
		common_write(f, at, (u32)value);
	} else if (at >= FAKE_NOTIFY) {
		f->notified++;
		if (f->on_notify && (u16)value < FAKE_QUEUES)
			f->on_notify(f, (u16)value);
	}
}

void *device_map(u64 maddr, u64 bytes)
{
	/* Nobody maps more than some device has. */
	CHECK(bytes && bytes <= 1UL << 20);
	return (void *)(DEVICES_VIRT + maddr);
}

/* ---- interrupts ---- */

int interrupt_vector_alloc(void (*handler)(void *data), void *data)
{
	unsigned int v = vector_count++ % 256;

	vectors[v].handler = handler;
	vectors[v].data = data;
	return (int)v;
}

int msi_compose(struct msi_message *m, unsigned int cpu, unsigned int vector)
{
	m->address = 0xfee00000UL | (u64)cpu << 12;
	m->data = vector;
	return 0;
}

void fake_interrupt(unsigned int i)
{
	const u8 *entry = fake_device->msix + i * 16UL;
	u64 vector = get(entry + 8, 4);

	if (get(entry + 12, 4) & 1)
		return;
	if (vector < 256 && vectors[vector].handler)
		vectors[vector].handler(vectors[vector].data);
}

/* ---- devices ---- */

struct fake_function *fake_function_add(u8 bus, u8 devfn, u16 vendor,
					u16 device)
{
	unsigned int i = 0;

	while (fake_functions[i].there)
		i++;
	fake_functions[i] = (struct fake_function){
		.there = true,
		.bus = bus,
		.devfn = devfn,
	};
	fake_put16(fake_functions[i].space, vendor);
	fake_put16(fake_functions[i].space + 2, device);
	return &fake_functions[i];
}

static void add_capability(struct fake_function *f, u8 at, u8 next, u8 type,
			   u32 offset, u32 bytes)
{
	f->space[at] = 9;
	f->space[at + 1] = next;
	f->space[at + 2] = type == 2 ? 20 : 16;
	f->space[at + 3] = type;
	f->space[at + 4] = 4;
	fake_put32(f->space + at + 8, offset);
	fake_put32(f->space + at + 12, bytes);
}

struct fake_function *fake_virtio_add(u8 bus, u8 devfn, u16 device,
				      u64 features)
{
	struct fake_function *f = fake_function_add(bus, devfn, 0x1af4, device);
	u64 bars = FAKE_BARS_MADDR + (u64)(f - fake_functions) * 0x10000;

	if (!fake_device)
		fake_device = f;
	f->space[6] = 0x10;
	f->space[0x34] = FAKE_CAP_MSIX;
	f->space[FAKE_CAP_MSIX] = 0x11;
	f->space[FAKE_CAP_MSIX + 1] = FAKE_CAP_COMMON;
	fake_put16(f->space + FAKE_CAP_MSIX + 2, 2);
	fake_put32(f->space + FAKE_CAP_MSIX + 4, 1);
	add_capability(f, FAKE_CAP_COMMON, FAKE_CAP_NOTIFY, 1, FAKE_COMMON,
		       0x38);
	add_capability(f, FAKE_CAP_NOTIFY, FAKE_CAP_DEVICE, 2, FAKE_NOTIFY,
		       0x1000);
	fake_put32(f->space + FAKE_CAP_NOTIFY + 16, 4);
	add_capability(f, FAKE_CAP_DEVICE, 0, 4, FAKE_DEVICE, 256);
	f->bar_bytes[1] = 0x1000;
	fake_put32(f->space + 0x14, (u32)bars);
	f->bar_bytes[4] = FAKE_BAR4_BYTES;
	fake_put32(f->space + 0x20, (u32)(bars + 0x4000) | 4);
	f->offered = features | 1UL << 32;
	f->num_queues = FAKE_QUEUES;
	for (u16 i = 0; i < FAKE_QUEUES; i++) {
		f->queues[i].max = 256;
		f->queues[i].notify_off = i;
	}
	reset_device(f);
	return f;
}

static void add_chain(struct fake_chain *c, const u8 *descs, u16 at,
		      unsigned int entries)
{
	for (;;) {
		const u8 *d = descs + at * 16UL;
		u16 flags = (u16)get(d + 12, 2);

		CHECK(at < entries);
		if (flags & 4) {
			CHECK(!(flags & 1));
			add_chain(c, fake_memory(get(d, 8)), 0,
				  (unsigned int)get(d + 8, 4) / 16);
			return;
		}
		CHECK(c->count < FAKE_BUFFERS_MAX);
		c->buffers[c->count].maddr = get(d, 8);
		c->buffers[c->count].bytes = (u32)get(d + 8, 4);
		c->buffers[c->count++].writable = flags & 2;
		if (!(flags & 1))
			return;
		at = (u16)get(d + 14, 2);
	}
}

bool fake_take(struct fake_function *f, u16 queue, struct fake_chain *c)
{
	struct fake_queue *q = &f->queues[queue];
	const u8 *avail = fake_memory(q->avail);

	if (!q->enabled || get(avail + 2, 2) == q->seen)
		return false;
	c->count = 0;
	c->head = (u16)get(avail + 4 + 2UL * (q->seen & (q->size - 1U)), 2);
	q->seen++;
	add_chain(c, fake_memory(q->desc), c->head, q->size);
	/* With event indices: notify me of the next one. */
	if (f->agreed >> 29 & 1)
		fake_put16((u8 *)fake_memory(q->used) + 4 + 8UL * q->size,
			   q->seen);
	return true;
}

void fake_done(struct fake_function *f, u16 queue, u32 id, u32 bytes)
{
	const struct fake_queue *q = &f->queues[queue];
	u8 *used = fake_memory(q->used);
	u16 idx = (u16)get(used + 2, 2);
	u8 *e = used + 4 + 8UL * (idx & (q->size - 1U));

	fake_put32(e, id);
	fake_put32(e + 4, bytes);
	fake_put16(used + 2, (u16)(idx + 1));
}

u8 fake_disk_data[64 * 512];
u8 fake_disk_status;
unsigned int fake_types[16];

/* The middle of a chain, all but header and status, to or from the disk. */
static u32 transfer(const struct fake_chain *c, u64 sector, bool to_memory)
{
	u32 written = 0;
	u64 at = sector * 512;

	for (unsigned int i = 1; i + 1 < c->count; i++) {
		u32 n = c->buffers[i].bytes;

		CHECK(at + n <= sizeof(fake_disk_data));
		CHECK(c->buffers[i].writable == to_memory);
		if (to_memory) {
			memcpy(fake_memory(c->buffers[i].maddr),
			       fake_disk_data + at, n);
			written += n;
		} else {
			memcpy(fake_disk_data + at,
			       fake_memory(c->buffers[i].maddr), n);
		}
		at += n;
	}
	return written;
}

void fake_serve_disk(struct fake_function *f, u16 queue)
{
	struct fake_chain c;

	while (fake_take(f, queue, &c)) {
		const u8 *header = fake_memory(c.buffers[0].maddr);
		u64 type = get(header, 4), sector = get(header + 8, 8);
		u32 written = 0;
		u8 *status = fake_memory(c.buffers[c.count - 1].maddr);

		CHECK(c.count >= 2 && c.buffers[0].bytes == 16 &&
		      c.buffers[c.count - 1].bytes == 1 &&
		      c.buffers[c.count - 1].writable);
		fake_types[type & 15]++;
		if (type <= 1)
			written = transfer(&c, sector, type == 0);
		if (type == 8)
			memcpy(fake_memory(c.buffers[1].maddr),
			       "SERIAL-0123456789ABC", 20);
		if (type == 11) {
			const u8 *d = fake_memory(c.buffers[1].maddr);

			CHECK(c.buffers[1].bytes == 16);
			memset(fake_disk_data + get(d, 8) * 512, 0,
			       get(d + 8, 4) * 512);
		}
		*status = fake_disk_status;
		fake_done(f, queue, c.head, written + 1);
	}
}
