// SPDX-License-Identifier: Apache-2.0
/*
 * Extent maps against a model that has one element per sector, with maps made
 * at random: lookup, joining, order and overlap.
 */
#include <string.h>

#include <hv/errno.h>

#include "../../block/extent_map.h"
#include "check.h"

#define DISKS 3
#define DISK_SECTORS 20000U
#define MODEL_SECTORS 60000U

struct world {
	struct extent_map map;
	struct extent pages[EXTENT_PAGES][EXTENTS_PER_PAGE];
	u16 order[EXTENTS_MAX];
	u32 place[MODEL_SECTORS]; /* disk * DISK_SECTORS + sector */
	u8 used[DISKS * DISK_SECTORS];
	u32 pieces; /* that do not follow their predecessor */
};

static struct world one, two;
static u16 scratch[EXTENTS_MAX];

static void clear(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->map.capacity = EXTENTS_MAX;
	w->map.order = w->order;
	for (u32 i = 0; i < EXTENT_PAGES; i++)
		w->map.pages[i] = w->pages[i];
}

static void add(struct world *w, u32 disk, u32 sector, u32 sectors)
{
	u64 at = w->map.sectors;

	assert_int_equal(extent_map_add(&w->map, disk, sector, sectors), 0);
	for (u32 i = 0; i < sectors; i++) {
		u32 place = disk * DISK_SECTORS + sector + i;

		if (!(at + i) || w->place[at + i - 1] + 1 != place ||
		    place % DISK_SECTORS == 0)
			w->pieces++;
		w->place[at + i] = place;
		w->used[place] = 1;
	}
}

static void sort(struct world *w)
{
	u32 width = 1;

	while (width)
		width = extent_map_sort_step(&w->map, width, scratch);
}

static void make(struct world *w, u64 *seed)
{
	u32 extents = 1 + (u32)(random_next(seed) % 60);
	u32 most = random_next(seed) % 4 ? 30 : 400;
	u32 next = 0;

	clear(w);
	for (u32 i = 0; i < extents; i++) {
		u32 sectors = 1 + (u32)(random_next(seed) % most);
		u32 disk = (u32)(random_next(seed) % DISKS);
		u32 sector =
			(u32)(random_next(seed) % (DISK_SECTORS - sectors + 1));

		/* Often right behind the last. */
		if (i && random_next(seed) % 3 == 0) {
			disk = next / DISK_SECTORS;
			sector = next % DISK_SECTORS;
			if (sector + sectors > DISK_SECTORS || disk >= DISKS)
				continue;
		}
		add(w, disk, sector, sectors);
		next = disk * DISK_SECTORS + sector + sectors;
	}
	sort(w);
}

static void check_lookup(const struct world *w)
{
	for (u64 s = 0; s < w->map.sectors; s++) {
		struct extent_run run;
		u64 length = 1;

		extent_map_find(&w->map, s, &run);
		assert_int_equal(run.disk * DISK_SECTORS + run.sector,
				 w->place[s]);
		while (s + length < w->map.sectors && length < run.sectors) {
			assert_int_equal(w->place[s + length],
					 w->place[s] + length);
			length++;
		}
		assert_int_equal(length, run.sectors);
	}
	assert_int_equal(w->map.count, w->pieces);
}

static void check_order(const struct world *w)
{
	u8 seen[EXTENTS_MAX] = { 0 };
	u64 last = 0;

	for (u32 i = 0; i < w->map.count; i++) {
		u32 index = w->order[i];
		u64 place = w->pages[index / EXTENTS_PER_PAGE]
				    [index % EXTENTS_PER_PAGE]
					    .place;

		assert_false(seen[index]);
		seen[index] = 1;
		assert_true(place >= last);
		last = place;
	}
}

static bool model_overlap(void)
{
	for (u32 i = 0; i < DISKS * DISK_SECTORS; i++) {
		if (one.used[i] && two.used[i])
			return true;
	}
	return false;
}

static void random_maps_are_what_the_model_says(void **state)
{
	u64 seed = 7;
	u32 overlaps = 0, rounds = 1000;

	(void)state;
	for (u32 i = 0; i < rounds; i++) {
		bool expected;

		make(&one, &seed);
		make(&two, &seed);
		if (i % 20 == 0)
			check_lookup(&one);
		check_order(&one);
		expected = model_overlap();
		overlaps += expected;
		assert_int_equal(extent_map_overlap(&one.map, &two.map),
				 expected);
		assert_int_equal(extent_map_overlap(&two.map, &one.map),
				 expected);
	}
	assert_in_range(overlaps, rounds / 10, rounds * 9 / 10);
}

static void a_full_map(void **state)
{
	(void)state;
	clear(&one);
	for (u32 i = 0; i < EXTENTS_MAX; i++)
		add(&one, 0, 2 * (EXTENTS_MAX - i), 1);
	sort(&one);
	check_order(&one);
	check_lookup(&one);
	assert_int_equal(extent_map_add(&one.map, 0, 0, 1), -ENOSPC);
	/* But what continues the last needs no room. */
	assert_int_equal(extent_map_add(&one.map, 0, 3, 1), 0);
	assert_int_equal(one.map.count, EXTENTS_MAX);
}

static void neighbours_do_not_overlap(void **state)
{
	(void)state;
	clear(&one);
	clear(&two);
	add(&one, 1, 100, 50);
	add(&two, 1, 150, 50);
	add(&two, 1, 50, 50);
	add(&two, 0, 100, 50);
	sort(&one);
	sort(&two);
	assert_false(extent_map_overlap(&one.map, &two.map));
	add(&two, 1, 149, 1);
	sort(&two);
	assert_true(extent_map_overlap(&one.map, &two.map));
}

static void sizes_that_would_overflow(void **state)
{
	(void)state;
	clear(&one);
	assert_int_equal(extent_map_add(&one.map, 0, 0, 0), -EINVAL);
	assert_int_equal(extent_map_add(&one.map, 0, ~0UL, 1), -EINVAL);
	assert_int_equal(extent_map_add(&one.map, 0, 0, ~0UL), -EINVAL);
	assert_int_equal(extent_map_add(&one.map, 0, 0, EXTENT_SECTORS_MAX), 0);
	assert_int_equal(extent_map_add(&one.map, 1, 0, 1), -EINVAL);
	assert_int_equal(one.map.count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_maps_are_what_the_model_says),
		cmocka_unit_test(a_full_map),
		cmocka_unit_test(neighbours_do_not_overlap),
		cmocka_unit_test(sizes_that_would_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
