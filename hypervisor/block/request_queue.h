/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose turn it is at a disk. What has been submitted to a disk is bounded;
 * beyond that, those who want to submit wait here, and domains are served by
 * start-time fair queueing: time is counted in sectors over weight, each
 * request of a domain begins where its last one ended, or now, and the earliest
 * beginning is served first. (Deficit round robin took from those with small
 * requests: between two of them they were not in the round.) A domain that
 * comes back may begin a little before now, so a short absence costs nothing;
 * a domain alone at a disk never waits for others.
 *
 * One lock per disk, RANK_DISK_QUEUE; turn runs under it and may only queue
 * work.
 */
#ifndef REQUEST_QUEUE_H
#define REQUEST_QUEUE_H

#include <hv/heap.h>
#include <hv/list.h>
#include <hv/types.h>

/* In flight per disk: enough to keep a device busy, and so few that whoever
 * comes with one request is not long behind the others. */
#define DISK_IN_FLIGHT_MAX 32
#define DISK_IN_FLIGHT_SECTORS_MAX 2048
/* How far before now one may begin, in sectors of weight 1. */
#define SHARE_LAG_SECTORS 512
#define SHARE_WEIGHT_DEFAULT 16
#define SHARE_WEIGHT_MAX 256

/* A domain at a disk; the disk's lock. */
struct disk_share {
	struct heap_node node; /* while somebody waits; key: its beginning */
	struct list waiting;   /* struct disk_waiter */
	u64 end;               /* of its last request */
	u32 weight;            /* 1..SHARE_WEIGHT_MAX */
};

enum waiter_state { WAITER_IDLE, WAITER_WAITING, WAITER_GRANTED };

/* Who asks, for one request at a time; the lock of the disk it asks. */
struct disk_waiter {
	struct list link;
	enum waiter_state state;
	u32 cost_sectors;
	/* Its turn has come: it must call enter again, or cancel. */
	void (*turn)(struct disk_waiter *w);
};

/* Before the first use of a disk; may be repeated, by one caller at a time. */
void disk_queue_init(u32 disk);
void disk_share_init(struct disk_share *s);

/* True: submit now, one request, and call leave when it is done. False: wait
 * for turn. The cost is the same when called again. */
bool disk_queue_enter(u32 disk, struct disk_share *s, struct disk_waiter *w,
		      u32 cost_sectors) MUST_CHECK;
/* After an enter that said true the disk did not take the request: w waits
 * again, before all others. False: nothing is in flight whose end would give
 * it its turn, so it must ask again by itself; it does not wait. */
bool disk_queue_refused(u32 disk, struct disk_share *s, struct disk_waiter *w)
	MUST_CHECK;
/* A request is done, or was not submitted after all. */
void disk_queue_leave(u32 disk, u32 cost_sectors);
/* Gives up waiting, or the turn. */
void disk_queue_cancel(u32 disk, struct disk_share *s, struct disk_waiter *w);

#endif
