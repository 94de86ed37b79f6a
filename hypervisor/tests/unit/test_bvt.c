// SPDX-License-Identifier: Apache-2.0
/* The arithmetic of borrowed virtual time. */
#include "../../sched/bvt_math.h"
#include "check.h"

#define YEAR_NS (365UL * 24 * 3600 * 1000000000UL)

static void many_charges_sum_up_exactly(void **state)
{
	static const uint32_t weights[] = { 1, 2, 3, 7, 255, 256, 257, 65535 };
	uint64_t seed = 7;

	(void)state;
	for (unsigned int w = 0; w < 8; w++) {
		uint64_t avt = 0, once = 0, total = 0;
		uint32_t rest = 0, once_rest = 0;

		for (int i = 0; i < 100000; i++) {
			uint64_t ns = random_next(&seed) % 10000000;

			bvt_charge(&avt, &rest, ns, weights[w]);
			total += ns;
		}
		bvt_charge(&once, &once_rest, total, weights[w]);
		assert_int_equal(avt, once);
		assert_int_equal(rest, once_rest);
		assert_true(rest < weights[w]);
	}
}

static void the_lightest_unit_runs_a_century(void **state)
{
	uint64_t avt = BVT_ORIGIN, before;
	uint32_t rest = 0;

	(void)state;
	for (int year = 0; year < 100; year++) {
		before = avt;
		bvt_charge(&avt, &rest, YEAR_NS, 1);
		assert_true(avt > before);
		assert_int_equal(avt - before, YEAR_NS * BVT_SCALE);
	}
	/* Also in one piece. */
	avt = BVT_ORIGIN;
	bvt_charge(&avt, &rest, 100 * YEAR_NS, 1);
	assert_int_equal(avt, BVT_ORIGIN + 100 * YEAR_NS * BVT_SCALE);
}

static void real_time_is_the_least_that_reaches_the_virtual_one(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint32_t weight = 1 + random_next(&seed) % 65535;
		uint64_t units = random_next(&seed) >> (8 + i % 40);
		uint64_t ns = bvt_real_ns(units, weight);
		uint64_t avt = 0;
		uint32_t rest = 0;

		if (ns == UINT64_MAX)
			continue;
		bvt_charge(&avt, &rest, ns, weight);
		assert_true(avt >= units);
		if (!ns)
			continue;
		avt = rest = 0;
		bvt_charge(&avt, &rest, ns - 1, weight);
		assert_true(avt < units);
	}
	assert_int_equal(bvt_real_ns(UINT64_MAX, 65535), UINT64_MAX);
}

static void a_slice_ends_one_allowance_beyond_the_next(void **state)
{
	(void)state;
	/* Equal claims: exactly the allowance, whatever the weight. */
	assert_int_equal(bvt_slice_ns(1000, 1000, 5000000, 256), 5000000);
	assert_int_equal(bvt_slice_ns(1000, 1000, 5000000, 1), 5000000);
	/* 3 ms of its own running ahead: 2 ms are left. */
	assert_int_equal(
		bvt_slice_ns(bvt_virtual(3000000, 512), 0, 5000000, 512),
		2000000);
	/* 3 ms behind: they come on top. */
	assert_int_equal(
		bvt_slice_ns(0, bvt_virtual(3000000, 512), 5000000, 512),
		8000000);
	assert_int_equal(
		bvt_slice_ns(bvt_virtual(5000000, 512), 0, 5000000, 512), 0);
}

static void a_warp_is_measured_at_the_default_weight(void **state)
{
	uint64_t avt = 0;
	uint32_t rest = 0;

	(void)state;
	bvt_charge(&avt, &rest, 123456, BVT_WEIGHT_UNIT);
	assert_int_equal(avt, bvt_warp(123456));
	/* The longest one can be subtracted from the start. */
	assert_true(bvt_warp(3600000000000UL) < BVT_ORIGIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_charges_sum_up_exactly),
		cmocka_unit_test(the_lightest_unit_runs_a_century),
		cmocka_unit_test(
			real_time_is_the_least_that_reaches_the_virtual_one),
		cmocka_unit_test(a_slice_ends_one_allowance_beyond_the_next),
		cmocka_unit_test(a_warp_is_measured_at_the_default_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
