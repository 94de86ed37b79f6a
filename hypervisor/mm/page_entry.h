/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules for single page-table entries. Private to mm/.
 *
 * A present entry gets US (the guest kernel runs at CPL 3) and loses G and the
 * cache attributes (all guest memory is RAM, cached one way). Bits 59..62 are
 * refused, software's bits 9..11 and 52..58 are kept. An entry that is not
 * present is the guest's own data. On machines with the L1 terminal fault such
 * data could address other domains' lines in the cache; that needs an inverted
 * address here.
 */
#ifndef MM_PAGE_ENTRY_H
#define MM_PAGE_ENTRY_H

#include <arch/pagetable.h>

#include "frame_inline.h"

#define PTE_REFUSED (0xfUL << 59)
#define PTE_STRIPPED (PTE_G | PTE_PWT | PTE_PCD)
#define PTE_AD (PTE_A | PTE_D)

/* Both want *e present; false: refused. */
static ALWAYS_INLINE bool l1e_clean(u64 *e)
{
	u64 keep = ~(PTE_STRIPPED | PTE_PAT | PTE_NX) | pte_allowed_nx;

	if (unlikely((*e & PTE_REFUSED) || pte_mfn(*e) >= frame_max_mfn))
		return false;
	*e = (*e & keep) | PTE_US;
	return true;
}

static ALWAYS_INLINE bool table_entry_clean(u64 *e)
{
	u64 keep = ~(PTE_STRIPPED | PTE_NX) | pte_allowed_nx;

	if (unlikely((*e & (PTE_REFUSED | PTE_PSE)) ||
		     pte_mfn(*e) >= frame_max_mfn))
		return false;
	*e = (*e & keep) | PTE_US;
	return true;
}

/* References of a present, clean level-1 entry. frames: whose it may map. */
static ALWAYS_INLINE int l1e_get(const struct frame_owner *frames, u64 e)
{
	struct frame *f = &frame_table[pte_mfn(e)];

	if (e & PTE_RW)
		return frame_get_writable_inline(f, frames->id);
	return frame_get_inline(f, frames->id) ? 0 : -EINVAL;
}

static ALWAYS_INLINE void l1e_put(u64 e)
{
	struct frame *f = &frame_table[pte_mfn(e)];

	if (e & PTE_RW)
		frame_put_typed_inline(f);
	else
		frame_put_inline(f);
}

/* mmu_update.c: see there. */
int l1e_compare_exchange(struct frame_owner *owner, u64 ma, u64 *expected,
			 u64 val) MUST_CHECK;

#endif
