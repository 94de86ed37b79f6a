// SPDX-License-Identifier: Apache-2.0
/*
 * Changes of live page tables, one entry at a time: the new entry's references
 * are taken, the entry is exchanged atomically (the hardware sets A and D at
 * any time), the old one's references are dropped. The owner's mmu_lock keeps
 * everyone but the hardware away from the tables meanwhile.
 */
#include <hv/errno.h>
#include <hv/lock.h>
#include <hv/mm.h>

#include <arch/pagetable.h>

#include "frame_inline.h"
#include "page_entry.h"

enum change {
	CHANGE_SET,         /* whatever the old entry was */
	CHANGE_PRESERVE_AD, /* and keep its A and D */
	CHANGE_COMPARE,     /* only if the old entry is *old */
};

/* What must be dropped once the old entry is gone. */
enum drop { DROP_NOTHING, DROP_TYPE, DROP_ENTRY };

/* Exchanges *pte for val; *old gets what was replaced. False: CHANGE_COMPARE
 * found something else, now in *old. */
/* NOLINTNEXTLINE(readability-non-const-parameter): the builtins write it */
static ALWAYS_INLINE bool pte_exchange(u64 *pte, u64 val, enum change how,
				       u64 *old)
{
	u64 seen;

	if (how == CHANGE_SET) {
		*old = __atomic_exchange_n(pte, val, __ATOMIC_SEQ_CST);
		return true;
	}
	if (how == CHANGE_COMPARE)
		return __atomic_compare_exchange_n(pte, old, val, false,
						   __ATOMIC_SEQ_CST,
						   __ATOMIC_SEQ_CST);
	seen = READ_ONCE(*pte);
	while (!__atomic_compare_exchange_n(pte, &seen, val | (seen & PTE_AD),
					    false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST))
		;
	*old = seen;
	return true;
}

/* pte lies in a validated L1 of owner, whose mmu_lock is held. -EAGAIN: as
 * pte_exchange's false. */
static ALWAYS_INLINE int l1e_change(struct frame_owner *owner,
				    struct frame_owner *frames, u64 *pte,
				    u64 val, enum change how, u64 *old)
{
	u64 seen = READ_ONCE(*pte), change;
	enum drop drop = DROP_ENTRY;
	int rc;

	if (how == CHANGE_COMPARE && seen != *old) {
		*old = seen;
		return -EAGAIN;
	}
	if (val & PTE_P) {
		if (unlikely(!l1e_clean(&val)))
			return -EINVAL;
		change = seen ^ val;
		if ((seen & PTE_P) && !(change & PTE_ADDR_MASK) &&
		    !(change & val & PTE_RW)) {
			drop = change & PTE_RW ? DROP_TYPE : DROP_NOTHING;
		} else {
			rc = l1e_get(frames, val);
			if (unlikely(rc))
				return rc;
			if (unlikely(owner != frames))
				__atomic_fetch_or(
					&frame_table[pte_mfn(val)].flags,
					FRAME_FLAG_FOREIGN, __ATOMIC_ACQ_REL);
		}
	}
	if (!pte_exchange(pte, val, how, old)) {
		if ((val & PTE_P) && drop == DROP_ENTRY)
			l1e_put(val);
		return -EAGAIN;
	}
	if (drop == DROP_ENTRY) {
		if (*old & PTE_P)
			l1e_put(*old);
	} else if (drop == DROP_TYPE) {
		frame_put_type_only(&frame_table[pte_mfn(val)]);
	}
	return 0;
}

/* The frame of the entry at ma if that is one of a validated table of o of
 * that type. The word is read first: while we hold o's mmu_lock no frame can
 * become o's, so one that is o's now was so then. */
static ALWAYS_INLINE bool is_table_of(const struct frame_owner *o,
				      const struct frame *f,
				      enum frame_type type)
{
	return (frame_load_ref(f) & FRAME_KIND_MASK) == FRAME_KIND(type) &&
	       READ_ONCE(f->owner_id) == o->id;
}

static ALWAYS_INLINE int l1_update(struct frame_owner *owner,
				   struct frame_owner *frames, u64 ma, u64 val,
				   enum change how, u64 *old)
{
	struct frame *f = frame_of_mfn(ma >> PAGE_SHIFT);
	int rc = -EINVAL;

	if (unlikely(!f || (ma & 7)))
		return -EINVAL;
	spin_lock(&owner->mmu_lock);
	if (likely(is_table_of(owner, f, FRAME_L1)))
		rc = l1e_change(owner, frames, maddr_to_virt(ma), val, how,
				old);
	spin_unlock(&owner->mmu_lock);
	return rc;
}

/* A domain that is going away is not mapped any more by others. */
static ALWAYS_INLINE bool frames_allowed(const struct frame_owner *owner,
					 const struct frame_owner *frames)
{
	return likely(owner == frames) || !READ_ONCE(frames->dying);
}

int mmu_update_l1(struct frame_owner *owner, struct frame_owner *frames, u64 ma,
		  u64 val, bool preserve_ad)
{
	u64 old;

	if (!frames_allowed(owner, frames))
		return -EINVAL;
	if (unlikely(preserve_ad))
		return l1_update(owner, frames, ma, val, CHANGE_PRESERVE_AD,
				 &old);
	return l1_update(owner, frames, ma, val, CHANGE_SET, &old);
}

/* For emulated writes: replaces the level-1 entry at ma by val if it is
 * *expected; else -EAGAIN and what it is in *expected. */
int l1e_compare_exchange(struct frame_owner *owner, u64 ma, u64 *expected,
			 u64 val)
{
	return l1_update(owner, owner, ma, val, CHANGE_COMPARE, expected);
}

/* An entry of an L2, L3 or L4 of owner. */
static int table_entry_change(struct frame_owner *owner, u64 ma, u64 val,
			      enum change how, u64 *old, int *budget)
{
	enum frame_type level =
		frame_type(frame_load_ref(&frame_table[ma >> PAGE_SHIFT]));
	unsigned int idx = (unsigned int)(ma & ~PAGE_MASK) / sizeof(u64);
	u64 *pte = maddr_to_virt(ma);
	u64 seen = READ_ONCE(*pte);
	bool same = false;
	int rc;

	if (level == FRAME_L4 && idx >= HV_L4_FIRST && idx <= HV_L4_LAST)
		return -EINVAL;
	if (val & PTE_P) {
		if (!table_entry_clean(&val))
			return -EINVAL;
		same = (seen & PTE_P) && !((seen ^ val) & PTE_ADDR_MASK);
		if (!same) {
			rc = frame_get_table_locked(
				owner, &frame_table[pte_mfn(val)],
				(enum frame_type)(level - 1), budget);
			if (rc)
				return rc;
		}
	}
	pte_exchange(pte, val, how, old);
	if (!same && (*old & PTE_P))
		frame_put_table_locked(owner, &frame_table[pte_mfn(*old)],
				       budget);
	return 0;
}

/* NOLINTNEXTLINE(readability-function-size): what one update is made of */
int mmu_update_locked(struct frame_owner *owner, struct frame_owner *frames,
		      u64 ma, u64 val, bool preserve_ad, u64 *old, int *budget)
{
	enum change how = preserve_ad ? CHANGE_PRESERVE_AD : CHANGE_SET;
	struct frame *f = frame_of_mfn(ma >> PAGE_SHIFT);
	unsigned int level;
	u64 ignored;
	int rc;

	if (!f || (ma & 7) || !frames_allowed(owner, frames))
		return -EINVAL;
	if (!old)
		old = &ignored;
	/* Draining while we work on the table could be its own end. */
	rc = frame_drain_locked(owner, budget);
	if (rc)
		return rc;
	level = (unsigned int)frame_type(frame_load_ref(f));
	if (level < FRAME_L1 || level > FRAME_L4 ||
	    !is_table_of(owner, f, (enum frame_type)level))
		return -EINVAL;
	--*budget;
	if (level == FRAME_L1)
		return l1e_change(owner, frames, maddr_to_virt(ma), val, how,
				  old);
	if (owner != frames)
		return -EINVAL;
	return table_entry_change(owner, ma, val, how, old, budget);
}

int mmu_pin(struct frame_owner *o, u64 mfn, unsigned int level, int *budget)
{
	struct frame *f = frame_of_mfn(mfn);
	u64 ref;
	int rc;

	if (!f || level < 1 || level > 4)
		return -EINVAL;
	spin_lock(&o->mmu_lock);
	rc = READ_ONCE(o->dying) ? -EINVAL : 0;
	if (!rc)
		rc = frame_get_table_locked(o, f, (enum frame_type)level,
					    budget);
	if (!rc) {
		ref = __atomic_fetch_or(&f->ref, FRAME_PINNED,
					__ATOMIC_ACQ_REL);
		if (ref & FRAME_PINNED) {
			table_unref_locked(o, f);
			rc = -EINVAL;
		}
	}
	spin_unlock(&o->mmu_lock);
	return rc;
}

int mmu_unpin(struct frame_owner *o, u64 mfn, int *budget)
{
	struct frame *f = frame_of_mfn(mfn);
	u64 ref;

	if (!f || !frame_get(f, o->id))
		return -EINVAL;
	spin_lock(&o->mmu_lock);
	ref = __atomic_fetch_and(&f->ref, ~FRAME_PINNED, __ATOMIC_ACQ_REL);
	if (ref & FRAME_PINNED)
		frame_put_table_locked(o, f, budget);
	spin_unlock(&o->mmu_lock);
	frame_put(f);
	return ref & FRAME_PINNED ? 0 : -EINVAL;
}
