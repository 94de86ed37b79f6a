/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference operations that page-table updates do by the million, inline.
 * Private to mm/; everybody else calls the functions of hv/mm.h.
 */
#ifndef MM_FRAME_INLINE_H
#define MM_FRAME_INLINE_H

#include <hv/errno.h>
#include <hv/mm.h>

#include <arch/tlb.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

#define FRAME_KIND_MASK (FRAME_TYPE_MASK | FRAME_VALIDATED)
/* The word's type and validated bits of a usable frame of that type. */
#define FRAME_KIND(type) (((u64)(type) << FRAME_TYPE_SHIFT) | FRAME_VALIDATED)
#define FRAME_REF_AND_TYPE (1UL + FRAME_TCOUNT_ONE)

/* frame_ref.c */
int frame_get_writable_slow(struct frame *f, u16 owner_id) MUST_CHECK;
void frame_stamp_slow(struct frame *f);
/* Makes every CPU forget what it cached while f had its former type. */
void frame_flush(const struct frame_owner *o, const struct frame *f);
/* page_table.c: the drop of one reference, no draining. */
void table_unref_locked(struct frame_owner *o, struct frame *f);
/* page_table.c: undoes a validation that was never finished. */
void table_abandon_locked(struct frame_owner *o, struct frame *f);

/* True when one more general reference fits; false too when there is none, as
 * then the frame is free or on its way there. */
static ALWAYS_INLINE bool frame_ref_usable(u64 ref)
{
	return (ref & FRAME_COUNT_MASK) - 1 < FRAME_COUNT_MASK - 1;
}

static ALWAYS_INLINE u64 frame_load_ref(const struct frame *f)
{
	return __atomic_load_n(&f->ref, __ATOMIC_ACQUIRE);
}

/* The builtin writes *ref when it fails. */
/* NOLINTNEXTLINE(readability-non-const-parameter) */
static ALWAYS_INLINE bool frame_cas_ref(struct frame *f, u64 *ref, u64 val)
{
	return __atomic_compare_exchange_n(&f->ref, ref, val, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/*
 * Raises the stamp to now. Must precede the drop of every type reference, not
 * only of the last: the count may return to the value it had when we looked,
 * and then ours is the last drop although another came after our stamp.
 */
static ALWAYS_INLINE void frame_stamp(struct frame *f)
{
	if (unlikely(READ_ONCE(f->stamp) != tlb_clock_now()))
		frame_stamp_slow(f);
}

static ALWAYS_INLINE void frame_put_inline(struct frame *f)
{
	u64 ref = __atomic_fetch_sub(&f->ref, 1, __ATOMIC_ACQ_REL);

	if (unlikely((ref & FRAME_COUNT_MASK) == 1))
		frame_last_put(f);
}

/* Drops a FRAME_WRITABLE or FRAME_SEGDESC reference with its general one. */
static ALWAYS_INLINE void frame_put_typed_inline(struct frame *f)
{
	u64 ref;

	frame_stamp(f);
	ref = __atomic_fetch_sub(&f->ref, FRAME_REF_AND_TYPE, __ATOMIC_ACQ_REL);
	if (unlikely((ref & FRAME_COUNT_MASK) == 1))
		frame_last_put(f);
}

/* The type reference only; the general one stays. */
static ALWAYS_INLINE void frame_put_type_only(struct frame *f)
{
	frame_stamp(f);
	__atomic_fetch_sub(&f->ref, FRAME_TCOUNT_ONE, __ATOMIC_ACQ_REL);
}

/*
 * The owner is looked at before, not to touch strangers' frames, and after,
 * because only a held reference keeps it from changing.
 */
static ALWAYS_INLINE bool frame_get_inline(struct frame *f, u16 owner_id)
{
	u64 ref = frame_load_ref(f);

	do {
		if (unlikely(!frame_ref_usable(ref) ||
			     READ_ONCE(f->owner_id) != owner_id))
			return false;
	} while (unlikely(!frame_cas_ref(f, &ref, ref + 1)));
	if (likely(READ_ONCE(f->owner_id) == owner_id))
		return true;
	frame_put_inline(f);
	return false;
}

static ALWAYS_INLINE int frame_get_writable_inline(struct frame *f,
						   u16 owner_id)
{
	u64 ref = frame_load_ref(f);

	do {
		if (unlikely((ref & FRAME_KIND_MASK) !=
			     FRAME_KIND(FRAME_WRITABLE)))
			return frame_get_writable_slow(f, owner_id);
		if (unlikely(!frame_ref_usable(ref) ||
			     READ_ONCE(f->owner_id) != owner_id))
			return -EINVAL;
	} while (unlikely(!frame_cas_ref(f, &ref, ref + FRAME_REF_AND_TYPE)));
	if (likely(READ_ONCE(f->owner_id) == owner_id))
		return 0;
	frame_put_typed_inline(f);
	return -EINVAL;
}

#endif
