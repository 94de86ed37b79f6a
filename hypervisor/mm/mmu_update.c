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

#include "l1e_change.h"
#include "page_entry.h"

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

bool mmu_update_own_l1(struct frame_owner *o, u64 ma, u64 val)
{
	u64 old;

	return !l1_update(o, o, ma, val, CHANGE_SET, &old);
}

/* For emulated writes: replaces the level-1 entry at ma by val if it is
 * *expected; else -EAGAIN and what it is in *expected. */
int l1e_compare_exchange(struct frame_owner *owner, u64 ma, u64 *expected,
			 u64 val)
{
	return l1_update(owner, owner, ma, val, CHANGE_COMPARE, expected);
}

/* An entry of `table`, an L2, L3 or L4 of owner. */
static int table_entry_change(struct frame_owner *owner, struct frame *table,
			      u64 ma, u64 val, enum change how, u64 *old,
			      int *budget)
{
	enum frame_type level = frame_type(frame_load_ref(table));
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
			extent_widen(table, ma);
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
		return l1e_change(owner, frames, f, ma, val, how, old);
	if (owner != frames)
		return -EINVAL;
	return table_entry_change(owner, f, ma, val, how, old, budget);
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

/* One more reference of a valid L4 of o, without the lock: its count is not
 * zero, so it stays what it is. False: not such a table. */
static bool base_get(const struct frame_owner *o, struct frame *f)
{
	u64 ref = frame_load_ref(f);

	do {
		if ((ref & FRAME_KIND_MASK) != FRAME_KIND(FRAME_L4) ||
		    !frame_tcount(ref) || !frame_ref_usable(ref) ||
		    READ_ONCE(f->owner_id) != o->id)
			return false;
	} while (!frame_cas_ref(f, &ref, ref + FRAME_REF_AND_TYPE));
	return true;
}

/* Drops a reference that is not the last one; false: it is. */
static bool base_put(struct frame *f)
{
	u64 ref = frame_load_ref(f);

	do {
		if (frame_tcount(ref) < 2)
			return false;
	} while (!frame_cas_ref(f, &ref, ref - FRAME_REF_AND_TYPE));
	return true;
}

bool mmu_switch_base(struct frame_owner *o, u64 old_mfn, u64 new_mfn)
{
	struct frame *f = frame_of_mfn(new_mfn);

	if (old_mfn == new_mfn)
		return true;
	if ((new_mfn && (!f || !base_get(o, f))))
		return false;
	if (!old_mfn || base_put(&frame_table[old_mfn]))
		return true;
	/* The counterpart of base_get, on a frame that we still hold. */
	if (new_mfn) {
		int budget = 1;

		spin_lock(&o->mmu_lock);
		frame_put_table_locked(o, f, &budget);
		spin_unlock(&o->mmu_lock);
	}
	return false;
}
