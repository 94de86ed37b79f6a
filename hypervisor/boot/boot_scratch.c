// SPDX-License-Identifier: Apache-2.0
/*
 * Small requests are cut from blocks of 256 KiB; a large one, such as a
 * decoder's dictionary, gets a block of its own, whose unused tail goes back
 * to the allocator at once: blocks are powers of two, dictionaries a little
 * more than one.
 */
#include "boot_scratch.h"

#include <hv/mm.h>
#include <hv/string.h>

#include <arch/layout.h>

#define SMALL_BLOCK_ORDER 6
#define SMALL_BLOCK_BYTES (PAGE_SIZE << SMALL_BLOCK_ORDER)
#define SCRATCH_ALIGN 64UL

/* Frees count frames at f in aligned powers of two. */
static void free_frames(struct frame *f, u64 count)
{
	while (count) {
		u64 mfn = frame_mfn(f);
		unsigned int order = 0;

		while (order < FRAME_ORDER_MAX &&
		       (mfn & ((2UL << order) - 1)) == 0 &&
		       (2UL << order) <= count)
			order++;
		frame_free(f, order);
		f += 1UL << order;
		count -= 1UL << order;
	}
}

static void *alloc_block(struct boot_scratch *s, u64 pages)
{
	unsigned int order = 0;
	struct frame *f;

	if (s->block_count == BOOT_SCRATCH_BLOCKS)
		return NULL;
	while ((1UL << order) < pages)
		order++;
	if (order > FRAME_ORDER_MAX)
		return NULL;
	f = frame_alloc(order);
	if (!f)
		return NULL;
	free_frames(f + pages, (1UL << order) - pages);
	s->blocks[s->block_count].frames = f;
	s->blocks[s->block_count].count = pages;
	s->block_count++;
	return mfn_to_virt(frame_mfn(f));
}

static void *scratch_alloc(void *ctx, size_t size_bytes)
{
	struct boot_scratch *s = ctx;
	u8 *p;

	if (size_bytes > (PAGE_SIZE << FRAME_ORDER_MAX))
		return NULL;
	size_bytes = ALIGN_UP(MAX(size_bytes, 1UL), SCRATCH_ALIGN);
	if (size_bytes > SMALL_BLOCK_BYTES / 2)
		return alloc_block(s, ALIGN_UP(size_bytes, PAGE_SIZE) >>
					      PAGE_SHIFT);
	if (size_bytes > s->left_bytes) {
		p = alloc_block(s, 1UL << SMALL_BLOCK_ORDER);
		if (!p)
			return NULL;
		s->next = p;
		s->left_bytes = SMALL_BLOCK_BYTES;
	}
	p = s->next;
	s->next += size_bytes;
	s->left_bytes -= size_bytes;
	return p;
}

void boot_scratch_init(struct boot_scratch *s)
{
	memset(s, 0, sizeof(*s));
	s->memory = (struct scratch){ scratch_alloc, s };
}

void boot_scratch_free(struct boot_scratch *s)
{
	while (s->block_count) {
		s->block_count--;
		free_frames(s->blocks[s->block_count].frames,
			    s->blocks[s->block_count].count);
	}
}
