// SPDX-License-Identifier: Apache-2.0
#include <hv/descriptor.h>
#include <hv/errno.h>
#include <hv/types.h>

#include "unit.h"

static void only_code_and_data_of_ring_3_may_be_present(void **state)
{
	unsigned int access;

	(void)state;
	/* All access bytes, with base and limit bits all ones around them. */
	for (access = 0; access < 256; access++) {
		u64 before = 0xffff00ffffffffffUL | (u64)access << 40;
		u64 desc = before;
		int rc = descriptor_check(&desc);

		if (!(access & 0x80)) {
			assert_int_equal(rc, 0);
			assert_int_equal(desc, before);
		} else if (!(access & 0x10)) {
			assert_int_equal(rc, -EINVAL);
			assert_int_equal(desc, before);
		} else {
			assert_int_equal(rc, 0);
			assert_int_equal(desc, before | 0x61UL << 40);
		}
	}
}

static void the_usual_kernel_descriptors_are_raised(void **state)
{
	u64 code = 0x00af9b000000ffffUL, data = 0x00cf93000000ffffUL;
	u64 call_gate = 0x0000ec0000081000UL, ldt = 0x0000820000000000UL;

	(void)state;
	assert_int_equal(descriptor_check(&code), 0);
	assert_int_equal(code, 0x00affb000000ffffUL);
	assert_int_equal(descriptor_check(&data), 0);
	assert_int_equal(data, 0x00cff3000000ffffUL);
	assert_int_equal(descriptor_check(&call_gate), -EINVAL);
	assert_int_equal(descriptor_check(&ldt), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_code_and_data_of_ring_3_may_be_present),
		cmocka_unit_test(the_usual_kernel_descriptors_are_raised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
