/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtio devices over PCI, by the modern interface only (virtio 1.1, 4.1):
 * features, configuration, queues, and the end of a device that lies.
 */
#ifndef DRIVERS_VIRTIO_H
#define DRIVERS_VIRTIO_H

#include <hv/lock.h>
#include <hv/types.h>

#include "pci.h"
#include "virtqueue.h"

#define VIRTIO_VENDOR 0x1af4
#define VIRTIO_F_INDIRECT (1UL << 28)
#define VIRTIO_F_EVENT_IDX (1UL << 29)
#define VIRTIO_F_VERSION_1 (1UL << 32)

#define VIRTIO_QUEUES_MAX 2
#define VIRTIO_CONFIG_BYTES 256

struct virtio {
	struct pci_function pci;
	char name[PCI_NAME_BYTES];
	struct spinlock lock; /* RANK_DEVICE: the queues, broken */
	bool broken;          /* it lied, and has been stopped */
	u64 features;         /* agreed on */
	u8 *common;
	u8 *config; /* its own part */
	u32 config_bytes;
	u32 notify_scale;
	u32 notify_bytes;
	u8 notify_bar;
	u64 notify_offset;
	unsigned int cpu; /* where its interrupts go */
	unsigned int queue_count;
	struct virtqueue queues[VIRTIO_QUEUES_MAX];
};

/* Finds the registers, resets the device, agrees on those of `wanted` features
 * that it offers. -ENODEV, with a line in the log: not one we can use. */
int virtio_open(struct virtio *v, const struct pci_function *f, u64 wanted)
	MUST_CHECK;
/* A queue of at most size descriptors, for chains of at most limit; a short
 * queue lowers its limit. Queues are opened in the order of their numbers.
 * -ENODEV, -ENOMEM. */
int virtio_open_queue(struct virtio *v, u16 size, u16 limit) MUST_CHECK;
/* Interrupts of queues go to handler; changed, if not NULL, is called when the
 * device says its configuration changed. Before the queues. */
int virtio_open_interrupts(struct virtio *v, void (*handler)(void *data),
			   void (*changed)(void *data), void *data) MUST_CHECK;
/* From here on the device works. */
void virtio_start(struct virtio *v);
/* No DMA and no interrupts after this; the queues' chains may be taken back. */
void virtio_stop(struct virtio *v);
/* The same, because the device broke the rules: logs which. The lock is held.
 */
void virtio_break_locked(struct virtio *v, const char *rule);
/* Stops it and gives its memory back: it is not used at all. */
void virtio_close(struct virtio *v);

static inline bool virtio_has(const struct virtio *v, u64 feature)
{
	return v->features & feature;
}

/* The device's own configuration; what lies beyond its end reads as 0. */
u8 virtio_config8(const struct virtio *v, u32 offset);
u16 virtio_config16(const struct virtio *v, u32 offset);
u32 virtio_config32(const struct virtio *v, u32 offset);
/* Of two reads that must fit each other. */
u64 virtio_config64(const struct virtio *v, u32 offset);

/* The drivers: take f if they know it. */
void virtio_blk_found(const struct pci_function *f);
void virtio_net_found(const struct pci_function *f);

#endif
