// SPDX-License-Identifier: Apache-2.0
/*
 * Turns the firmware's ranges, which may overlap, touch, or start in the
 * middle of a page, into the sorted disjoint map of struct boot_info. Every
 * range is painted over what is there; a piece already painted with a type
 * of higher rank keeps it.
 */
#include "memory_map.h"

#include <hv/boot_info.h>
#include <hv/string.h>

/* No address beyond the architecture's 52 bits is memory. */
#define MADDR_LIMIT (1UL << 52)

static bool insert_at(struct boot_info *bi, u32 at, u64 start, u64 end,
		      enum boot_range_type type)
{
	struct boot_range *r = &bi->ranges[at];

	if (bi->range_count == BOOT_RANGES_MAX)
		return false;
	memmove(r + 1, r, (bi->range_count - at) * sizeof(*r));
	*r = (struct boot_range){ start, end, type };
	bi->range_count++;
	return true;
}

static void remove_at(struct boot_info *bi, u32 at)
{
	struct boot_range *r = &bi->ranges[at];

	bi->range_count--;
	memmove(r, r + 1, (bi->range_count - at) * sizeof(*r));
}

static void merge_neighbours(struct boot_info *bi)
{
	u32 i = 1;

	while (i < bi->range_count) {
		struct boot_range *prev = &bi->ranges[i - 1];
		struct boot_range *next = &bi->ranges[i];

		if (prev->end_maddr == next->start_maddr &&
		    prev->type == next->type) {
			prev->end_maddr = next->end_maddr;
			remove_at(bi, i);
		} else {
			i++;
		}
	}
}

/* Gives [start, end), which lies inside range number at, another type. */
static bool repaint(struct boot_info *bi, u32 at, u64 start, u64 end,
		    enum boot_range_type type)
{
	struct boot_range old = bi->ranges[at];

	if (end < old.end_maddr) {
		if (!insert_at(bi, at + 1, end, old.end_maddr, old.type))
			return false;
		bi->ranges[at].end_maddr = end;
	}
	if (start == old.start_maddr) {
		bi->ranges[at].type = type;
		return true;
	}
	bi->ranges[at].end_maddr = start;
	return insert_at(bi, at + 1, start, end, type);
}

static bool paint(struct boot_info *bi, u64 start, u64 end,
		  enum boot_range_type type)
{
	u32 i = 0;

	while (start < end) {
		u64 stop = end;

		while (i < bi->range_count && bi->ranges[i].end_maddr <= start)
			i++;
		if (i == bi->range_count)
			return insert_at(bi, i, start, end, type);
		if (bi->ranges[i].start_maddr > start) {
			stop = MIN(end, bi->ranges[i].start_maddr);
			if (!insert_at(bi, i, start, stop, type))
				return false;
		} else {
			stop = MIN(end, bi->ranges[i].end_maddr);
			if (type > bi->ranges[i].type &&
			    !repaint(bi, i, start, stop, type))
				return false;
		}
		start = stop;
	}
	return true;
}

bool memory_map_add(struct boot_info *bi, u64 start, u64 size_bytes,
		    enum boot_range_type type)
{
	u64 end;

	if (start >= MADDR_LIMIT)
		return true;
	end = start + MIN(size_bytes, MADDR_LIMIT - start);
	if (type == BOOT_RANGE_RAM) {
		start = ALIGN_UP(start, PAGE_SIZE);
		end = ALIGN_DOWN(end, PAGE_SIZE);
	} else if (size_bytes != 0) {
		start = ALIGN_DOWN(start, PAGE_SIZE);
		end = ALIGN_UP(end, PAGE_SIZE);
	}
	if (!paint(bi, start, end, type))
		return false;
	merge_neighbours(bi);
	return true;
}
