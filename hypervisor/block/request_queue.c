// SPDX-License-Identifier: Apache-2.0
/* Turns at disks (contract in request_queue.h). */
#include "request_queue.h"

#include <hv/disk.h>
#include <hv/lock.h>

/* A sector takes that much time at weight 1, so that weights divide well. */
#define TIME_PER_SECTOR 256U
#define LAG ((u64)SHARE_LAG_SECTORS * TIME_PER_SECTOR / SHARE_WEIGHT_DEFAULT)

struct disk_queue {
	struct spinlock lock;
	bool ready;
	u32 in_flight;
	u32 in_flight_sectors;
	struct heap shares; /* with somebody waiting, by beginning */
	u64 order;          /* for equal beginnings */
	u64 now;            /* beginning of what was served last */
} ALIGNED(64);

static struct disk_queue disk_queues[DISKS_MAX];

void disk_queue_init(u32 disk)
{
	struct disk_queue *q = &disk_queues[disk];

	if (q->ready)
		return;
	spin_init(&q->lock, RANK_DISK_QUEUE);
	q->now = LAG;
	q->ready = true;
}

void disk_share_init(struct disk_share *s)
{
	list_init(&s->waiting);
	s->weight = SHARE_WEIGHT_DEFAULT;
	s->end = 0;
}

static bool has_room(const struct disk_queue *q, u32 cost_sectors)
{
	return !q->in_flight || (q->in_flight < DISK_IN_FLIGHT_MAX &&
				 q->in_flight_sectors + cost_sectors <=
					 DISK_IN_FLIGHT_SECTORS_MAX);
}

static u64 beginning(const struct disk_queue *q, const struct disk_share *s)
{
	return MAX(s->end, q->now - LAG);
}

static u64 duration(const struct disk_share *s, u32 cost_sectors)
{
	return (u64)cost_sectors * TIME_PER_SECTOR / s->weight;
}

static void account(struct disk_queue *q, struct disk_share *s, u64 begin,
		    u32 cost_sectors)
{
	s->end = begin + duration(s, cost_sectors);
	q->now = MAX(q->now, begin);
	q->in_flight++;
	q->in_flight_sectors += cost_sectors;
}

static void unaccount(struct disk_queue *q, u32 cost_sectors)
{
	q->in_flight--;
	q->in_flight_sectors -= cost_sectors;
}

static void link_share(struct disk_queue *q, struct disk_share *s, u64 begin)
{
	s->node.key = begin;
	s->node.order = q->order++;
	heap_insert(&q->shares, &s->node);
}

static void serve(struct disk_queue *q)
{
	while (q->shares.root) {
		struct disk_share *s =
			container_of(q->shares.root, struct disk_share, node);
		struct disk_waiter *w =
			container_of(s->waiting.next, struct disk_waiter, link);

		if (!has_room(q, w->cost_sectors))
			return;
		heap_remove(&q->shares, &s->node);
		list_del(&w->link);
		account(q, s, MAX(s->node.key, beginning(q, s)),
			w->cost_sectors);
		if (!list_empty(&s->waiting))
			link_share(q, s, s->end);
		w->state = WAITER_GRANTED;
		w->turn(w);
	}
}

static bool enter_locked(struct disk_queue *q, struct disk_share *s,
			 struct disk_waiter *w, u32 cost_sectors)
{
	if (w->state == WAITER_WAITING)
		return false;
	if (w->state == WAITER_GRANTED) {
		w->state = WAITER_IDLE;
		return true;
	}
	w->cost_sectors = cost_sectors;
	/* Past those who wait for more room than this needs, but only while
	 * it is this domain's turn. */
	if (list_empty(&s->waiting)) {
		u64 begin = beginning(q, s);

		if (has_room(q, cost_sectors) &&
		    (!q->shares.root || begin < q->shares.root->key)) {
			account(q, s, begin, cost_sectors);
			return true;
		}
		link_share(q, s, begin);
	}
	list_add_tail(&s->waiting, &w->link);
	w->state = WAITER_WAITING;
	return false;
}

bool disk_queue_enter(u32 disk, struct disk_share *s, struct disk_waiter *w,
		      u32 cost_sectors)
{
	struct disk_queue *q = &disk_queues[disk];
	bool now;

	spin_lock(&q->lock);
	now = enter_locked(q, s, w, cost_sectors);
	spin_unlock(&q->lock);
	return now;
}

bool disk_queue_refused(u32 disk, struct disk_share *s, struct disk_waiter *w)
{
	struct disk_queue *q = &disk_queues[disk];
	bool wait;

	spin_lock(&q->lock);
	unaccount(q, w->cost_sectors);
	s->end -= duration(s, w->cost_sectors);
	wait = q->in_flight != 0;
	if (wait) {
		if (!list_empty(&s->waiting))
			heap_remove(&q->shares, &s->node);
		list_add(&s->waiting, &w->link);
		link_share(q, s, 0);
		w->state = WAITER_WAITING;
	}
	spin_unlock(&q->lock);
	return wait;
}

void disk_queue_leave(u32 disk, u32 cost_sectors)
{
	struct disk_queue *q = &disk_queues[disk];

	spin_lock(&q->lock);
	unaccount(q, cost_sectors);
	serve(q);
	spin_unlock(&q->lock);
}

void disk_queue_cancel(u32 disk, struct disk_share *s, struct disk_waiter *w)
{
	struct disk_queue *q = &disk_queues[disk];

	spin_lock(&q->lock);
	if (w->state == WAITER_WAITING) {
		list_del(&w->link);
		if (list_empty(&s->waiting))
			heap_remove(&q->shares, &s->node);
	} else if (w->state == WAITER_GRANTED) {
		unaccount(q, w->cost_sectors);
	}
	w->state = WAITER_IDLE;
	serve(q);
	spin_unlock(&q->lock);
}
