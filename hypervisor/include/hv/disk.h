/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plug of disks: drivers register disks, the block room sends requests to
 * them. Neither knows the other. Sectors are 512 bytes.
 */
#ifndef HV_DISK_H
#define HV_DISK_H

#include <hv/list.h>
#include <hv/types.h>

#define DISKS_MAX 16
#define DISK_SEGMENTS_MAX 64

enum disk_op { DISK_READ, DISK_WRITE, DISK_FLUSH, DISK_DISCARD, DISK_OPS };

/* disk->flags */
#define DISK_READ_ONLY 1
#define DISK_HAS_FLUSH 2 /* a volatile cache */
#define DISK_HAS_DISCARD 4

struct disk_segment {
	u64 maddr; /* of memory that stays pinned until done */
	u32 bytes; /* multiple of 512, not 0 */
};

/* Owned by whoever submits it, untouched by him from submit until done. */
struct disk_request {
	struct list link; /* the driver's */
	enum disk_op op;
	u64 sector, sectors;           /* within the disk; FLUSH: 0 */
	u32 segment_count;             /* 0 for FLUSH and DISCARD */
	struct disk_segment *segments; /* their sum is sectors * 512 */
	/* 0 or -EIO. Called from deferred work or an interrupt of any CPU,
	 * with none of the driver's locks held. May submit again. */
	void (*done)(struct disk_request *r, int status);
};

struct disk {
	u32 id; /* index of disk_find */
	u32 flags;
	u64 sectors;
	u32 physical_block_bytes;
	u32 segments_max;      /* per request, 1..DISK_SEGMENTS_MAX */
	u32 segment_bytes_max; /* of one segment, at least a page */
	u64 discard_sectors_max;
	char name[32], serial[32];
	/* Done, those that failed included; bytes of the others. Atomic. */
	u64 requests[DISK_OPS], bytes[DISK_OPS], errors;
	const struct disk_driver *driver;
};

struct disk_driver {
	/* Takes the request, or -EBUSY: full, ask again when one is done. Any
	 * CPU. Nothing need happen before kick. */
	int (*submit)(struct disk *d, struct disk_request *r);
	/* Tells the device of what has been submitted. */
	void (*kick)(struct disk *d);
};

/* Boot only: d stays; gives it its id. -ENOSPC. */
int disk_register(struct disk *d) MUST_CHECK;
/* NULL: no such disk. */
struct disk *disk_find(u32 id);

static inline int disk_submit(struct disk *d, struct disk_request *r)
{
	return d->driver->submit(d, r);
}

static inline void disk_kick(struct disk *d)
{
	d->driver->kick(d);
}

#endif
