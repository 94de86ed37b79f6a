// SPDX-License-Identifier: Apache-2.0
/* The buddy allocator against a model that knows each frame's state. */
#include <hv/mm.h>

#include <arch/host_machine.h>

#include "unit.h"

/* Two pieces of RAM with a hole, starting at odd places. */
#define FRAMES 5000UL
#define HOLE_START 1003UL
#define HOLE_END 1501UL

static bool used[FRAMES];

static bool usable(u64 mfn)
{
	return mfn && mfn < FRAMES && (mfn < HOLE_START || mfn >= HOLE_END);
}

static u64 random_state = 88172645463325252UL;

static u64 random_below(u64 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 16) % n;
}

static u64 model_free(void)
{
	u64 n = 0, i;

	for (i = 0; i < FRAMES; i++)
		n += usable(i) && !used[i];
	return n;
}

/* Whether some aligned block of that order is free and ends below limit. */
static bool model_has_block(unsigned int order, u64 end_mfn)
{
	u64 size = 1UL << order, mfn, i;

	for (mfn = 0; mfn + size <= MIN(FRAMES, end_mfn); mfn += size) {
		for (i = mfn; i < mfn + size; i++)
			if (!usable(i) || used[i])
				break;
		if (i == mfn + size)
			return true;
	}
	return false;
}

static void take(struct frame *f, unsigned int order, u64 end_mfn)
{
	u64 mfn = frame_mfn(f), i, w;

	assert_int_equal(mfn & ((1UL << order) - 1), 0);
	assert_true(mfn + (1UL << order) <= end_mfn);
	for (i = mfn; i < mfn + (1UL << order); i++) {
		u64 *page = mfn_to_virt(i);

		assert_true(usable(i) && !used[i]);
		used[i] = true;
		assert_int_equal(frame_table[i].owner_id, OWNER_HV);
		assert_int_equal(frame_table[i].ref & FRAME_COUNT_MASK, 1);
		for (w = 0; w < 512; w += 73)
			assert_int_equal(page[w], 0);
		page[random_below(512) / 73 * 73] = ~0UL;
	}
}

static void give_back(u64 mfn, unsigned int order)
{
	u64 i;

	for (i = mfn; i < mfn + (1UL << order); i++)
		used[i] = false;
	frame_free(&frame_table[mfn], order);
}

static void blocks_are_free_exactly_when_the_model_says(void **state)
{
	static struct {
		u64 mfn;
		unsigned int order;
	} held[2000];
	unsigned int n = 0, step, failed = 0;

	(void)state;
	for (step = 0; step < 20000; step++) {
		bool more = random_below(100) < (step / 2000 % 2 ? 30 : 70);

		if (more && n < ARRAY_SIZE(held)) {
			unsigned int order =
				(unsigned int)(random_below(4)
						       ? random_below(4)
						       : random_below(12));
			u64 end = random_below(4) ? FRAMES
						  : 1UL << random_below(13);
			struct frame *f = frame_alloc_below(order, end << 12);

			if (!f) {
				failed++;
				if (step % 16 == 0)
					assert_false(
						model_has_block(order, end));
				continue;
			}
			take(f, order, end);
			held[n].mfn = frame_mfn(f);
			held[n++].order = order;
		} else if (n) {
			u64 i = random_below(n);

			give_back(held[i].mfn, held[i].order);
			held[i] = held[--n];
		}
		if (step % 64 == 0)
			assert_int_equal(frame_free_count(), model_free());
	}
	assert_true(failed > 100);
	while (n--)
		give_back(held[n].mfn, held[n].order);
	assert_int_equal(frame_free_count(), frame_total_count());
	/* All merged again. */
	assert_true(model_has_block(11, FRAMES));
	assert_non_null(frame_alloc(11));
}

static void impossible_orders_are_refused(void **state)
{
	(void)state;
	assert_null(frame_alloc(FRAME_ORDER_MAX + 1));
	assert_null(frame_alloc(FRAME_ORDER_MAX));
	assert_null(frame_alloc_below(0, PAGE_SIZE));
	assert_int_equal(frame_total_count(),
			 FRAMES - 1 - (HOLE_END - HOLE_START));
}

static void state_pages_are_charged_and_end_with_the_owner(void **state)
{
	struct frame_owner o;
	void *p;

	(void)state;
	frame_owner_init(&o, 1, 0);
	p = state_page_alloc(&o);
	assert_non_null(p);
	assert_int_equal(o.state_pages, 1);
	state_page_free(&o, p);
	assert_int_equal(o.state_pages, 0);
	o.dying = true;
	assert_null(state_page_alloc(&o));
	assert_int_equal(o.state_pages, 0);
}

static void owners_get_no_more_than_their_share(void **state)
{
	struct frame_owner o;
	struct frame *f;
	unsigned int i;

	(void)state;
	frame_owner_init(&o, 1, 10);
	assert_int_equal(frame_owner_alloc_order(&o, 3, &f), 0);
	assert_int_not_equal(frame_owner_alloc_order(&o, 3, &f), 0);
	assert_int_equal(o.pages, 8);
	assert_int_equal(frame_owner_alloc(&o, 0, &f), 0);
	assert_int_equal(frame_owner_alloc(&o, 0, &f), 0);
	assert_int_not_equal(frame_owner_alloc(&o, 0, &f), 0);
	for (i = 0; frame_owner_destroy(&o, 4); i++)
		assert_true(i < 10);
	assert_int_equal(o.pages, 0);
	assert_int_not_equal(frame_owner_alloc(&o, 0, &f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(impossible_orders_are_refused),
		cmocka_unit_test(
			state_pages_are_charged_and_end_with_the_owner),
		cmocka_unit_test(owners_get_no_more_than_their_share),
		cmocka_unit_test(blocks_are_free_exactly_when_the_model_says),
	};

	host_machine_init(FRAMES, 1);
	frame_alloc_add(0, HOLE_START);
	frame_alloc_add(HOLE_END, FRAMES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
