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

/*
 * Tables are mostly empty: one look at all entries tells the chunks (of as many
 * entries as one bit of the extent stands for) that have any, and only these
 * are looked at again. Nobody but the hardware (A and D) writes a table while
 * it is validated or drained. The two looks are no part of their callers, where
 * the entries would not stay in registers.
 */
#define CHUNK FRAME_EXTENT_ENTRIES

static ALWAYS_INLINE u64 or8(const u64 *e)
{
	return e[0] | e[1] | e[2] | e[3] | e[4] | e[5] | e[6] | e[7];
}

static NOINLINE u16 table_extent(const u64 *table)
{
	const u64 *e = table + PT_ENTRIES;
	u32 extent = 0;

	do {
		e -= CHUNK;
		extent = extent * 2 +
			 ((or8(e) | or8(e + 8) | or8(e + 16) | or8(e + 24)) &
			  PTE_P);
	} while (e != table);
	return (u16)extent;
}

/* Which entries of the chunk at e are present. The barrier: reading those of
 * the few groups that have any once more is shorter than keeping all. */
static NOINLINE u32 chunk_present(const u64 *e)
{
	u32 present = 0;

#pragma GCC unroll 4
	for (unsigned int i = CHUNK; i; i -= 8) {
		u32 group = 0;

		present <<= 8;
		if (!(or8(&e[i - 8]) & PTE_P))
			continue;
		__asm__ volatile("" : : : "memory");
#pragma GCC unroll 8
		for (unsigned int k = i; k > i - 8; k--)
			group = group * 2 + (e[k - 1] & PTE_P);
		present |= group;
	}
	return present;
}

_Static_assert(CHUNK == 32 && PTE_P == 1, "table_extent, chunk_present");

/* The hypervisor's slots of an L4 do not count. */
static ALWAYS_INLINE u32 chunk_guests(const u64 *table, unsigned int level,
				      unsigned int start)
{
	u32 present = chunk_present(table + start);

	if (level == 4 && start == HV_L4_FIRST)
		present &= ~0U << (HV_L4_LAST + 1 - HV_L4_FIRST);
	return present;
}

_Static_assert(HV_L4_FIRST % CHUNK == 0 && HV_L4_LAST < HV_L4_FIRST + CHUNK - 1,
	       "chunk_guests");

/* ---- dropping ---- */

static void drain_push(struct frame_owner *o, struct frame *f, u16 progress)
{
	f->progress = progress;
	f->partial = FRAME_DRAINING;
	f->drain_next_mfn = o->drain_mfn;
	o->drain_mfn = (u32)frame_mfn(f);
}

static ALWAYS_INLINE void table_unref(struct frame_owner *o, struct frame *f)
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

void table_unref_locked(struct frame_owner *o, struct frame *f)
{
	table_unref(o, f);
}

void table_abandon_locked(struct frame_owner *o, struct frame *f)
{
	if (f->partial == FRAME_VALIDATING)
		drain_push(o, f, f->progress);
}

/*
 * Drops present entries of f's table below entry i, all in the chunk of i - 1,
 * downwards until the budget is used up or a table came on the drain list
 * before f. Returns where it stopped: no entry from there on has references.
 */
static ALWAYS_INLINE unsigned int drain_chunk(struct frame_owner *o,
					      const struct frame *f,
					      unsigned int level,
					      unsigned int i, int *budget)
{
	unsigned int start = (i - 1) / CHUNK * CHUNK;
	u64 mfn = frame_mfn(f);
	const u64 *table = mfn_to_virt(mfn);
	u32 present = chunk_guests(table, level, start) &
		      ~0U >> (CHUNK - (i - start));

	while (present && *budget > 0) {
		unsigned int k = 31 - (unsigned int)__builtin_clz(present);

		present ^= 1U << k;
		i = start + k;
		--*budget;
		if (level == 1) {
			l1e_put(table[i]);
			continue;
		}
		table_unref(o, &frame_table[pte_mfn(table[i])]);
		if (o->drain_mfn != mfn)
			return i;
	}
	return present ? i : start;
}

/* The end of the highest chunk below entry i, or i within it, that may hold
 * references; 0: there is none. */
static ALWAYS_INLINE unsigned int extent_before(const struct frame *f,
						unsigned int i)
{
	u32 below = (1U << (i + CHUNK - 1) / CHUNK) - 1;
	u32 chunks = f->extent & below;

	if (!chunks)
		return 0;
	return MIN(i, (32 - (unsigned int)__builtin_clz(chunks)) * CHUNK);
}

/* Drops entries of f, the head of the drain list, until it is done, another
 * table came before it, or the budget is used up. */
static void drain_step(struct frame_owner *o, struct frame *f, int *budget)
{
	unsigned int level = table_level(frame_load_ref(f));
	unsigned int i = f->progress;
	u64 ref;

	while (*budget > 0) {
		i = extent_before(f, i);
		if (!i)
			break;
		if (level == 1)
			i = drain_chunk(o, f, 1, i, budget);
		else
			i = drain_chunk(o, f, level, i, budget);
		if (o->drain_mfn != frame_mfn(f))
			break;
	}
	f->progress = (u16)i;
	if (i || o->drain_mfn != frame_mfn(f))
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

/*
 * One more reference of a table that is valid already. The lock keeps it so:
 * the last reference of o's tables goes only under it, and no frame becomes
 * o's, so one that is o's now was so when its word was read.
 */
static ALWAYS_INLINE bool table_get_valid(const struct frame_owner *o,
					  struct frame *f, enum frame_type type)
{
	u64 ref = frame_load_ref(f);

	do {
		if ((ref & FRAME_KIND_MASK) != FRAME_KIND(type) ||
		    !frame_ref_usable(ref) || READ_ONCE(f->owner_id) != o->id)
			return false;
	} while (unlikely(!frame_cas_ref(f, &ref, ref + FRAME_REF_AND_TYPE)));
	return true;
}

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
	if (likely(table_get_valid(o, child, (enum frame_type)(level - 1))))
		return 0;
	return table_get(o, child, (enum frame_type)(level - 1), budget);
}

static ALWAYS_INLINE int entries_validate(struct frame_owner *o,
					  struct frame *f, unsigned int level,
					  int *budget)
{
	u64 *table = mfn_to_virt(frame_mfn(f));
	u32 chunks = f->extent & ~0U << f->progress / CHUNK;
	int rc;

	for (; chunks; chunks &= chunks - 1) {
		unsigned int start =
			(unsigned int)__builtin_ctz(chunks) * CHUNK;
		u32 present = chunk_guests(table, level, start);

		if (start < f->progress)
			present &= ~0U << (f->progress - start);
		for (; present; present &= present - 1) {
			unsigned int i =
				start + (unsigned int)__builtin_ctz(present);
			u64 e = table[i];

			rc = *budget > 0 ? entry_get(o, level, &e, budget)
					 : -ERESTART;
			if (rc) {
				f->progress = (u16)i;
				return rc;
			}
			--*budget;
			WRITE_ONCE(table[i], e);
		}
	}
	f->progress = PT_ENTRIES;
	return 0;
}

/* Continues at f->progress. 0: complete; -ERESTART; other: f is draining. */
static int table_validate(struct frame_owner *o, struct frame *f,
			  unsigned int level, int *budget)
{
	int rc;

	if (level == 1)
		rc = entries_validate(o, f, 1, budget);
	else
		rc = entries_validate(o, f, level, budget);
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
	f->extent = table_extent(mfn_to_virt(frame_mfn(f)));
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
	int rc;

	if (table_get_valid(o, f, type))
		return 0;
	rc = table_get(o, f, type, budget);
	if (rc && rc != -ERESTART)
		(void)!frame_drain_locked(o, budget);
	return rc;
}

/* ---- walking ---- */

/* The L1 entry's machine address, 0 when there is none; *rw: whether the upper
 * levels allow writes. */
static ALWAYS_INLINE u64 walk(u64 l4_mfn, u64 va, bool *rw)
{
	u64 max_maddr = frame_max_mfn << PAGE_SHIFT;
	u64 table = l4_mfn << PAGE_SHIFT, all = PTE_RW;

	if ((s64)(va << 16) >> 16 != (s64)va ||
	    table_is_hv_slot(4, pt_index(va, 4)))
		return 0;
#pragma GCC unroll 3
	for (unsigned int level = 4; level > 1; level--) {
		u64 e = READ_ONCE(((const u64 *)maddr_to_virt(
			table))[pt_index(va, level)]);

		table = e & PTE_ADDR_MASK;
		if (!(e & PTE_P) || unlikely(table >= max_maddr))
			return 0;
		all &= e;
	}
	*rw = all;
	return table + pt_index(va, 1) * sizeof(u64);
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
