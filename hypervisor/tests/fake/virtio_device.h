/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A PCI machine with virtio devices made of arrays, for the drivers' tests.
 * Configuration space is reached by ports or as memory; registers behave as
 * virtio 1.1 says, but each of them, and what the device does with its queues,
 * can be made to lie. Memory handed out lies between poisoned pages.
 */
#ifndef TESTS_VIRTIO_DEVICE_H
#define TESTS_VIRTIO_DEVICE_H

#include <hv/disk.h>
#include <hv/types.h>
#include <hv/uplink.h>

#define FAKE_ECAM_MADDR 0xb0000000UL
#define FAKE_BARS_MADDR 0xe0000000UL
#define FAKE_QUEUES 2
#define FAKE_BUFFERS_MAX 300

/* Offsets of registers within BAR 4, and of capabilities. */
#define FAKE_COMMON 0x0000
#define FAKE_DEVICE 0x2000
#define FAKE_NOTIFY 0x3000
#define FAKE_BAR4_BYTES 0x4000
#define FAKE_CAP_MSIX 0x40
#define FAKE_CAP_COMMON 0x50
#define FAKE_CAP_NOTIFY 0x64
#define FAKE_CAP_DEVICE 0x78

struct fake_queue {
	u16 max, size, msix, enabled, notify_off;
	u64 desc, avail, used;
	u16 seen; /* available chains taken */
};

struct fake_function {
	bool there;
	u8 bus, devfn;
	u8 space[256];
	u64 bar_bytes[6];
	/* The virtio device, if it is one. */
	u64 offered, agreed;
	u32 feature_select, driver_select;
	u16 config_msix, queue_select, num_queues;
	u8 status, generation;
	bool never_resets, never_agrees, no_vectors;
	u8 config[256];
	struct fake_queue queues[FAKE_QUEUES];
	u64 notified; /* how often */
	/* Called when the driver notifies it. */
	void (*on_notify)(struct fake_function *f, u16 queue);
	u8 msix[64];
};

extern struct fake_function fake_functions[8];
extern struct fake_function *fake_device; /* the first virtio device */
extern u64 fake_frames_live;              /* handed out, not given back */

/* Where no device is: as on a real bus; else it is a panic. */
extern bool fake_nothing_reads_as_ones;

/* What the plugs were given last. */
extern struct disk *fake_disk;
extern struct uplink *fake_uplink;

void fake_start(void);
void fake_stop(void);
struct fake_function *fake_function_add(u8 bus, u8 devfn, u16 vendor,
					u16 device);
/* A working virtio device of that kind (its device id). */
struct fake_function *fake_virtio_add(u8 bus, u8 devfn, u16 device,
				      u64 features);
void fake_put16(u8 *at, u16 value);
void fake_put32(u8 *at, u32 value);
void fake_put64(u8 *at, u64 value);

/* Calls the handler of message i of the last device, if it is unmasked. */
void fake_interrupt(unsigned int i);

/* ---- the device's side of a queue ---- */

struct fake_chain {
	u16 head;
	unsigned int count;
	struct {
		u64 maddr;
		u32 bytes;
		bool writable;
	} buffers[FAKE_BUFFERS_MAX];
};

/* The next chain the driver offers; false: none. */
bool fake_take(struct fake_function *f, u16 queue, struct fake_chain *c);
/* Says that a chain is done. */
void fake_done(struct fake_function *f, u16 queue, u32 id, u32 bytes);
void *fake_memory(u64 maddr);

/* Serves every request of a disk whose contents are `sectors` of 512 bytes. */
extern u8 fake_disk_data[64 * 512];
extern u8 fake_disk_status;         /* what requests end with */
extern unsigned int fake_types[16]; /* requests served, by type */
void fake_serve_disk(struct fake_function *f, u16 queue);

/* A domain's page, mapped writable somewhere; its machine address. */
u64 fake_guest_page(void);

#endif
