/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a VBD's sectors are: an ordered list of extents of disks. Pure; the
 * owner gives it memory, and never changes it while others look sectors up.
 */
#ifndef EXTENT_MAP_H
#define EXTENT_MAP_H

#include <hv/types.h>

#define EXTENTS_MAX 1024
#define EXTENTS_PER_PAGE 256
#define EXTENT_PAGES (EXTENTS_MAX / EXTENTS_PER_PAGE)

/* Where in the map it begins; where on which disk. It ends where the next one
 * begins. */
struct extent {
	u64 first;
	u64 place; /* disk << EXTENT_DISK_SHIFT | sector */
};

#define EXTENT_DISK_SHIFT 56
#define EXTENT_SECTORS_MAX (1UL << 54)

struct extent_map {
	u32 count;
	u32 capacity;
	u64 sectors;
	struct extent *pages[EXTENT_PAGES]; /* as many as capacity needs */
	u16 *order; /* of capacity: indices by place, once sorted */
};

/* A stretch of a disk. */
struct extent_run {
	u32 disk;
	u64 sector, sectors;
};

/* Appends; joins what continues the last one. -ENOSPC: at capacity. */
int extent_map_add(struct extent_map *m, u32 disk, u64 sector, u64 sectors)
	MUST_CHECK;
/* From the map's `sector` on, as far as it is one stretch; sector must be
 * below m->sectors. O(log count). */
void extent_map_find(const struct extent_map *m, u64 sector,
		     struct extent_run *run);
/* Fills order. A step is one round of merging, width 1 first; returns the
 * next width, 0: sorted. scratch has m->count elements. */
u32 extent_map_sort_step(struct extent_map *m, u32 width, u16 *scratch);
/* Some sector of a disk is in both; both sorted. At most a->count + b->count
 * steps. */
bool extent_map_overlap(const struct extent_map *a, const struct extent_map *b);

#endif
