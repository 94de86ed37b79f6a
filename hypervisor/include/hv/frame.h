/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame table: for every machine frame its owner, its type and how many
 * references it has. This is what keeps a guest from writing a page table.
 *
 * All state that must change together sits in one 64-bit word, changed only
 * by compare-and-exchange, so "type" and "count" are never two loads:
 *
 *   bits  0..27  general references (each present mapping, each pin, each
 *                hypervisor use, and the allocation itself)
 *   bits 28..55  references of the current type
 *   bits 56..58  type (enum frame_type)
 *   bit  59      validated: the type may be relied on. Tables and descriptor
 *                pages: every entry has been checked (and holds its
 *                references); writable: what CPUs cached while the frame had
 *                another type has been flushed
 *   bit  60      pinned by the owner (holds one type and general reference)
 *   bit  61      allocated to the owner (holds one general reference)
 *   bit  62      the hypervisor's: no word of a domain's frame equals one of
 *                these, so that a reference attempted while the owner changes
 *                fails by its compare-and-exchange
 *
 * Invariants: a frame has general references >= type references; its owner
 * changes only while it has no reference, and it becomes a domain's only under
 * that owner's mmu_lock and lock; its type changes only while it has no type
 * reference; page-table types are counted only under the owner's mmu_lock; a
 * frame's new type is validated only after every CPU that may cache a
 * translation (or a walk) of the old type has flushed. A type whose count
 * falls to zero stays until another is asked for, so that retaking it is free.
 */
#ifndef HV_FRAME_H
#define HV_FRAME_H

#include <hv/lock.h>
#include <hv/types.h>

#include <arch/layout.h>

enum frame_type {
	FRAME_UNTYPED = 0,
	FRAME_L1 = 1,
	FRAME_L2 = 2,
	FRAME_L3 = 3,
	FRAME_L4 = 4,
	FRAME_SEGDESC = 5, /* part of a GDT or LDT */
	FRAME_WRITABLE = 6,
};

#define FRAME_COUNT_MASK ((1UL << 28) - 1)
#define FRAME_TCOUNT_SHIFT 28
#define FRAME_TCOUNT_ONE (1UL << FRAME_TCOUNT_SHIFT)
#define FRAME_TCOUNT_MASK (FRAME_COUNT_MASK << FRAME_TCOUNT_SHIFT)
#define FRAME_TYPE_SHIFT 56
#define FRAME_TYPE_MASK (7UL << FRAME_TYPE_SHIFT)
#define FRAME_VALIDATED (1UL << 59)
#define FRAME_PINNED (1UL << 60)
#define FRAME_ALLOCATED (1UL << 61)
#define FRAME_HV (1UL << 62)

/* Owners that are no domains. */
#define OWNER_NONE 0xffffU /* free, or not RAM */
#define OWNER_HV 0xfffeU   /* the hypervisor's own */

/* frame->flags */
#define FRAME_FLAG_SHARED 0x01 /* shared info, grant table: no PFN, stays */
#define FRAME_FLAG_FREE 0x02   /* head of a free block of frame->order */
#define FRAME_FLAG_RAM 0x04    /* usable memory of the machine */
/* Another domain mapped it since it was allocated: any CPU may cache it. */
#define FRAME_FLAG_FOREIGN 0x08

/* frame->partial: a table between "no entry holds references" and "all do" */
enum frame_partial {
	FRAME_COMPLETE = 0,
	FRAME_VALIDATING = 1, /* entries below progress hold references */
	FRAME_DRAINING = 2,   /* the same, and they are being dropped: on the
			       * owner's drain list */
};

struct frame {
	u64 ref;
	u16 owner_id;
	u8 flags;
	u8 order;     /* of a free block */
	u32 stamp;    /* tlb_clock when the latest type reference went */
	u32 next_mfn; /* owner's list or free list; guarded by its lock */
	u32 prev_mfn;
	/* The rest is of tables, under the owner's mmu_lock. */
	u16 progress : 10;  /* entries done */
	u16 partial : 2;    /* enum frame_partial */
	u16 extent;         /* see frame_extent_bit */
	u32 drain_next_mfn; /* the next on the owner's drain list */
};

_Static_assert(sizeof(struct frame) == 32, "indexed by a shift");

/*
 * Whoever may own frames: embedded in struct domain. mm knows no more of a
 * domain than this.
 */
struct frame_owner {
	u16 id;
	bool dying;           /* takes no new references or frames */
	struct spinlock lock; /* the list and the counts below */
	u64 pages;            /* frames owned that count as its memory */
	u64 max_pages;
	u64 state_pages; /* frames of hypervisor state charged to it */
	u32 head_mfn;    /* list of owned frames; 0: empty */
	struct spinlock mmu_lock;
	u32 drain_mfn;  /* tables being invalidated; under mmu_lock */
	u64 dirty_cpus; /* CPUs that may cache its translations; atomic */
};

/* frame_table, indexed by mfn, comes from <arch/layout.h>. Frame 0 is never
 * handed out, so that 0 can end a list. */
extern u64 frame_max_mfn; /* no RAM at or above; set once by boot */

/*
 * Invariant: an entry of a table that holds references has its bit set in
 * frame->extent, one bit for 32 entries. Validation starts by setting exactly
 * the bits of the entries present, which nobody can change meanwhile; updates
 * of entries only add bits. Draining looks nowhere else.
 */
#define FRAME_EXTENT_SHIFT 5
#define FRAME_EXTENT_ENTRIES (1U << FRAME_EXTENT_SHIFT)

static inline u16 frame_extent_bit(unsigned int entry)
{
	return (u16)(1U << (entry >> FRAME_EXTENT_SHIFT));
}

static inline u64 frame_mfn(const struct frame *f)
{
	return (u64)(f - frame_table);
}

/* NULL unless mfn is RAM of the machine. */
static inline struct frame *frame_of_mfn(u64 mfn)
{
	if (unlikely(mfn >= frame_max_mfn))
		return NULL;
	return &frame_table[mfn];
}

static inline enum frame_type frame_type(u64 ref)
{
	return (enum frame_type)((ref & FRAME_TYPE_MASK) >> FRAME_TYPE_SHIFT);
}

static inline u64 frame_tcount(u64 ref)
{
	return (ref & FRAME_TCOUNT_MASK) >> FRAME_TCOUNT_SHIFT;
}

#endif
