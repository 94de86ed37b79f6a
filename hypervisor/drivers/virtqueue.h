/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Split virtqueues (virtio 1.1, 2.6), with indirect descriptors and event
 * indices where the device has them. The owner's lock guards a queue.
 *
 * Everything in the rings may be changed by the device at any time; so it is
 * never read back, but for the used ring, every element of which is checked:
 * it must name a chain that the device has, and claim no more bytes than the
 * chain has room for. What must be true is kept in private memory.
 */
#ifndef DRIVERS_VIRTQUEUE_H
#define DRIVERS_VIRTQUEUE_H

#include <hv/types.h>

#define VIRTQUEUE_SIZE_MAX 256
/* Of a chain; an indirect table of so many fits a page. */
#define VIRTQUEUE_CHAIN_MAX 80

/* What must be known of a buffer: the device reads it, or writes it. */
struct virtqueue_buffer {
	u64 maddr;
	u32 bytes;
};

struct virtq_desc {
	u64 maddr;
	u32 bytes;
	u16 flags, next;
};

struct virtq_used_elem {
	u32 id, bytes;
};

/* Private: of each descriptor of the table. */
struct virtqueue_slot {
	void *token;    /* of the chain that starts here; NULL: none does */
	u32 in_bytes;   /* room for the device's writes */
	u16 next;       /* of the free ones, or of its chain */
	u16 chain_size; /* descriptors of the table it occupies */
};

struct virtqueue {
	u16 size;  /* power of two */
	u16 limit; /* chain length; more would need a larger table */
	bool indirect, event_idx;
	bool broken;   /* the device lied; nothing is believed since */
	u16 free_head; /* of the slots that are free */
	u16 free_count;
	u16 avail_idx; /* what the device is told, and was last told of */
	u16 kicked_idx;
	u16 used_idx;  /* next to look at */
	u16 in_flight; /* chains */
	u8 *notify;    /* the register that tells the device */
	u16 index;     /* what is written there */
	struct virtqueue_slot *slots;
	/* Shared with the device. */
	struct virtq_desc *desc;
	u16 *avail; /* flags, idx, ring, used_event */
	u16 *used;  /* flags, idx, ring of elements, avail_event */
	struct virtq_desc *tables[VIRTQUEUE_SIZE_MAX]; /* indirect, per slot */
};

/* Memory for size descriptors (a power of two, at most VIRTQUEUE_SIZE_MAX) and
 * chains of at most limit buffers. -ENOMEM: what was taken stays with q, for
 * virtqueue_free. */
int virtqueue_alloc(struct virtqueue *q, u16 size, u16 limit, bool indirect)
	MUST_CHECK;
/* The device must have been stopped. */
void virtqueue_free(struct virtqueue *q);

/* Offers a chain: `out` buffers that the device reads, then `in` ones that it
 * writes. token comes back when it is done; not NULL. -EBUSY: no room. */
int virtqueue_add(struct virtqueue *q, const struct virtqueue_buffer *buffers,
		  u32 out, u32 in, void *token) MUST_CHECK;
/* Tells the device of what was added since last time, if it wants to know. */
void virtqueue_kick(struct virtqueue *q);

/* The next chain that the device is done with, and how many bytes it says it
 * wrote; NULL: none, or q->broken. */
void *virtqueue_take(struct virtqueue *q, u32 *written_bytes);
/* No interrupts while the owner looks by himself. */
void virtqueue_quiet(struct virtqueue *q);
/* Interrupts again. True: something was done meanwhile, look once more. */
bool virtqueue_listen(struct virtqueue *q);
/* For a stopped device: any chain it still had; NULL: none. */
void *virtqueue_take_back(struct virtqueue *q);

#endif
