/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VBDs as the files of this room see them. All of it is guarded by block_lock
 * but what the data path reads: domain, flags, map, flush_disks and shares,
 * which are complete before a queue exists.
 */
#ifndef VBD_H
#define VBD_H

#include <hv/block.h>
#include <hv/domain.h>
#include <hv/domain_meter.h>
#include <hv/lock.h>

#include "extent_map.h"
#include "vbd_queue.h"

/* Extents that lie in the VBD's own page. */
#define VBD_INLINE_EXTENTS 128

struct vbd {
	struct list link; /* in vbd_list, by age */
	struct domain *domain;
	u32 id;
	u32 flags;
	u32 flush_disks; /* mask: those of its disks with a cache */
	u64 closing_since_ns;
	struct extent_map map;
	struct spinlock meter_lock; /* RANK_VBD_METER */
	struct xeno_meter_vbd *meter;
	struct vbd_counters past; /* of queues that are gone */
	struct vbd_queue *queues[XENO_VBD_QUEUES_MAX];
	struct extent inline_extents[VBD_INLINE_EXTENTS];
	u16 inline_order[VBD_INLINE_EXTENTS];
};

_Static_assert(sizeof(struct vbd) <= PAGE_SIZE, "one page");

/* A domain's VBDs; one page. */
struct block_state {
	u32 count;
	struct vbd *vbds[XENO_VBDS_PER_DOMAIN]; /* by id */
	struct disk_share shares[DISKS_MAX];
};

_Static_assert(sizeof(struct block_state) <= PAGE_SIZE, "one page");

extern struct spinlock block_lock; /* RANK_BLOCK */
extern struct list vbd_list;       /* of all domains */

/* vbd_create.c: frees a VBD without queues that is in no list. */
void vbd_free(struct vbd *v);
/* A VBD leaves vbd_list, or a domain goes: no creation may remember it. */
void vbd_create_forget(const struct vbd *v);
void vbd_create_abandon(const struct domain *d);

#endif
