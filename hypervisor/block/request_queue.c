// SPDX-License-Identifier: Apache-2.0
/* Turns at disks (contract in request_queue.h). */
#include "request_queue.h"

#include <hv/disk.h>
#include <hv/lock.h>

struct disk_queue {
	struct spinlock lock;
	struct list shares; /* that wait; the first is served next */
	u32 in_flight;
	u32 in_flight_sectors;
} ALIGNED(64);

static struct disk_queue disk_queues[DISKS_MAX];

void disk_queue_init(u32 disk)
{
	struct disk_queue *q = &disk_queues[disk];

	if (q->shares.next)
		return;
	spin_init(&q->lock, RANK_DISK_QUEUE);
	list_init(&q->shares);
}

void disk_share_init(struct disk_share *s)
{
	list_init(&s->link);
	list_init(&s->waiting);
	s->weight = SHARE_WEIGHT_DEFAULT;
	s->credit_sectors = 0;
}

static bool has_room(const struct disk_queue *q, u32 cost_sectors)
{
	return !q->in_flight || (q->in_flight < DISK_IN_FLIGHT_MAX &&
				 q->in_flight_sectors + cost_sectors <=
					 DISK_IN_FLIGHT_SECTORS_MAX);
}

static void account(struct disk_queue *q, u32 cost_sectors)
{
	q->in_flight++;
	q->in_flight_sectors += cost_sectors;
}

static void unlink_waiter(struct disk_share *s, struct disk_waiter *w)
{
	list_del(&w->link);
	if (list_empty(&s->waiting))
		list_del(&s->link);
}

/* Gives turns while there is room. Each pass over the waiting shares adds to
 * their credit, so it ends after REQUEST_COST_MAX / SHARE_QUANTUM_SECTORS of
 * them at the latest; what was given remains, so long searches are rare. */
static void serve(struct disk_queue *q)
{
	while (!list_empty(&q->shares)) {
		struct disk_share *s =
			container_of(q->shares.next, struct disk_share, link);
		struct disk_waiter *w =
			container_of(s->waiting.next, struct disk_waiter, link);

		if (!has_room(q, w->cost_sectors))
			return;
		if (s->credit_sectors < w->cost_sectors) {
			s->credit_sectors += SHARE_QUANTUM_SECTORS * s->weight;
			list_del(&s->link);
			list_add_tail(&q->shares, &s->link);
			continue;
		}
		s->credit_sectors -= w->cost_sectors;
		unlink_waiter(s, w);
		w->state = WAITER_GRANTED;
		account(q, w->cost_sectors);
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
	if (has_room(q, cost_sectors)) {
		if (list_empty(&q->shares)) {
			account(q, cost_sectors);
			return true;
		}
		if (list_empty(&s->link) && s->credit_sectors >= cost_sectors) {
			s->credit_sectors -= cost_sectors;
			account(q, cost_sectors);
			return true;
		}
	}
	w->state = WAITER_WAITING;
	w->cost_sectors = cost_sectors;
	list_add_tail(&s->waiting, &w->link);
	if (!list_empty(&s->link))
		return false;
	/* Its turn has not ended while it has credit. */
	if (s->credit_sectors >= cost_sectors)
		list_add(&q->shares, &s->link);
	else
		list_add_tail(&q->shares, &s->link);
	return false;
}

bool disk_queue_enter(u32 disk, struct disk_share *s, struct disk_waiter *w,
		      u32 cost_sectors)
{
	struct disk_queue *q = &disk_queues[disk];
	bool now;

	spin_lock(&q->lock);
	now = enter_locked(q, s, w, cost_sectors);
	if (now)
		w->cost_sectors = cost_sectors;
	spin_unlock(&q->lock);
	return now;
}

bool disk_queue_refused(u32 disk, struct disk_share *s, struct disk_waiter *w)
{
	struct disk_queue *q = &disk_queues[disk];
	bool wait;

	spin_lock(&q->lock);
	q->in_flight--;
	q->in_flight_sectors -= w->cost_sectors;
	wait = q->in_flight != 0;
	if (wait) {
		w->state = WAITER_WAITING;
		s->credit_sectors += w->cost_sectors;
		list_add(&s->waiting, &w->link);
		list_del(&s->link);
		list_add(&q->shares, &s->link);
	}
	spin_unlock(&q->lock);
	return wait;
}

void disk_queue_leave(u32 disk, u32 cost_sectors)
{
	struct disk_queue *q = &disk_queues[disk];

	spin_lock(&q->lock);
	q->in_flight--;
	q->in_flight_sectors -= cost_sectors;
	serve(q);
	spin_unlock(&q->lock);
}

void disk_queue_cancel(u32 disk, struct disk_share *s, struct disk_waiter *w)
{
	struct disk_queue *q = &disk_queues[disk];

	spin_lock(&q->lock);
	if (w->state == WAITER_WAITING) {
		unlink_waiter(s, w);
	} else if (w->state == WAITER_GRANTED) {
		q->in_flight--;
		q->in_flight_sectors -= w->cost_sectors;
	}
	w->state = WAITER_IDLE;
	serve(q);
	spin_unlock(&q->lock);
}
