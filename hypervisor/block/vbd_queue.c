// SPDX-License-Identifier: Apache-2.0
/*
 * Life of a queue (contract in vbd_queue.h): everything it will need is taken
 * at connect, and given back when nothing can reach it any more, neither the
 * guest's notifications, nor a disk, nor a turn. Called under block_lock.
 */
#include "vbd_queue.h"

#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/mm.h>

#include "vbd.h"

_Static_assert(sizeof(struct vbd_queue) <= PAGE_SIZE, "one page");
_Static_assert(sizeof(struct vbd_slot) * SLOTS_PER_PAGE <= PAGE_SIZE,
	       "one page");
_Static_assert(SHARED_RING_PAGES_MAX == XENO_VBD_RING_PAGES_MAX,
	       "vbd.h names our limit");

/* Under the domain's event lock. A front end notifies of each request until its
 * ring is looked at: while the disk has something to do, more may gather. */
static void notified(struct event_backend *b)
{
	struct vbd_queue *q = container_of(b, struct vbd_queue, backend);

	if (READ_ONCE(q->in_flight))
		work_queue_late(&q->work);
	else
		work_queue(&q->work);
}

static void unmap_ring(struct vbd_queue *q)
{
	while (q->ring.page_count) {
		u32 i = --q->ring.page_count;

		grant_release(q->domain, q->ring_refs[i], true,
			      frame_of_mfn(virt_to_mfn(q->ring.pages[i])));
	}
}

static int map_ring(struct vbd_queue *q, const u32 *refs, u32 page_count)
{
	for (u32 i = 0; i < page_count; i++) {
		struct frame *f;

		if (grant_acquire(q->domain, DOMID_BACKEND, refs[i], true,
				  &f)) {
			unmap_ring(q);
			return -EINVAL;
		}
		q->ring_refs[i] = refs[i];
		q->ring.pages[i] = mfn_to_virt(frame_mfn(f));
		q->ring.page_count++;
	}
	return 0;
}

static void free_pages(struct vbd_queue *q)
{
	struct frame_owner *owner = &q->domain->owner;

	for (u32 i = 0; i < SLOT_PAGES_MAX && q->slot_pages[i]; i++)
		state_page_free(owner, q->slot_pages[i]);
	state_page_free(owner, q);
}

static struct vbd_queue *alloc_pages(struct vbd *vbd, u32 slot_pages)
{
	struct frame_owner *owner = &vbd->domain->owner;
	struct vbd_queue *q = state_page_alloc(owner);

	if (!q)
		return NULL;
	q->vbd = vbd;
	q->domain = vbd->domain;
	for (u32 i = 0; i < slot_pages; i++) {
		q->slot_pages[i] = state_page_alloc(owner);
		if (!q->slot_pages[i]) {
			free_pages(q);
			return NULL;
		}
	}
	return q;
}

int vbd_queue_connect(struct vbd *vbd, const struct xeno_vbd_connect *c,
		      struct vbd_queue **out)
{
	struct vbd_queue *q;
	int rc;

	if (!c->ring_pages || c->ring_pages > SHARED_RING_PAGES_MAX ||
	    c->ring_pages & (c->ring_pages - 1))
		return -EINVAL;
	q = alloc_pages(vbd,
			c->ring_pages == 1 ? SLOT_PAGES_SMALL : SLOT_PAGES_MAX);
	if (!q)
		return -ENOMEM;
	vbd_io_init(q);
	rc = map_ring(q, c->ring_refs, c->ring_pages);
	if (!rc && !shared_ring_start(&q->ring))
		rc = -EINVAL;
	if (!rc)
		rc = event_backend_bind(&q->backend, q->domain, c->port,
					notified);
	if (rc) {
		unmap_ring(q);
		free_pages(q);
		return rc;
	}
	/* Requests may be waiting, and their notification is over. */
	work_queue(&q->work);
	*out = q;
	return 0;
}

void vbd_queue_close(struct vbd_queue *q)
{
	if (q->closing)
		return;
	event_backend_unbind(&q->backend);
	__atomic_store_n(&q->closing, true, __ATOMIC_RELEASE);
	work_queue(&q->work);
}

bool vbd_queue_drained(const struct vbd_queue *q)
{
	return __atomic_load_n(&q->drained, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&q->in_done, __ATOMIC_ACQUIRE);
}

void vbd_queue_free(struct vbd_queue *q)
{
	work_cancel(&q->work);
	unmap_ring(q);
	free_pages(q);
}
