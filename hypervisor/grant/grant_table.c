/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The granter's side (contract in hv/grant.h): shared frames, and pinning of
 * what an entry grants. The first pin copies domain and frame out of the
 * shared entry; later ones use that copy, whatever the guest writes there.
 */
#include "grant_table.h"

#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/mm.h>

/* Tries to mark an entry that the guest keeps changing. */
#define CLAIM_TRIES 8
/* Bits an entry of version 1 may carry: cache attributes are not honoured,
 * sub-page grants and transfers do not exist. */
#define ENTRY_FLAGS_MASK (GTF_type_mask | GTF_sub_page)

int grant_domain_init(struct domain *d)
{
	struct grant_table *t = domain_grant_part(d);

	spin_init(&t->lock, RANK_GRANT);
	t->maptrack_free = MAPTRACK_NONE;
	d->grants = t;
	return 0;
}

u32 grant_frame_count(const struct domain *d)
{
	return READ_ONCE(d->grants->nr_frames);
}

u64 grant_frame_mfn(const struct domain *d, u32 idx)
{
	return d->grants->shared_mfn[idx];
}

int grant_setup(struct domain *d, u32 nr_frames)
{
	struct grant_table *t = d->grants;
	struct frame *f;
	int rc = 0;

	if (nr_frames > GRANT_MAX_FRAMES)
		return -EINVAL;
	spin_lock(&t->lock);
	while (t->nr_frames < nr_frames) {
		rc = frame_owner_alloc(&d->owner, FRAME_FLAG_SHARED, &f);
		if (rc)
			break;
		/* No pseudo-physical frame: the guest must not take it for
		 * its memory. */
		m2p_set(frame_mfn(f), M2P_INVALID);
		t->shared_mfn[t->nr_frames] = (u32)frame_mfn(f);
		WRITE_ONCE(t->nr_frames, t->nr_frames + 1);
	}
	spin_unlock(&t->lock);
	return rc;
}

static struct grant_entry_v1 *shared_entry(const struct grant_table *t, u32 ref)
{
	struct grant_entry_v1 *page =
		mfn_to_virt(t->shared_mfn[ref / GRANT_ENTRIES]);

	return &page[ref % GRANT_ENTRIES];
}

/* NULL: no memory for it. ref is in the table. */
static struct grant_active *active_entry(struct domain *d, u32 ref)
{
	struct grant_table *t = d->grants;
	struct grant_active **page = &t->active[ref / ACTIVE_PER_PAGE];

	if (ref < ACTIVE_INLINE)
		return &t->first[ref];
	if (!*page)
		*page = state_page_alloc(&d->owner);
	return *page ? &(*page)[ref % ACTIVE_PER_PAGE] : NULL;
}

/* Sets GTF_reading (write: and GTF_writing) in an entry that grants that. */
static int claim_entry(struct grant_entry_v1 *e, u16 grantee, bool write)
{
	u32 *word = (u32 *)e; /* flags, then domid */
	u32 old = READ_ONCE(*word);

	for (int i = 0; i < CLAIM_TRIES; i++) {
		u16 flags = (u16)old;
		u32 fresh = old | GTF_reading | (write ? GTF_writing : 0);

		if ((flags & ENTRY_FLAGS_MASK) != GTF_permit_access)
			return GNTST_bad_gntref;
		if (old >> 16 != grantee)
			return GNTST_permission_denied;
		if (write && (flags & GTF_readonly))
			return GNTST_permission_denied;
		if (__atomic_compare_exchange_n(word, &old, fresh, false,
						__ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			return GNTST_okay;
	}
	return GNTST_eagain;
}

static void unclaim_entry(struct grant_entry_v1 *e, u16 flags)
{
	__atomic_fetch_and(&e->flags, (u16)~flags, __ATOMIC_SEQ_CST);
}

/* What the counts say that the shared entry must not say (any more). */
static u16 stale_flags(const struct grant_active *a)
{
	u16 flags = 0;

	if (!a->writers)
		flags |= GTF_writing;
	if (!a->writers && !a->readers)
		flags |= GTF_reading;
	return flags;
}

static int get_frame(const struct domain *d, u64 mfn, bool write,
		     struct frame **out)
{
	struct frame *f = frame_of_mfn(mfn);

	if (!f)
		return GNTST_bad_page;
	if (write ? frame_get_writable(f, d->owner.id) != 0
		  : !frame_get(f, d->owner.id))
		return GNTST_bad_page;
	*out = f;
	return GNTST_okay;
}

static int pin(struct domain *d, u16 grantee, u32 ref, bool write,
	       struct frame **out)
{
	struct grant_table *t = d->grants;
	struct grant_entry_v1 *e;
	struct grant_active *a;
	bool first;
	u32 mfn;
	int rc;

	if (READ_ONCE(d->owner.dying))
		return GNTST_bad_domain;
	if (ref >= t->nr_frames * GRANT_ENTRIES)
		return GNTST_bad_gntref;
	e = shared_entry(t, ref);
	a = active_entry(d, ref);
	if (!a)
		return GNTST_no_space;
	first = !a->readers && !a->writers;
	if (!first && a->domid != grantee)
		return GNTST_permission_denied;
	if (a->readers == ~0U || a->writers == ~0U)
		return GNTST_no_space;
	if (first || (write && !a->writers)) {
		rc = claim_entry(e, grantee, write);
		if (rc)
			return rc;
	}
	mfn = first ? READ_ONCE(e->frame) : a->mfn;
	rc = get_frame(d, mfn, write, out);
	if (rc) {
		unclaim_entry(e, stale_flags(a));
		return rc;
	}
	if (first) {
		a->mfn = mfn;
		a->domid = grantee;
		t->pinned++;
	}
	if (write)
		a->writers++;
	else
		a->readers++;
	return GNTST_okay;
}

int grant_acquire(struct domain *d, u16 grantee, u32 ref, bool write,
		  struct frame **out)
{
	int rc;

	spin_lock(&d->grants->lock);
	rc = pin(d, grantee, ref, write, out);
	spin_unlock(&d->grants->lock);
	return rc;
}

void grant_release(struct domain *d, u32 ref, bool write, struct frame *f)
{
	struct grant_table *t = d->grants;
	struct grant_active *a;

	/* First: a granter that sees the flags clear may free the page. */
	if (write)
		frame_put_writable(f);
	else
		frame_put(f);

	spin_lock(&t->lock);
	a = active_entry(d, ref);
	if (write)
		a->writers--;
	else
		a->readers--;
	unclaim_entry(shared_entry(t, ref), stale_flags(a));
	if (!a->readers && !a->writers && !--t->pinned &&
	    READ_ONCE(d->owner.dying))
		frame_owner_freed();
	spin_unlock(&t->lock);
}

int grant_domain_free(struct domain *d)
{
	struct grant_table *t = d->grants;
	bool pinned;

	if (!t)
		return 0;
	spin_lock(&t->lock);
	pinned = t->pinned != 0;
	spin_unlock(&t->lock);
	if (pinned)
		return -EBUSY;
	while (t->nr_frames)
		frame_owner_abandon_shared(
			&d->owner, frame_of_mfn(t->shared_mfn[--t->nr_frames]));
	for (u32 i = 0; i < ACTIVE_PAGES; i++) {
		if (t->active[i])
			state_page_free(&d->owner, t->active[i]);
	}
	for (u32 i = 0; i < t->maptrack_pages; i++)
		state_page_free(&d->owner, t->maptrack[i]);
	if (t->maptrack)
		state_page_free(&d->owner, t->maptrack);
	d->grants = NULL;
	return 0;
}
