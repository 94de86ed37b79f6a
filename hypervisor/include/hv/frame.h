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
 *   bit  59      validated: every entry of the table has been checked and
 *                holds its references
 *   bit  60      pinned by the owner (holds one type and general reference)
 *   bit  61      allocated to the owner (holds one general reference)
 *
 * Invariants: a frame has general references >= type references; its owner
 * changes only while it has no reference; its type changes only while it has
 * no type reference; page-table types are entered and left only under the
 * owner's mmu_lock; a frame leaves FRAME_WRITABLE for another type only after
 * every CPU that may cache a writable translation has flushed.
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

/* Owners that are no domains. */
#define OWNER_NONE 0xffffU /* free, or not RAM */
#define OWNER_HV 0xfffeU   /* the hypervisor's own */

/* frame->flags */
#define FRAME_FLAG_SHARED 0x01 /* shared info, grant table: no PFN, stays */
#define FRAME_FLAG_FREE 0x02   /* head of a free block of frame->order */
#define FRAME_FLAG_RAM 0x04    /* usable memory of the machine */

struct frame {
	u64 ref;
	u16 owner_id;
	u8 flags;
	u8 order;       /* of a free block */
	u32 stamp;      /* tlb_clock when the last type reference went */
	u32 next_mfn;   /* owner's list or free list; guarded by its lock */
	u32 prev_mfn;
	u16 progress;   /* entries done of a preempted (in)validation */
	u16 partial;    /* nonzero: enum frame_partial */
	u32 reserved;
};

_Static_assert(sizeof(struct frame) == 32, "indexed by a shift");

/*
 * Whoever may own frames: embedded in struct domain. mm knows no more of a
 * domain than this.
 */
struct frame_owner {
	u16 id;
	bool dying;            /* takes no new references or frames */
	struct spinlock lock;  /* the list and the counts below */
	u64 pages;             /* frames owned that count as its memory */
	u64 max_pages;
	u64 state_pages;       /* frames of hypervisor state charged to it */
	u32 head_mfn;          /* list of owned frames; 0: empty */
	struct spinlock mmu_lock;
	u64 dirty_cpus;        /* CPUs that may cache its translations; atomic */
};

/* frame_table, indexed by mfn, comes from <arch/layout.h>. */
extern u64 frame_max_mfn; /* no RAM at or above */

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
