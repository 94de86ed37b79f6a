// SPDX-License-Identifier: Apache-2.0
/* Tests of storage/extents.c and console/console_ring.c: pure parts. */
/* Each uses types of those before it. */
/* clang-format off */
#include "unit.h"
#include <xen/xen.h>
#include <xen/io/console.h>
/* clang-format on */

#include "console/console_ring.h"
#include "storage/extents.h"

static size_t take(struct xencons_interface *ring,
		   char out[CONSOLE_RING_OUT_BYTES])
{
	uint32_t end;
	size_t count = console_ring_peek(ring, out, &end);

	/* It is there until it is dropped. */
	assert_int_equal(console_ring_peek(ring, out, &end), count);
	console_ring_drop(ring, end);
	return count;
}

static struct extents e;
static struct error err;

static int set_up(void **state)
{
	(void)state;
	memset(&e, 0, sizeof(e));
	return 0;
}

static void adjoining_pieces_become_one(void **state)
{
	(void)state;
	assert_int_equal(extents_add(&e, 0, 100, 50, &err), 0);
	assert_int_equal(extents_add(&e, 0, 150, 10, &err), 0);
	assert_int_equal(extents_add(&e, 1, 160, 10, &err), 0);
	assert_int_equal(extents_add(&e, 1, 10, 10, &err), 0);
	assert_int_equal(e.count, 3);
	assert_int_equal(e.list[0].sectors, 60);
	assert_int_equal(e.list[2].first_sector, 10);
	assert_int_equal(e.sectors, 80);
}

static void list_has_an_end(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < XENO_VBD_EXTENTS_MAX; i++)
		assert_int_equal(extents_add(&e, 0, i * 4, 2, &err), 0);
	assert_int_equal(extents_add(&e, 0, 1 << 20, 2, &err), -1);
	assert_int_equal(e.count, XENO_VBD_EXTENTS_MAX);
	assert_int_equal(e.sectors, XENO_VBD_EXTENTS_MAX * 2);
}

static void impossible_pieces_are_refused(void **state)
{
	(void)state;
	assert_int_equal(extents_add(&e, 0, 5, 0, &err), -1);
	assert_int_equal(extents_add(&e, 0, UINT64_MAX, 2, &err), -1);
	assert_int_equal(e.count, 0);
}

static void only_linear_segments_are_read(void **state)
{
	struct linear_segment s;

	(void)state;
	assert_true(linear_segment_parse(&s, "2048 4096 linear 202:1 384"));
	assert_int_equal(s.first, 2048);
	assert_int_equal(s.sectors, 4096);
	assert_int_equal(s.high, 202);
	assert_int_equal(s.low, 1);
	assert_int_equal(s.target_first, 384);
	assert_false(linear_segment_parse(&s, "0 4096 striped 2 32 202:1 0"));
	assert_false(linear_segment_parse(&s, "0 4096 linear 202:1"));
	assert_false(linear_segment_parse(&s, "0 4096 linear 202:1 384 x"));
}

static void whole_disk_is_one_piece(void **state)
{
	struct disk_config d = { .kind = DISK_WHOLE, .source = "2" };

	(void)state;
	assert_int_equal(extents_of_config(&e, &d, 1000, &err), 0);
	assert_int_equal(e.count, 1);
	assert_int_equal(e.list[0].disk, 2);
	assert_int_equal(e.sectors, 1000);
	strcpy(d.source, "2x");
	assert_int_equal(extents_of_config(&e, &d, 1000, &err), -1);
}

static void file_that_is_not_there_is_told(void **state)
{
	struct disk_config d = { .kind = DISK_FILE, .source = "/nonexistent" };

	(void)state;
	assert_int_equal(extents_of_config(&e, &d, 0, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void ring_passes_bytes_around_its_end(void **state)
{
	static struct xencons_interface ring;
	char out[CONSOLE_RING_OUT_BYTES];

	(void)state;
	ring.out_cons = ring.out_prod = 2046;
	ring.out[2046] = 'a';
	ring.out[2047] = 'b';
	ring.out[0] = 'c';
	ring.out_prod += 3;
	assert_int_equal(take(&ring, out), 3);
	assert_memory_equal(out, "abc", 3);
	assert_int_equal(take(&ring, out), 0);
}

static void lying_ring_gives_nothing(void **state)
{
	static struct xencons_interface ring;
	char out[CONSOLE_RING_OUT_BYTES];

	(void)state;
	ring.out_prod = 5000;
	assert_int_equal(take(&ring, out), 0);
	ring.out[5000 % 2048] = 'x';
	ring.out_prod = 5001;
	assert_int_equal(take(&ring, out), 1);
	assert_int_equal(out[0], 'x');
	ring.in_prod = 3;
	ring.in_cons = 9;
	assert_int_equal(console_ring_put(&ring, "abc", 3), 0);
}

static void typing_stops_when_the_ring_is_full(void **state)
{
	static struct xencons_interface ring;
	char text[1500];

	(void)state;
	memset(text, 'q', sizeof(text));
	assert_int_equal(console_ring_put(&ring, text, sizeof(text)), 1024);
	assert_int_equal(console_ring_put(&ring, text, 1), 0);
	ring.in_cons = 5;
	assert_int_equal(console_ring_put(&ring, "abcdefg", 7), 5);
	assert_int_equal(ring.in[0], 'a');
}

#define T(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(adjoining_pieces_become_one),
		T(list_has_an_end),
		T(impossible_pieces_are_refused),
		T(only_linear_segments_are_read),
		T(whole_disk_is_one_piece),
		T(file_that_is_not_there_is_told),
		T(ring_passes_bytes_around_its_end),
		T(lying_ring_gives_nothing),
		T(typing_stops_when_the_ring_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
