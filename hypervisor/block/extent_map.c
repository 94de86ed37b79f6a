// SPDX-License-Identifier: Apache-2.0
/* Extents of a VBD (contract in extent_map.h). */
#include "extent_map.h"

#include <hv/errno.h>

static struct extent *at(const struct extent_map *m, u32 i)
{
	return &m->pages[i / EXTENTS_PER_PAGE][i % EXTENTS_PER_PAGE];
}

static u64 length(const struct extent_map *m, u32 i)
{
	u64 end = i + 1 < m->count ? at(m, i + 1)->first : m->sectors;

	return end - at(m, i)->first;
}

int extent_map_add(struct extent_map *m, u32 disk, u64 sector, u64 sectors)
{
	u64 place = (u64)disk << EXTENT_DISK_SHIFT | sector;

	if (!sectors || sector >= EXTENT_SECTORS_MAX ||
	    sectors > EXTENT_SECTORS_MAX ||
	    m->sectors > EXTENT_SECTORS_MAX - sectors)
		return -EINVAL;
	if (m->count) {
		u32 last = m->count - 1;

		if (at(m, last)->place + length(m, last) == place) {
			m->sectors += sectors;
			return 0;
		}
	}
	if (m->count == m->capacity)
		return -ENOSPC;
	*at(m, m->count) = (struct extent){ m->sectors, place };
	m->count++;
	m->sectors += sectors;
	return 0;
}

void extent_map_find(const struct extent_map *m, u64 sector,
		     struct extent_run *run)
{
	u32 low = 0, high = m->count;
	const struct extent *e;
	u64 into;

	/* at(low)->first <= sector < at(high)->first */
	while (high - low > 1) {
		u32 middle = (low + high) / 2;

		if (at(m, middle)->first <= sector)
			low = middle;
		else
			high = middle;
	}
	e = at(m, low);
	into = sector - e->first;
	run->disk = (u32)(e->place >> EXTENT_DISK_SHIFT);
	run->sector = (e->place & ((1UL << EXTENT_DISK_SHIFT) - 1)) + into;
	run->sectors = length(m, low) - into;
}

u32 extent_map_sort_step(struct extent_map *m, u32 width, u16 *scratch)
{
	if (width == 1) {
		for (u32 i = 0; i < m->count; i++)
			m->order[i] = (u16)i;
	}
	if (width >= m->count)
		return 0;
	for (u32 start = 0; start < m->count; start += 2 * width) {
		u32 middle = MIN(start + width, m->count);
		u32 end = MIN(start + 2 * width, m->count);
		u32 a = start, b = middle;

		for (u32 out = start; out < end; out++) {
			if (b == end ||
			    (a < middle && at(m, m->order[a])->place <=
						   at(m, m->order[b])->place))
				scratch[out] = m->order[a++];
			else
				scratch[out] = m->order[b++];
		}
	}
	for (u32 i = 0; i < m->count; i++)
		m->order[i] = scratch[i];
	return width * 2 >= m->count ? 0 : width * 2;
}

bool extent_map_overlap(const struct extent_map *a, const struct extent_map *b)
{
	u32 i = 0, j = 0;

	while (i < a->count && j < b->count) {
		u64 a_first = at(a, a->order[i])->place;
		u64 b_first = at(b, b->order[j])->place;
		u64 a_end = a_first + length(a, a->order[i]);
		u64 b_end = b_first + length(b, b->order[j]);

		if (a_first < b_end && b_first < a_end)
			return true;
		/* What ends first can meet nothing that comes later: sorted by
		 * beginning, later ones of the other begin no earlier. */
		if (a_end <= b_end)
			i++;
		else
			j++;
	}
	return false;
}
