// SPDX-License-Identifier: Apache-2.0
/* Stamps of frames against the flushes of CPUs, over any stretch of time. */
#include <hv/frame.h>
#include <hv/mm.h>

#include <arch/host_machine.h>
#include <arch/tlb.h>

#include "unit.h"

#define FRAMES 16
#define BASE 0x700000005UL

static const u64 distances[] = {
	1,
	2,
	1UL << 28,
	(1UL << 31) - 1,
	1UL << 31,
	(1UL << 31) + 1,
	0xffffffffUL,
	1UL << 32,
	0x100000001,
	3UL << 31,
	(5UL << 32) - 2,
	1UL << 60,
};

static u64 flushes_of(u64 mask, u32 stamp)
{
	u64 before = host_flushes;

	tlb_flush_since(mask, stamp);
	return host_flushes - before;
}

static void a_cpu_that_has_not_flushed_since_flushes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(distances); i++) {
		for (size_t later = 0; later < 3; later++) {
			host_tlb_clock_set(BASE);
			tlb_clock += distances[i];
			u32 stamp = tlb_clock_now();

			tlb_clock += later;
			assert_int_equal(flushes_of(3, stamp), 2);
			assert_int_equal(flushes_of(3, stamp), 0);
		}
	}
	/* A flush at the very time of the stamp may have come before it. */
	host_tlb_clock_set(BASE);
	assert_int_equal(flushes_of(1, tlb_clock_now()), 1);
}

static void a_cpu_that_has_flushed_since_does_not(void **state)
{
	(void)state;
	for (size_t i = 0; distances[i] <= 0xffffffffUL; i++) {
		host_tlb_clock_set(BASE + distances[i]);
		assert_int_equal(flushes_of(3, (u32)BASE), 0);
	}
}

static void a_stamp_of_any_age_is_raised(void **state)
{
	struct frame_owner o;
	struct frame *f;

	(void)state;
	frame_owner_init(&o, 1, FRAMES);
	assert_int_equal(frame_owner_alloc(&o, 0, &f), 0);
	for (size_t i = 0; i < ARRAY_SIZE(distances); i++) {
		host_tlb_clock_set(BASE);
		f->stamp = tlb_clock_now();
		tlb_clock += distances[i];
		assert_int_equal(frame_get_writable(f, o.id), 0);
		frame_put_writable(f);
		assert_int_equal(f->stamp, tlb_clock_now());
	}
	while (frame_owner_destroy(&o, 64))
		;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_has_not_flushed_since_flushes),
		cmocka_unit_test(a_cpu_that_has_flushed_since_does_not),
		cmocka_unit_test(a_stamp_of_any_age_is_raised),
	};

	host_machine_init(FRAMES, 2);
	frame_alloc_add(0, FRAMES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
