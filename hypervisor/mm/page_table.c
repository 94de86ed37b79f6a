// SPDX-License-Identifier: Apache-2.0
/*
 * Guests' page tables as a whole: counting and validating the types L1..L4,
 * dropping what a table maps when its type ends, and walking.
 *
 * Validation goes up the entries and may stop at any of them when the budget
 * is used up: f->progress entries then hold their references, FRAME_VALIDATED
 * is clear, and the frame keeps one type and one general reference of its own,
 * which become those of the caller that completes it. Draining goes down from
 * f->progress to 0 and starts when the last reference goes or validation
 * fails; the frame waits on its owner's drain list, keeping that last pair of
 * references until the last entry is dropped. So at any time exactly the
 * entries below progress hold references, and neither recursion (four levels,
 * a table never points to its own level) nor time is unbounded.
 *
 * Everything but the walks runs under the owner's mmu_lock.
 */
#include <hv/errno.h>
#include <hv/lock.h>
#include <hv/mm.h>

#include <arch/pagetable.h>
#include <arch/tlb.h>

#include "frame_inline.h"
#include "page_entry.h"

/* What a table costs of the budget besides its present entries: the look at
 * the others. */
#define TABLE_COST 40

static unsigned int table_level(u64 ref)
{
	return (unsigned int)frame_type(ref); /* FRAME_L1 is 1, and so on */
}

static bool table_is_hv_slot(unsigned int level, unsigned int idx)
{
	return level == 4 && idx >= HV_L4_FIRST && idx <= HV_L4_LAST;
}

/* Tables are mostly empty: sixteen entries at a glance. Nobody but the hardware
 * (A and D) writes a table while it is validated or drained. */
#define GROUP 16

static inline bool group_is_empty(const u64 *e)
{
	return !((e[0] | e[1] | e[2] | e[3] | e[4] | e[5] | e[6] | e[7] | e[8] |
		  e[9] | e[10] | e[11] | e[12] | e[13] | e[14] | e[15]) &
		 PTE_P);
}

/* The first present entry at i or behind it; PT_ENTRIES: none. */
static inline unsigned int present_from(const u64 *table, unsigned int i)
{
	while (i < PT_ENTRIES) {
		if (i % GROUP == 0 && group_is_empty(&table[i]))
			i += GROUP;
		else if (table[i] & PTE_P)
			break;
		else
			i++;
	}
	return i;
}

/* One more than the last present entry before i; 0: none. */
static inline unsigned int present_before(const u64 *table, unsigned int i)
{
	while (i) {
		if (i % GROUP == 0 && group_is_empty(&table[i - GROUP]))
			i -= GROUP;
		else if (table[i - 1] & PTE_P)
			break;
		else
			i--;
	}
	return i;
}

/* ---- dropping ---- */

static void drain_push(struct frame_owner *o, struct frame *f, u16 progress)
{
	f->progress = progress;
	f->partial = FRAME_DRAINING;
	f->drain_next_mfn = o->drain_mfn;
	o->drain_mfn = (u32)frame_mfn(f);
}

void table_unref_locked(struct frame_owner *o, struct frame *f)
{
	u64 ref = frame_load_ref(f);

	for (;;) {
		if (frame_tcount(ref) > 1) {
			if (frame_cas_ref(f, &ref, ref - FRAME_REF_AND_TYPE))
				return;
		} else if (frame_cas_ref(f, &ref, ref & ~FRAME_VALIDATED)) {
			drain_push(o, f, PT_ENTRIES);
			return;
		}
	}
}

void table_abandon_locked(struct frame_owner *o, struct frame *f)
{
	if (f->partial == FRAME_VALIDATING)
		drain_push(o, f, f->progress);
}

/* Drops entries of f, the head of the drain list, until it is done, another
 * table came before it, or the budget is used up. */
static void drain_step(struct frame_owner *o, struct frame *f, int *budget)
{
	unsigned int level = table_level(frame_load_ref(f));
	const u64 *table = mfn_to_virt(frame_mfn(f));
	u64 ref;

	while (*budget > 0) {
		unsigned int i = present_before(table, f->progress);

		f->progress = (u16)i;
		if (!i)
			break;
		f->progress = (u16)--i;
		if (table_is_hv_slot(level, i))
			continue;
		--*budget;
		if (level == 1) {
			l1e_put(table[i]);
			continue;
		}
		table_unref_locked(o, &frame_table[pte_mfn(table[i])]);
		if (o->drain_mfn != frame_mfn(f))
			return;
	}
	if (f->progress)
		return;
	*budget -= TABLE_COST;
	o->drain_mfn = f->drain_next_mfn;
	f->partial = FRAME_COMPLETE;
	frame_stamp(f);
	ref = __atomic_fetch_sub(&f->ref, FRAME_REF_AND_TYPE, __ATOMIC_ACQ_REL);
	if ((ref & FRAME_COUNT_MASK) == 1)
		frame_last_put(f);
}

int frame_drain_locked(struct frame_owner *o, int *budget)
{
	while (unlikely(o->drain_mfn)) {
		if (*budget <= 0)
			return -ERESTART;
		drain_step(o, &frame_table[o->drain_mfn], budget);
	}
	return 0;
}

void frame_put_table_locked(struct frame_owner *o, struct frame *f, int *budget)
{
	table_unref_locked(o, f);
	/* What is left is on the list for whoever looks next. */
	(void)!frame_drain_locked(o, budget);
}

/* ---- validating ---- */

static int table_get(struct frame_owner *o, struct frame *f,
		     enum frame_type type, int *budget);

/* Takes what the entry *e of a table of that level refers to and brings it
 * into the form that the hardware sees. */
static ALWAYS_INLINE int entry_get(struct frame_owner *o, unsigned int level,
				   u64 *e, int *budget)
{
	struct frame *child;

	if (level == 1) {
		if (!l1e_clean(e))
			return -EINVAL;
		return l1e_get(o, *e);
	}
	if (!table_entry_clean(e))
		return -EINVAL;
	child = &frame_table[pte_mfn(*e)];
	return table_get(o, child, (enum frame_type)(level - 1), budget);
}

/* Continues at f->progress. 0: complete; -ERESTART; other: f is draining. */
static int table_validate(struct frame_owner *o, struct frame *f,
			  unsigned int level, int *budget)
{
	u64 *table = mfn_to_virt(frame_mfn(f));
	int rc = 0;
	unsigned int i;

	for (i = present_from(table, f->progress); i < PT_ENTRIES;
	     i = present_from(table, i + 1)) {
		u64 e = table[i];

		if (table_is_hv_slot(level, i))
			continue;
		rc = *budget > 0 ? entry_get(o, level, &e, budget) : -ERESTART;
		if (rc)
			break;
		--*budget;
		WRITE_ONCE(table[i], e);
	}
	f->progress = (u16)i;
	if (rc == -ERESTART) {
		f->partial = FRAME_VALIDATING;
		return rc;
	}
	if (rc) {
		drain_push(o, f, f->progress);
		return rc;
	}
	*budget -= TABLE_COST;
	if (level == 4)
		pagetable_fill_hv_slots(frame_mfn(f));
	f->partial = FRAME_COMPLETE;
	__atomic_fetch_or(&f->ref, FRAME_VALIDATED, __ATOMIC_ACQ_REL);
	return 0;
}

/* The frame, held by the caller's general reference, becomes a table with one
 * type reference, not validated. Nobody else counts table types of o's. */
static int table_enter(const struct frame_owner *o, struct frame *f,
		       enum frame_type type)
{
	u64 ref = frame_load_ref(f);

	do {
		if (ref & FRAME_TCOUNT_MASK)
			return -EBUSY;
	} while (!frame_cas_ref(
		f, &ref,
		((ref & ~FRAME_KIND_MASK) | ((u64)type << FRAME_TYPE_SHIFT)) +
			FRAME_TCOUNT_ONE));
	if (frame_type(ref) != type && frame_type(ref) != FRAME_UNTYPED)
		frame_flush(o, f);
	f->progress = 0;
	return 0;
}

/* As frame_get_table_locked, but what failed half way is left on the drain
 * list. Calls itself for the tables below, three times at most. */
static int table_get(struct frame_owner *o, struct frame *f,
		     enum frame_type type, int *budget)
{
	u64 ref;
	int rc;

	if (!frame_get_inline(f, o->id))
		return -EINVAL;
	/* Shared with the hypervisor, which writes it at will. */
	if (READ_ONCE(f->flags) & FRAME_FLAG_SHARED) {
		frame_put_inline(f);
		return -EINVAL;
	}
	ref = frame_load_ref(f);
	while ((ref & FRAME_KIND_MASK) == FRAME_KIND(type))
		if (frame_cas_ref(f, &ref, ref + FRAME_TCOUNT_ONE))
			return 0;
	if (f->partial != FRAME_COMPLETE && frame_type(ref) == type) {
		/* Our reference is not needed: the frame has a pair. */
		frame_put_inline(f);
		if (f->partial == FRAME_VALIDATING)
			return table_validate(o, f, type, budget);
		rc = frame_drain_locked(o, budget);
		return rc ? rc : table_get(o, f, type, budget);
	}
	rc = table_enter(o, f, type);
	if (rc) {
		frame_put_inline(f);
		return rc;
	}
	return table_validate(o, f, type, budget);
}

int frame_get_table_locked(struct frame_owner *o, struct frame *f,
			   enum frame_type type, int *budget)
{
	int rc = table_get(o, f, type, budget);

	if (rc && rc != -ERESTART)
		(void)!frame_drain_locked(o, budget);
	return rc;
}

/* ---- walking ---- */

/* The L1 entry's machine address, 0 when there is none; *rw: whether the upper
 * levels allow writes. */
static u64 walk(u64 l4_mfn, u64 va, bool *rw)
{
	u64 mfn = l4_mfn;
	unsigned int level;

	*rw = true;
	if ((s64)(va << 16) >> 16 != (s64)va ||
	    table_is_hv_slot(4, pt_index(va, 4)))
		return 0;
	for (level = 4; level > 1; level--) {
		const u64 *table = mfn_to_virt(mfn);
		u64 e = READ_ONCE(table[pt_index(va, level)]);

		mfn = pte_mfn(e);
		if (!(e & PTE_P) || unlikely(mfn >= frame_max_mfn))
			return 0;
		*rw &= !!(e & PTE_RW);
	}
	return (mfn << PAGE_SHIFT) + pt_index(va, 1) * sizeof(u64);
}

u64 page_table_l1e(u64 l4_mfn, u64 va)
{
	bool rw;

	return walk(l4_mfn, va, &rw);
}

int page_table_get_frame(struct frame_owner *o, u64 l4_mfn, u64 va, bool write,
			 struct frame **out)
{
	struct frame *f;
	bool rw;
	u64 ma, e;
	int rc;

	ma = walk(l4_mfn, va, &rw);
	if (!ma)
		return -EFAULT;
	e = READ_ONCE(*(const u64 *)maddr_to_virt(ma));
	f = frame_of_mfn(pte_mfn(e));
	if (!(e & PTE_P) || !f || (write && !(rw && (e & PTE_RW))))
		return -EFAULT;
	if (write)
		rc = frame_get_writable_inline(f, o->id);
	else
		rc = frame_get_inline(f, o->id) ? 0 : -EINVAL;
	if (!rc)
		*out = f;
	return rc;
}
