// SPDX-License-Identifier: Apache-2.0
/*
 * The modern PCI transport (contract in virtio.h). A transitional device is
 * used through its modern interface too. Registers are trusted for nothing:
 * sizes are bounded, what was written is read back where the device may
 * refuse, and no wait is without end.
 */
#include <hv/errno.h>
#include <hv/log.h>

#include <arch/clock.h>
#include <arch/cpu.h>
#include <arch/device.h>
#include <arch/layout.h>

#include "virtio.h"

/* Capabilities: offsets within, and what they describe. */
#define CAP_BYTES 2
#define CAP_TYPE 3
#define CAP_BAR 4
#define CAP_OFFSET 8
#define CAP_LENGTH 12
#define CAP_NOTIFY_SCALE 16
#define CAP_SIZE 16
#define TYPE_COMMON 1
#define TYPE_NOTIFY 2
#define TYPE_DEVICE 4

/* The common registers. */
#define DEVICE_FEATURE_SELECT 0x00
#define DEVICE_FEATURE 0x04
#define DRIVER_FEATURE_SELECT 0x08
#define DRIVER_FEATURE 0x0c
#define MSIX_CONFIG 0x10
#define NUM_QUEUES 0x12
#define STATUS 0x14
#define GENERATION 0x15
#define QUEUE_SELECT 0x16
#define QUEUE_SIZE 0x18
#define QUEUE_MSIX 0x1a
#define QUEUE_ENABLE 0x1c
#define QUEUE_NOTIFY_OFF 0x1e
#define QUEUE_DESC 0x20
#define QUEUE_AVAIL 0x28
#define QUEUE_USED 0x30
#define COMMON_BYTES 0x38

#define STATUS_ACKNOWLEDGE 1U
#define STATUS_DRIVER 2U
#define STATUS_DRIVER_OK 4U
#define STATUS_FEATURES_OK 8U
#define STATUS_FAILED 128U

/* How long a reset may take: at boot, and when a lock is held. */
#define RESET_LIMIT_NS 1000000000UL
#define STOP_LIMIT_NS 10000000UL
#define NO_VECTOR 0xffff
/* Header, page, status, and one to spare. */
#define QUEUE_LEAST 4

#define MSIX_QUEUES 0
#define MSIX_CHANGES 1

struct region {
	u8 bar;
	u32 offset, bytes;
	u8 cap;
};

static bool refuse(const struct virtio *v, const char *why)
{
	log_warn("virtio %s: not used: %s", v->name, why);
	return false;
}

/* ---- configuration ---- */

static void copy_config(const struct virtio *v, u32 offset, void *to, u32 bytes)
{
	u8 *p = to;

	/* Byte by byte: nothing says how the device aligned its fields, and
	 * it is read at boot and on changes only. */
	for (u32 i = 0; i < bytes; i++)
		p[i] = offset + i < v->config_bytes
			       ? device_read8(v->config + offset + i)
			       : 0;
}

/* Reads until nothing changed meanwhile, but not for ever. */
static void read_config(const struct virtio *v, u32 offset, void *to, u32 bytes)
{
	for (unsigned int i = 0; i < 8; i++) {
		u8 before = device_read8(v->common + GENERATION);

		copy_config(v, offset, to, bytes);
		if (device_read8(v->common + GENERATION) == before)
			return;
	}
}

u8 virtio_config8(const struct virtio *v, u32 offset)
{
	u8 value = 0;

	read_config(v, offset, &value, sizeof(value));
	return value;
}

u16 virtio_config16(const struct virtio *v, u32 offset)
{
	u16 value = 0;

	read_config(v, offset, &value, sizeof(value));
	return value;
}

u32 virtio_config32(const struct virtio *v, u32 offset)
{
	u32 value = 0;

	read_config(v, offset, &value, sizeof(value));
	return value;
}

u64 virtio_config64(const struct virtio *v, u32 offset)
{
	u64 value = 0;

	read_config(v, offset, &value, sizeof(value));
	return value;
}

/* ---- opening ---- */

/* The first usable capability of that type. */
static bool find_region(const struct pci_function *f, u8 type, u32 least_bytes,
			struct region *r)
{
	u8 at = 0;

	for (unsigned int i = 0; i < 16; i++) {
		at = pci_find_capability(f, PCI_CAP_VENDOR, at);
		if (!at)
			return false;
		if (at > 0x100 - CAP_SIZE - 4 ||
		    pci_read(f, at + CAP_TYPE, 1) != type ||
		    pci_read(f, at + CAP_BYTES, 1) < CAP_SIZE)
			continue;
		r->cap = at;
		r->bar = (u8)pci_read(f, at + CAP_BAR, 1);
		r->offset = pci_read(f, at + CAP_OFFSET, 4);
		r->bytes = pci_read(f, at + CAP_LENGTH, 4);
		if (r->bar < PCI_BARS && r->bytes >= least_bytes)
			return true;
	}
	return false;
}

static bool find_registers(struct virtio *v)
{
	struct pci_function *f = &v->pci;
	struct region common, notify, device;

	if (!find_region(f, TYPE_COMMON, COMMON_BYTES, &common))
		return refuse(v, "it has the legacy interface only");
	if (!find_region(f, TYPE_NOTIFY, 2, &notify))
		return refuse(v, "no register to notify it");
	v->common = pci_map(f, common.bar, common.offset, COMMON_BYTES);
	if (!v->common || ((u64)v->common & 3))
		return refuse(v, "its registers are not within its memory");
	v->notify_bar = notify.bar;
	v->notify_offset = notify.offset;
	v->notify_bytes = notify.bytes;
	v->notify_scale = pci_read(f, notify.cap + CAP_NOTIFY_SCALE, 4);
	if (find_region(f, TYPE_DEVICE, 1, &device)) {
		v->config_bytes = MIN(device.bytes, VIRTIO_CONFIG_BYTES);
		v->config =
			pci_map(f, device.bar, device.offset, v->config_bytes);
		if (!v->config)
			return refuse(
				v,
				"its configuration is not within its memory");
	}
	return true;
}

static u8 status(const struct virtio *v)
{
	return device_read8(v->common + STATUS);
}

static void add_status(const struct virtio *v, u32 bits)
{
	device_write8(v->common + STATUS, (u8)(status(v) | bits));
}

static bool reset(const struct virtio *v, u64 limit_ns)
{
	u64 until_ns = clock_now_ns() + limit_ns;

	device_write8(v->common + STATUS, 0);
	while (status(v)) {
		if (clock_now_ns() >= until_ns)
			return false;
		cpu_relax();
	}
	return true;
}

static bool agree(struct virtio *v, u64 wanted)
{
	u64 offered;

	device_write32(v->common + DEVICE_FEATURE_SELECT, 0);
	offered = device_read32(v->common + DEVICE_FEATURE);
	device_write32(v->common + DEVICE_FEATURE_SELECT, 1);
	offered |= (u64)device_read32(v->common + DEVICE_FEATURE) << 32;
	if (!(offered & VIRTIO_F_VERSION_1))
		return refuse(v, "it is a legacy device");
	v->features = offered & (wanted | VIRTIO_F_VERSION_1 |
				 VIRTIO_F_INDIRECT | VIRTIO_F_EVENT_IDX);
	device_write32(v->common + DRIVER_FEATURE_SELECT, 0);
	device_write32(v->common + DRIVER_FEATURE, (u32)v->features);
	device_write32(v->common + DRIVER_FEATURE_SELECT, 1);
	device_write32(v->common + DRIVER_FEATURE, (u32)(v->features >> 32));
	add_status(v, STATUS_FEATURES_OK);
	if (!(status(v) & STATUS_FEATURES_OK))
		return refuse(v, "it does not agree on its features");
	return true;
}

int virtio_open(struct virtio *v, const struct pci_function *f, u64 wanted)
{
	static unsigned int next_cpu;

	v->pci = *f;
	pci_name(f, v->name);
	spin_init(&v->lock, RANK_DEVICE);
	pci_read_bars(&v->pci);
	if (!find_registers(v))
		return -ENODEV;
	pci_enable(&v->pci);
	if (!reset(v, RESET_LIMIT_NS)) {
		refuse(v, "it cannot be reset");
		pci_stop_dma(&v->pci);
		return -ENODEV;
	}
	add_status(v, STATUS_ACKNOWLEDGE);
	add_status(v, STATUS_DRIVER);
	if (!agree(v, wanted)) {
		virtio_close(v);
		return -ENODEV;
	}
	v->cpu = next_cpu++ % cpu_count;
	return 0;
}

int virtio_open_interrupts(struct virtio *v, void (*handler)(void *data),
			   void (*changed)(void *data), void *data)
{
	int err = pci_msix_enable(&v->pci);

	if (!err)
		err = pci_msix_route(&v->pci, MSIX_QUEUES, v->cpu, handler,
				     data);
	if (err) {
		refuse(v, "it has no message interrupts");
		return -ENODEV;
	}
	if (changed &&
	    !pci_msix_route(&v->pci, MSIX_CHANGES, v->cpu, changed, data))
		device_write16(v->common + MSIX_CONFIG, MSIX_CHANGES);
	else
		device_write16(v->common + MSIX_CONFIG, NO_VECTOR);
	return 0;
}

static u8 *map_notify(const struct virtio *v)
{
	u64 at = (u64)device_read16(v->common + QUEUE_NOTIFY_OFF) *
		 v->notify_scale;

	if (at > v->notify_bytes - 2 || (at & 1))
		return NULL;
	return pci_map(&v->pci, v->notify_bar, v->notify_offset + at, 2);
}

static void write_maddr(u8 *reg, const void *p)
{
	u64 maddr = (virt_to_mfn(p) << PAGE_SHIFT) | ((u64)p & ~PAGE_MASK);

	device_write32(reg, (u32)maddr);
	device_write32(reg + 4, (u32)(maddr >> 32));
}

int virtio_open_queue(struct virtio *v, u16 size, u16 limit)
{
	unsigned int index = v->queue_count;
	struct virtqueue *q = &v->queues[index];
	u16 offered;
	int err;

	if (index >= device_read16(v->common + NUM_QUEUES)) {
		refuse(v, "it has too few queues");
		return -ENODEV;
	}
	device_write16(v->common + QUEUE_SELECT, (u16)index);
	offered = device_read16(v->common + QUEUE_SIZE);
	while (size > offered)
		size /= 2;
	if (size < MIN(limit, QUEUE_LEAST)) {
		refuse(v, "its queues are too short");
		return -ENODEV;
	}
	/* No chain may be longer than the queue, with or without tables. */
	limit = MIN(limit, size);
	err = virtqueue_alloc(q, size, limit,
			      virtio_has(v, VIRTIO_F_INDIRECT) && limit > 1);
	v->queue_count++;
	if (err) {
		refuse(v, "no memory");
		return err;
	}
	q->event_idx = virtio_has(v, VIRTIO_F_EVENT_IDX);
	q->index = (u16)index;
	q->notify = map_notify(v);
	device_write16(v->common + QUEUE_MSIX, MSIX_QUEUES);
	if (!q->notify ||
	    device_read16(v->common + QUEUE_MSIX) != MSIX_QUEUES) {
		refuse(v, "a queue has no register or no interrupt");
		return -ENODEV;
	}
	device_write16(v->common + QUEUE_SIZE, size);
	write_maddr(v->common + QUEUE_DESC, q->desc);
	write_maddr(v->common + QUEUE_AVAIL, q->avail);
	write_maddr(v->common + QUEUE_USED, q->used);
	device_write16(v->common + QUEUE_ENABLE, 1);
	return 0;
}

void virtio_start(struct virtio *v)
{
	add_status(v, STATUS_DRIVER_OK);
}

/* ---- the end ---- */

void virtio_stop(struct virtio *v)
{
	/* Both, for the second is the device's own promise. */
	pci_stop_dma(&v->pci);
	if (!reset(v, STOP_LIMIT_NS))
		log_warn("virtio %s: cannot be reset", v->name);
}

void virtio_break_locked(struct virtio *v, const char *rule)
{
	if (v->broken)
		return;
	v->broken = true;
	log_error("virtio %s: broken and stopped: %s", v->name, rule);
	virtio_stop(v);
}

void virtio_close(struct virtio *v)
{
	device_write8(v->common + STATUS, STATUS_FAILED);
	virtio_stop(v);
	for (unsigned int i = 0; i < v->queue_count; i++)
		virtqueue_free(&v->queues[i]);
	v->queue_count = 0;
}
