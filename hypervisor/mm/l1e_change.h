/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The change of one level-1 entry, inline: it is what a guest's page faults,
 * forks and unmappings consist of. Private to mm/.
 */
#ifndef MM_L1E_CHANGE_H
#define MM_L1E_CHANGE_H

#include <hv/errno.h>
#include <hv/lock.h>
#include <hv/mm.h>

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

/* The entry at ma is to get references. The table's owner's mmu_lock is held
 * until it has them. */
static ALWAYS_INLINE void extent_widen(struct frame *table, u64 ma)
{
	table->extent |=
		frame_extent_bit((unsigned int)(ma & ~PAGE_MASK) / sizeof(u64));
}

/* ma lies in `table`, a validated L1 of owner, whose mmu_lock is held. -EAGAIN:
 * as pte_exchange's false. */
static ALWAYS_INLINE int l1e_change(struct frame_owner *owner,
				    struct frame_owner *frames,
				    struct frame *table, u64 ma, u64 val,
				    enum change how, u64 *old)
{
	u64 *pte = maddr_to_virt(ma);
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
			extent_widen(table, ma);
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
		rc = l1e_change(owner, frames, f, ma, val, how, old);
	spin_unlock(&owner->mmu_lock);
	return rc;
}

/* A domain that is going away is not mapped any more by others. */
static ALWAYS_INLINE bool frames_allowed(const struct frame_owner *owner,
					 const struct frame_owner *frames)
{
	return likely(owner == frames) || !READ_ONCE(frames->dying);
}

/*
 * The L1 entry's value that maps va in tables that are valid and stay so (the
 * loaded ones), or 0. The same walk as page_table_l1e, without what only
 * hostile addresses need: the caller has seen va cause a page fault with the
 * present bit, so it is canonical and not the hypervisor's.
 */
static ALWAYS_INLINE u64 l1e_of_present(u64 l4_mfn, u64 va)
{
	u64 max_maddr = frame_max_mfn << PAGE_SHIFT;
	u64 table = l4_mfn << PAGE_SHIFT, e = 0;

#pragma GCC unroll 4
	for (unsigned int shift = 39; shift >= 12; shift -= 9) {
		e = READ_ONCE(((const u64 *)maddr_to_virt(
			table))[va >> shift & (PT_ENTRIES - 1)]);
		table = e & PTE_ADDR_MASK;
		if (unlikely(!(e & PTE_P) || table >= max_maddr))
			return 0;
	}
	return e;
}

#endif
