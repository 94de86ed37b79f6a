/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connected ring of a VBD and its requests on their way. A request waits
 * in the guest's ring until there is room: then it becomes the queue's current
 * command, which is cut into pieces, one disk request each, that take a slot
 * until the disk is done. All memory is the queue's from connect on.
 *
 * Everything here is changed by the queue's work only, which never runs twice
 * at once, so none of it needs a lock; the disk hands slots back through
 * `done`, others ask by `closing` and look at `drained`.
 */
#ifndef VBD_QUEUE_H
#define VBD_QUEUE_H

#include <hv/disk.h>
#include <hv/event.h>
#include <hv/work.h>

#include <xeno/vbd.h>

#include "blkif_request.h"
#include "request_queue.h"
#include "shared_ring.h"

#define SLOT_SEGMENTS 35
#define SLOTS_PER_PAGE 5
/* Pages of slots: for a ring of one page, and for larger ones. */
#define SLOT_PAGES_SMALL 3
#define SLOT_PAGES_MAX 6
/* A command each, and the one that is being cut. */
#define JOBS_MAX (SLOT_PAGES_MAX * SLOTS_PER_PAGE + 1)

struct vbd;
struct vbd_queue;

/* A command of which something is in flight, or that is being cut. */
struct vbd_job {
	struct vbd_job *next; /* free */
	u64 id;
	u32 pieces; /* in flight */
	u8 operation;
	s16 status;
};

/* A disk request. Its segments lie in granted pages: the pages of all segments
 * in order are those of refs. */
struct vbd_slot {
	struct disk_request request;
	struct vbd_queue *queue;
	struct vbd_job *job;
	struct vbd_slot *next; /* free, or done */
	u32 disk;
	u32 cost_sectors;
	int status;
	u32 ref_count;
	u32 refs[SLOT_SEGMENTS];
	struct disk_segment segments[SLOT_SEGMENTS];
};

struct vbd_counters {
	u64 requests[DISK_OPS], bytes[DISK_OPS]; /* as the disks count */
	u64 errors, refused;
};

struct vbd_queue {
	struct vbd *vbd;
	struct domain *domain;
	struct work work;
	struct event_backend backend;
	struct vbd_slot *done; /* pushed by disks; atomic */
	u32 in_done;           /* disks that are about to; atomic */
	bool closing;          /* set once; nothing more is taken */
	bool drained;          /* after closing: nothing is in flight */
	bool broken;           /* the guest broke the protocol of the ring */
	struct shared_ring ring;
	u32 ring_refs[SHARED_RING_PAGES_MAX];
	struct vbd_counters counters;
	struct vbd_slot *reaped; /* done, and not yet answered */
	struct vbd_slot *free_slots;
	struct vbd_job *free_jobs;
	u32 in_flight; /* slots */
	void *slot_pages[SLOT_PAGES_MAX];
	/* The current command, when job is not NULL. */
	struct vbd_job *job;
	struct blkif_command command; /* sector and sectors: what is left */
	u32 segment, segment_sector;  /* where in the segments that begins */
	u32 flush_disks;              /* mask; still to be flushed */
	struct disk_waiter waiter;
	u32 waiter_disk;
	struct vbd_job jobs[JOBS_MAX];
	struct blkif_request_segment segments[BLKIF_SEGMENTS_MAX];
};

/* -EINVAL: bad pages, grants, indices or port; -ENOMEM. */
int vbd_queue_connect(struct vbd *vbd, const struct xeno_vbd_connect *c,
		      struct vbd_queue **out) MUST_CHECK;
/* Stops it; returns at once. May be repeated. */
void vbd_queue_close(struct vbd_queue *q);
/* After close: nothing is in flight any more, and its counters are final. */
bool vbd_queue_drained(const struct vbd_queue *q);
/* When drained: releases the guest's pages and q itself. */
void vbd_queue_free(struct vbd_queue *q);

/* vbd_io.c: what the work runs; and the start for a new queue's waiter. */
void vbd_io_init(struct vbd_queue *q);

#endif
