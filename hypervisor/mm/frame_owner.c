// SPDX-License-Identifier: Apache-2.0
/*
 * Which frames a domain owns: a list through the frames, and counts. A frame
 * joins its owner under mmu_lock and lock (so whoever holds either sees no
 * frame appear) and leaves it under lock, when it has no reference left.
 * FRAME_FLAG_SHARED frames are not in the list: they belong to the hypervisor's
 * state of the domain and go with it, one by one.
 *
 * A frame is handed over as "writable, validated, no type reference": the
 * allocator has flushed, and most frames become plain memory.
 */
#include <hv/errno.h>
#include <hv/lock.h>
#include <hv/log.h>
#include <hv/mm.h>

#include <arch/cpu.h>

#include "frame_inline.h"

#define OWNERS_MAX 1024 /* ids of domains */

static struct frame_owner *owners[OWNERS_MAX];

struct frame_owner *frame_owner_find(u16 id)
{
	return id < OWNERS_MAX ? READ_ONCE(owners[id]) : NULL;
}

void frame_owner_init(struct frame_owner *o, u16 id, u64 max_pages)
{
	CHECK(id < OWNERS_MAX);
	*o = (struct frame_owner){ .id = id, .max_pages = max_pages };
	spin_init(&o->lock, RANK_OWNER);
	spin_init(&o->mmu_lock, RANK_MMU);
	WRITE_ONCE(owners[id], o);
}

void frame_owner_exit(struct frame_owner *o)
{
	WRITE_ONCE(owners[o->id], NULL);
}

u32 frame_owners_freed;

void frame_owner_freed(void)
{
	__atomic_store_n(&frame_owners_freed, 1, __ATOMIC_SEQ_CST);
	cpu_kick(cpu_id(), CPU_WORK_RESCHED);
}

/* ---- the list; o->lock held ---- */

static void list_append(struct frame_owner *o, struct frame *f)
{
	u32 mfn = (u32)frame_mfn(f);
	struct frame *head, *tail;

	if (!o->head_mfn) {
		f->next_mfn = f->prev_mfn = mfn;
		o->head_mfn = mfn;
		return;
	}
	head = &frame_table[o->head_mfn];
	tail = &frame_table[head->prev_mfn];
	f->next_mfn = o->head_mfn;
	f->prev_mfn = head->prev_mfn;
	tail->next_mfn = mfn;
	head->prev_mfn = mfn;
}

static void list_remove(struct frame_owner *o, struct frame *f)
{
	u32 mfn = (u32)frame_mfn(f);

	if (f->next_mfn == mfn) {
		o->head_mfn = 0;
		return;
	}
	frame_table[f->prev_mfn].next_mfn = f->next_mfn;
	frame_table[f->next_mfn].prev_mfn = f->prev_mfn;
	if (o->head_mfn == mfn)
		o->head_mfn = f->next_mfn;
}

/* ---- joining ---- */

static int owner_charge(struct frame_owner *o, bool shared, u64 pages)
{
	int rc = 0;

	spin_lock(&o->lock);
	if (o->dying)
		rc = -EINVAL;
	else if (shared)
		o->state_pages += pages;
	else if (pages > o->max_pages || o->pages > o->max_pages - pages)
		rc = -ENOMEM;
	else
		o->pages += pages;
	spin_unlock(&o->lock);
	return rc;
}

static void owner_uncharge(struct frame_owner *o, bool shared, u64 pages)
{
	spin_lock(&o->lock);
	if (shared)
		o->state_pages -= pages;
	else
		o->pages -= pages;
	spin_unlock(&o->lock);
}

/* f is the hypervisor's, with one reference; kind: type bits it gets. */
static void owner_join(struct frame_owner *o, struct frame *f, u8 flags,
		       u64 kind)
{
	__atomic_store_n(&f->ref, 0, __ATOMIC_RELEASE);
	WRITE_ONCE(f->flags, FRAME_FLAG_RAM | flags);
	WRITE_ONCE(f->owner_id, o->id);
	if (!(flags & FRAME_FLAG_SHARED))
		list_append(o, f);
	__atomic_store_n(&f->ref, kind | FRAME_ALLOCATED | 1, __ATOMIC_RELEASE);
}

static int owner_alloc(struct frame_owner *o, unsigned int order, u64 limit,
		       u8 flags, struct frame **out)
{
	bool shared = flags & FRAME_FLAG_SHARED;
	struct frame *f;
	u64 i;
	int rc;

	if (order > FRAME_ORDER_MAX)
		return -EINVAL;
	rc = owner_charge(o, shared, 1UL << order);
	if (rc)
		return rc;
	f = frame_alloc_below(order, limit);
	if (!f) {
		owner_uncharge(o, shared, 1UL << order);
		return -ENOMEM;
	}
	spin_lock(&o->mmu_lock);
	spin_lock(&o->lock);
	for (i = 0; i < 1UL << order; i++) {
		m2p_set(frame_mfn(&f[i]), M2P_INVALID);
		owner_join(o, &f[i], flags, FRAME_KIND(FRAME_WRITABLE));
	}
	spin_unlock(&o->lock);
	spin_unlock(&o->mmu_lock);
	*out = f;
	return 0;
}

int frame_owner_alloc(struct frame_owner *o, u8 flags, struct frame **out)
{
	return owner_alloc(o, 0, ~0UL, flags, out);
}

int frame_owner_alloc_order(struct frame_owner *o, unsigned int order,
			    struct frame **out)
{
	return owner_alloc(o, order, ~0UL, 0, out);
}

int frame_owner_alloc_below(struct frame_owner *o, unsigned int order,
			    u64 limit, struct frame **out)
{
	return owner_alloc(o, order, limit ? limit : ~0UL, 0, out);
}

void frame_owner_give(struct frame_owner *o, struct frame *f)
{
	u64 kind = frame_load_ref(f) & FRAME_KIND_MASK;

	if (frame_type(kind) == FRAME_UNTYPED)
		kind = FRAME_KIND(FRAME_WRITABLE);
	spin_lock(&o->mmu_lock);
	spin_lock(&o->lock);
	o->pages++;
	owner_join(o, f, f->flags & FRAME_FLAG_FOREIGN, kind);
	spin_unlock(&o->lock);
	spin_unlock(&o->mmu_lock);
}

/* ---- leaving ---- */

/* f has no reference left: out of its owner's books. The type and the stamp
 * stay, for CPUs may still cache translations. o->lock held. */
static void owner_leave(struct frame_owner *o, struct frame *f)
{
	if (f->flags & FRAME_FLAG_SHARED) {
		o->state_pages--;
	} else {
		list_remove(o, f);
		o->pages--;
	}
	WRITE_ONCE(f->owner_id, OWNER_HV);
}

/* From "left its owner" to "held by the hypervisor once". */
static void frame_keep(struct frame *f)
{
	__atomic_store_n(&f->ref,
			 (frame_load_ref(f) & FRAME_KIND_MASK) | FRAME_HV | 1,
			 __ATOMIC_RELEASE);
}

/* After owner_leave: back to the allocator. */
static void frame_retire(struct frame *f)
{
	m2p_set(frame_mfn(f), M2P_INVALID);
	frame_keep(f);
	frame_free(f, 0);
}

void frame_last_put(struct frame *f)
{
	struct frame_owner *o;
	bool last;

	/* Only the hypervisor's own frames have no owner to leave, and those
	 * are freed, not put. */
	o = frame_owner_find(f->owner_id);
	CHECK(o);
	spin_lock(&o->lock);
	last = o->dying && ((f->flags & FRAME_FLAG_SHARED) || o->pages == 1);
	owner_leave(o, f);
	spin_unlock(&o->lock);
	/* From here on o may be gone. */
	frame_retire(f);
	if (last)
		frame_owner_freed();
}

/* Takes the allocation, the only reference left, away; under o->lock, which
 * keeps f's owner from changing under our eyes. */
static int owner_detach(struct frame_owner *o, struct frame *f, u8 shared)
{
	u64 ref;
	int rc = -EINVAL;

	spin_lock(&o->lock);
	ref = frame_load_ref(f);
	if (READ_ONCE(f->owner_id) != o->id ||
	    (READ_ONCE(f->flags) & FRAME_FLAG_SHARED) != shared)
		goto out;
	do {
		if (!(ref & FRAME_ALLOCATED))
			goto out;
		rc = -EBUSY;
		if ((ref & FRAME_COUNT_MASK) != 1)
			goto out;
		rc = -EINVAL;
	} while (!frame_cas_ref(f, &ref, (ref & FRAME_KIND_MASK)));
	owner_leave(o, f);
	rc = 0;
out:
	spin_unlock(&o->lock);
	return rc;
}

int frame_owner_steal(struct frame_owner *o, struct frame *f)
{
	int rc = owner_detach(o, f, 0);

	if (!rc)
		frame_keep(f);
	return rc;
}

int frame_owner_release(struct frame_owner *o, struct frame *f)
{
	int rc = owner_detach(o, f, 0);

	if (!rc)
		frame_retire(f);
	return rc;
}

int frame_owner_release_shared(struct frame_owner *o, struct frame *f)
{
	int rc = owner_detach(o, f, FRAME_FLAG_SHARED);

	if (!rc)
		frame_retire(f);
	return rc;
}

/* ---- tear-down ---- */

void frame_owner_abandon_shared(struct frame_owner *o, struct frame *f)
{
	u64 ref =
		__atomic_fetch_and(&f->ref, ~FRAME_ALLOCATED, __ATOMIC_ACQ_REL);

	CHECK(f->owner_id == o->id && (ref & FRAME_ALLOCATED));
	frame_put_inline(f);
}

/*
 * The next frame that still has its allocation, with a reference, or NULL.
 * Frames seen go to the end of the list, so those that others keep alive
 * gather there and the first one without allocation ends the search.
 */
static struct frame *destroy_next(struct frame_owner *o)
{
	struct frame *f = NULL;

	spin_lock(&o->lock);
	if (o->head_mfn) {
		f = &frame_table[o->head_mfn];
		if ((frame_load_ref(f) & FRAME_ALLOCATED) &&
		    frame_get_inline(f, o->id))
			o->head_mfn = f->next_mfn;
		else
			f = NULL;
	}
	spin_unlock(&o->lock);
	return f;
}

/* mmu_lock held; the caller's reference keeps f. */
static void destroy_frame(struct frame_owner *o, struct frame *f)
{
	u64 ref = frame_load_ref(f);
	u64 drop;

	table_abandon_locked(o, f);
	do
		drop = ref & (FRAME_PINNED | FRAME_ALLOCATED);
	while (!frame_cas_ref(f, &ref, ref & ~drop));
	if (drop & FRAME_PINNED)
		table_unref_locked(o, f);
	if (drop & FRAME_ALLOCATED)
		frame_put_inline(f);
}

int frame_owner_destroy(struct frame_owner *o, unsigned int budget)
{
	int left = (int)budget;
	int rc = 0;

	spin_lock(&o->lock);
	WRITE_ONCE(o->dying, true);
	spin_unlock(&o->lock);

	spin_lock(&o->mmu_lock);
	while (!rc) {
		struct frame *f = NULL;

		rc = frame_drain_locked(o, &left);
		if (!rc && left <= 0)
			rc = -ERESTART;
		if (!rc)
			f = destroy_next(o);
		if (!f)
			break;
		left--;
		destroy_frame(o, f);
		frame_put_inline(f);
	}
	spin_unlock(&o->mmu_lock);
	if (rc)
		return rc;
	spin_lock(&o->lock);
	rc = o->pages ? -EBUSY : 0;
	spin_unlock(&o->lock);
	return rc;
}
