// SPDX-License-Identifier: Apache-2.0
/*
 * Buddy allocator over the frame table. A free block is known by its first
 * frame: FRAME_FLAG_FREE, its order, and links (by frame number) in the list
 * of its zone and order. A block of order n starts at a multiple of 2^n and
 * never holds frame 0.
 *
 * Stale translations: a frame whose last reference went is stamped, not
 * flushed; whoever gets it next makes the CPUs that have not flushed since do
 * so, before the contents are zeroed. By then nearly always all have, so
 * freeing and allocating cost no interrupt.
 *
 * Zones: frames below 4 GiB are kept for those who need them, as long as there
 * are others. frames_lock guards everything here; it is the innermost lock.
 * FRAME_FLAG_FREE is set and cleared only under it, so a look at a neighbour's
 * flags is right about that bit whatever its holder does to the others.
 */
#include <hv/errno.h>
#include <hv/lock.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/cpu.h>
#include <arch/tlb.h>

#include "frame_inline.h"

enum zone { ZONE_LOW, ZONE_HIGH, ZONES };

#define ZONE_LOW_END_MFN (1UL << (32 - PAGE_SHIFT))

static struct spinlock frames_lock = SPINLOCK_INIT(RANK_FRAMES);
static u32 free_head[ZONES][FRAME_ORDER_MAX + 1]; /* mfn; 0: empty */
static u64 free_frames, total_frames;

static enum zone zone_of(u64 mfn)
{
	return mfn < ZONE_LOW_END_MFN ? ZONE_LOW : ZONE_HIGH;
}

static void block_insert(u64 mfn, unsigned int order)
{
	u32 *head = &free_head[zone_of(mfn)][order];
	struct frame *f = &frame_table[mfn];

	f->flags |= FRAME_FLAG_FREE;
	f->order = (u8)order;
	f->prev_mfn = 0;
	f->next_mfn = *head;
	if (*head)
		frame_table[*head].prev_mfn = (u32)mfn;
	*head = (u32)mfn;
}

static void block_remove(u64 mfn)
{
	struct frame *f = &frame_table[mfn];

	if (f->prev_mfn)
		frame_table[f->prev_mfn].next_mfn = f->next_mfn;
	else
		free_head[zone_of(mfn)][f->order] = f->next_mfn;
	if (f->next_mfn)
		frame_table[f->next_mfn].prev_mfn = f->prev_mfn;
	f->flags &= (u8)~FRAME_FLAG_FREE;
}

static void block_free(u64 mfn, unsigned int order)
{
	free_frames += 1UL << order;
	while (order < FRAME_ORDER_MAX) {
		u64 buddy = mfn ^ (1UL << order);
		const struct frame *b = &frame_table[buddy];

		if (buddy >= frame_max_mfn ||
		    !(READ_ONCE(b->flags) & FRAME_FLAG_FREE) ||
		    b->order != order)
			break;
		block_remove(buddy);
		mfn = MIN(mfn, buddy);
		order++;
	}
	block_insert(mfn, order);
}

/* Takes a free block of at least that order, the start of which lies below
 * end_mfn; splits off what is too much. 0: none. */
static u64 block_alloc(enum zone zone, unsigned int order, u64 end_mfn)
{
	unsigned int have;
	u64 mfn = 0;

	for (have = order; have <= FRAME_ORDER_MAX; have++) {
		mfn = free_head[zone][have];
		while (mfn && mfn + (1UL << order) > end_mfn)
			mfn = frame_table[mfn].next_mfn;
		if (mfn)
			break;
	}
	if (!mfn)
		return 0;
	block_remove(mfn);
	while (have > order) {
		have--;
		block_insert(mfn + (1UL << have), have);
	}
	free_frames -= 1UL << order;
	return mfn;
}

void frame_alloc_add(u64 start_mfn, u64 end_mfn)
{
	u64 mfn = MAX(start_mfn, 1UL);

	CHECK(end_mfn <= frame_max_mfn);
	spin_lock(&frames_lock);
	while (mfn < end_mfn) {
		unsigned int order = 0;
		u64 i;

		while (order < FRAME_ORDER_MAX &&
		       !(mfn & ((1UL << (order + 1)) - 1)) &&
		       mfn + (1UL << (order + 1)) <= end_mfn)
			order++;
		for (i = mfn; i < mfn + (1UL << order); i++)
			frame_table[i] = (struct frame){
				.owner_id = OWNER_NONE,
				.flags = FRAME_FLAG_RAM,
			};
		total_frames += 1UL << order;
		block_free(mfn, order);
		mfn += 1UL << order;
	}
	spin_unlock(&frames_lock);
}

/* Nobody else knows these frames: flush what CPUs remember of their former
 * life, then wipe that. */
static struct frame *block_hand_out(u64 mfn, unsigned int order)
{
	u64 everywhere = ~0UL >> (64 - cpu_count);
	struct frame *f = &frame_table[mfn];
	u64 i;

	for (i = 0; i < 1UL << order; i++) {
		if (i == 0 || f[i].stamp != f[i - 1].stamp)
			tlb_flush_since(everywhere, f[i].stamp);
		WRITE_ONCE(f[i].flags, FRAME_FLAG_RAM);
		f[i].partial = FRAME_COMPLETE;
		f[i].progress = 0;
		f[i].extent = 0;
		WRITE_ONCE(f[i].owner_id, OWNER_HV);
		__atomic_store_n(&f[i].ref, FRAME_HV | 1, __ATOMIC_RELEASE);
	}
	memset(mfn_to_virt(mfn), 0, PAGE_SIZE << order);
	return f;
}

struct frame *frame_alloc(unsigned int order)
{
	return frame_alloc_below(order, ~0UL);
}

struct frame *frame_alloc_below(unsigned int order, u64 limit)
{
	u64 end_mfn = limit >> PAGE_SHIFT;
	u64 mfn = 0;

	if (order > FRAME_ORDER_MAX)
		return NULL;
	spin_lock(&frames_lock);
	if (end_mfn > ZONE_LOW_END_MFN)
		mfn = block_alloc(ZONE_HIGH, order, end_mfn);
	if (!mfn)
		mfn = block_alloc(ZONE_LOW, order, end_mfn);
	spin_unlock(&frames_lock);
	return mfn ? block_hand_out(mfn, order) : NULL;
}

void frame_free(struct frame *f, unsigned int order)
{
	u32 now = tlb_clock_now();
	u64 i;

	for (i = 0; i < 1UL << order; i++) {
		CHECK(f[i].owner_id == OWNER_HV &&
		      (frame_load_ref(&f[i]) &
		       (FRAME_COUNT_MASK | FRAME_TCOUNT_MASK)) == 1);
		WRITE_ONCE(f[i].owner_id, OWNER_NONE);
		WRITE_ONCE(f[i].flags, FRAME_FLAG_RAM);
		f[i].stamp = now;
		__atomic_store_n(&f[i].ref, 0, __ATOMIC_RELEASE);
	}
	spin_lock(&frames_lock);
	block_free(frame_mfn(f), order);
	spin_unlock(&frames_lock);
}

u64 frame_free_count(void)
{
	return READ_ONCE(free_frames);
}

u64 frame_total_count(void)
{
	return READ_ONCE(total_frames);
}

void *state_page_alloc(struct frame_owner *owner)
{
	struct frame *f;
	bool dying;

	spin_lock(&owner->lock);
	dying = owner->dying;
	if (!dying)
		owner->state_pages++;
	spin_unlock(&owner->lock);
	if (dying)
		return NULL;
	f = frame_alloc(0);
	if (f)
		return mfn_to_virt(frame_mfn(f));
	spin_lock(&owner->lock);
	owner->state_pages--;
	spin_unlock(&owner->lock);
	return NULL;
}

void state_page_free(struct frame_owner *owner, void *page)
{
	frame_free(&frame_table[virt_to_mfn(page)], 0);
	spin_lock(&owner->lock);
	owner->state_pages--;
	spin_unlock(&owner->lock);
}
