// SPDX-License-Identifier: Apache-2.0
/* Tests of admission/admission.c. */
#include "admission/admission.h"
#include "unit.h"

#define MIB (1ULL << 20)

static const struct capacity capacity = {
	.memory_bytes = 1024 * MIB,
	.domain_overhead_bytes = MIB,
	.cpu_permille = 1750,
	.pool_bytes = 10 * MIB,
};

static struct domain_spec request(uint64_t memory_bytes, uint32_t permille)
{
	struct domain_spec s;

	domain_spec_default(&s);
	s.memory_bytes = memory_bytes;
	s.cpu_reservation_permille = permille;
	return s;
}

static void exact_fit_is_admitted_and_one_more_is_not(void **state)
{
	struct claims claims = { 3, 600 * MIB, 1650, 0 };
	struct domain_spec s = request(420 * MIB, 100);
	struct admission a;

	(void)state;
	admission_decide(&a, &capacity, &claims, &s);
	assert_true(a.admitted);
	/* 600 + 3 of overhead, 420 + 1 */
	assert_int_equal(a.verdict.list[RESOURCE_MEMORY].claimed, 603 * MIB);
	assert_int_equal(a.verdict.list[RESOURCE_MEMORY].requested, 421 * MIB);
	s.memory_bytes += 4096;
	admission_decide(&a, &capacity, &claims, &s);
	assert_false(a.admitted);
	assert_true(a.lacks[RESOURCE_MEMORY]);
	assert_false(a.lacks[RESOURCE_CPU]);
	assert_int_equal(a.shortfall[RESOURCE_MEMORY], 4096);
	assert_int_equal(a.nearest[RESOURCE_MEMORY], 420 * MIB);
}

static void every_lack_is_named(void **state)
{
	struct claims claims = { 1, 1022 * MIB, 1700, 9 * MIB };
	struct domain_spec s = request(MIB, 60);
	struct admission a;
	char text[600];

	(void)state;
	s.disk_count = 2;
	s.disks[0].size_bytes = s.disks[1].size_bytes = MIB;
	admission_decide(&a, &capacity, &claims, &s);
	for (unsigned int i = 0; i < RESOURCES; i++)
		assert_true(a.lacks[i]);
	assert_int_equal(a.nearest[RESOURCE_MEMORY], 0);
	assert_int_equal(a.nearest[RESOURCE_CPU], 50);
	assert_int_equal(a.nearest[RESOURCE_POOL], MIB);
	admission_refusal_text(text, sizeof(text), &a);
	assert_non_null(strstr(text, "60 thousandths of a CPU are asked for, "
				     "50 of 1750 are left: 10 short; "
				     "50 would fit"));
	inequality_text(text, sizeof(text), RESOURCE_CPU,
			&a.verdict.list[RESOURCE_CPU]);
	assert_string_equal(text, "cpu: 1700 + 60 > 1750");
}

static void who_asks_for_nothing_lacks_nothing(void **state)
{
	/* The pool has become smaller than what is claimed of it. */
	struct claims claims = { 0, 0, 0, 20 * MIB };
	struct domain_spec s = request(MIB, 10);
	struct admission a;

	(void)state;
	admission_decide(&a, &capacity, &claims, &s);
	assert_true(a.admitted);
	s.disk_count = 1;
	s.disks[0].size_bytes = 512;
	admission_decide(&a, &capacity, &claims, &s);
	assert_false(a.admitted);
	assert_int_equal(a.nearest[RESOURCE_POOL], 0);
}

static void sums_do_not_wrap(void **state)
{
	struct claims claims = { UINT64_MAX, UINT64_MAX, UINT64_MAX,
				 UINT64_MAX };
	struct domain_spec s = request(UINT64_MAX, UINT32_MAX);
	struct admission a;

	(void)state;
	s.disk_count = 2;
	s.disks[0].size_bytes = s.disks[1].size_bytes = UINT64_MAX;
	admission_decide(&a, &capacity, &claims, &s);
	for (unsigned int i = 0; i < RESOURCES; i++)
		assert_true(a.lacks[i]);
}

/* Whatever comes and goes: what is admitted never adds up to more than the
 * limit, and what the refusal says would fit, fits. */
static void model_of_many_requests(void **state)
{
	struct claims claims = { 0 };
	unsigned int admitted = 0;

	(void)state;
	srand(1);
	for (int i = 0; i < 2000; i++) {
		struct domain_spec s =
			request(MIB * (unsigned int)(1 + rand() % 64),
				(uint32_t)(1 + rand() % 200));
		struct admission a;

		admission_decide(&a, &capacity, &claims, &s);
		if (!a.admitted && a.lacks[RESOURCE_MEMORY] &&
		    a.nearest[RESOURCE_MEMORY])
			s.memory_bytes = a.nearest[RESOURCE_MEMORY];
		if (!a.admitted && a.lacks[RESOURCE_CPU] &&
		    a.nearest[RESOURCE_CPU])
			s.cpu_reservation_permille =
				(uint32_t)a.nearest[RESOURCE_CPU];
		if (!a.admitted &&
		    (!a.lacks[RESOURCE_MEMORY] || a.nearest[RESOURCE_MEMORY]) &&
		    (!a.lacks[RESOURCE_CPU] || a.nearest[RESOURCE_CPU])) {
			admission_decide(&a, &capacity, &claims, &s);
			assert_true(a.admitted);
		}
		if (!a.admitted) {
			claims = (struct claims){ 0 };
			continue;
		}
		admitted++;
		claims.domains++;
		claims.memory_bytes += s.memory_bytes;
		claims.cpu_permille += s.cpu_reservation_permille;
		assert_true(claims.memory_bytes + claims.domains * MIB <=
			    capacity.memory_bytes);
		assert_true(claims.cpu_permille <= capacity.cpu_permille);
	}
	assert_true(admitted > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_fit_is_admitted_and_one_more_is_not),
		cmocka_unit_test(every_lack_is_named),
		cmocka_unit_test(who_asks_for_nothing_lacks_nothing),
		cmocka_unit_test(sums_do_not_wrap),
		cmocka_unit_test(model_of_many_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
