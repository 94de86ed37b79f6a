// SPDX-License-Identifier: Apache-2.0
/*
 * References and types of frames (hv/frame.h has the word and its rules).
 *
 * A change of type has three steps: take the new type with one reference and
 * without FRAME_VALIDATED, by which everyone else is kept out; make all CPUs
 * forget what they cached under the old type; check the contents and set
 * FRAME_VALIDATED. Page-table types do so under the owner's mmu_lock
 * (page_table.c). Writable and descriptor types may be asked for under any
 * lock, so their changes share type_lock: whoever finds a type without
 * FRAME_VALIDATED waits on that lock, where flush requests are served.
 */
#include <hv/descriptor.h>
#include <hv/errno.h>
#include <hv/mm.h>

#include <arch/cpu.h>

#include "frame_inline.h"

static struct spinlock type_lock = SPINLOCK_INIT(RANK_FRAME_TYPE);

void frame_stamp_slow(struct frame *f)
{
	u32 old = READ_ONCE(f->stamp), now;

	/* Read after the old stamp, the clock is never behind it. */
	do
		now = tlb_clock_now();
	while (old != now && !__atomic_compare_exchange_n(
				     &f->stamp, &old, now, false,
				     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

void frame_flush(const struct frame_owner *o, const struct frame *f)
{
	u64 mask = ~0UL >> (64 - cpu_count);

	if (o && !(READ_ONCE(f->flags) & FRAME_FLAG_FOREIGN))
		mask = __atomic_load_n(&o->dirty_cpus, __ATOMIC_ACQUIRE);
	tlb_flush_since(mask, READ_ONCE(f->stamp));
}

bool frame_get(struct frame *f, u16 owner_id)
{
	return frame_get_inline(f, owner_id);
}

void frame_put(struct frame *f)
{
	frame_put_inline(f);
}

int frame_get_writable(struct frame *f, u16 owner_id)
{
	return frame_get_writable_inline(f, owner_id);
}

void frame_put_writable(struct frame *f)
{
	frame_put_typed_inline(f);
}

void frame_put_segdesc(struct frame *f)
{
	frame_put_typed_inline(f);
}

static int segdesc_validate(struct frame *f)
{
	u64 *desc = mfn_to_virt(frame_mfn(f));
	unsigned int i;
	int rc;

	for (i = 0; i < PAGE_SIZE / sizeof(*desc); i++) {
		rc = descriptor_check(&desc[i]);
		if (rc)
			return rc;
	}
	return 0;
}

/* One reference of a type whose contents failed the check: as if never
 * taken. All CPUs have flushed, so the frame needs no type. */
static void type_withdraw(struct frame *f)
{
	u64 ref = frame_load_ref(f);

	while (!frame_cas_ref(f, &ref,
			      (ref - FRAME_TCOUNT_ONE) & ~FRAME_KIND_MASK))
		;
}

/* Adds a type reference to a frame on which the caller holds a general one,
 * so that its owner o stays. */
static int type_get(const struct frame_owner *o, struct frame *f,
		    enum frame_type type)
{
	u64 ref, want = FRAME_KIND(type);
	int rc = 0;

	spin_lock(&type_lock);
	ref = frame_load_ref(f);
	for (;;) {
		if ((ref & FRAME_KIND_MASK) == want) {
			if (frame_cas_ref(f, &ref, ref + FRAME_TCOUNT_ONE))
				goto out;
		} else if (ref & FRAME_TCOUNT_MASK) {
			rc = -EBUSY;
			goto out;
		} else if (frame_cas_ref(f, &ref,
					 ((ref & ~FRAME_KIND_MASK) |
					  (want & FRAME_TYPE_MASK)) +
						 FRAME_TCOUNT_ONE)) {
			break;
		}
	}
	if (frame_type(ref) != FRAME_UNTYPED)
		frame_flush(o, f);
	if (type == FRAME_SEGDESC)
		rc = segdesc_validate(f);
	if (rc)
		type_withdraw(f);
	else
		__atomic_fetch_or(&f->ref, FRAME_VALIDATED, __ATOMIC_ACQ_REL);
out:
	spin_unlock(&type_lock);
	return rc;
}

int frame_get_writable_slow(struct frame *f, u16 owner_id)
{
	int rc;

	if (!frame_get_inline(f, owner_id))
		return -EINVAL;
	rc = type_get(frame_owner_find(owner_id), f, FRAME_WRITABLE);
	if (rc)
		frame_put_inline(f);
	return rc;
}

int frame_get_readonly(struct frame_owner *o, struct frame *f)
{
	int rc;

	if (!frame_get_inline(f, o->id))
		return -EINVAL;
	rc = -EINVAL;
	if (READ_ONCE(f->flags) & FRAME_FLAG_SHARED)
		rc = type_get(o, f, FRAME_SEGDESC);
	if (rc)
		frame_put_inline(f);
	return rc;
}

int frame_get_segdesc(struct frame_owner *o, struct frame *f)
{
	int rc;

	if (!frame_get_inline(f, o->id))
		return -EINVAL;
	/* The hypervisor writes shared frames at will. */
	rc = -EINVAL;
	if (!(READ_ONCE(f->flags) & FRAME_FLAG_SHARED))
		rc = type_get(o, f, FRAME_SEGDESC);
	if (rc)
		frame_put_inline(f);
	return rc;
}
