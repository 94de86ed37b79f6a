// SPDX-License-Identifier: Apache-2.0
/* The plugs: numbers in order, and no more than there is room for. */
#include <hv/disk.h>
#include <hv/errno.h>
#include <hv/uplink.h>

#include "check.h"

static void disks_are_found_by_the_numbers_they_got(void **state)
{
	static struct disk disks[DISKS_MAX + 1];

	(void)state;
	assert_null(disk_find(0));
	for (u32 i = 0; i < DISKS_MAX; i++) {
		assert_int_equal(disk_register(&disks[i]), 0);
		assert_int_equal(disks[i].id, i);
		assert_ptr_equal(disk_find(i), &disks[i]);
	}
	assert_int_equal(disk_register(&disks[DISKS_MAX]), -ENOSPC);
	assert_null(disk_find(DISKS_MAX));
	assert_null(disk_find(~0U));
}

static void uplinks_too(void **state)
{
	static struct uplink uplinks[UPLINKS_MAX + 1];

	(void)state;
	assert_null(uplink_find(0));
	for (u32 i = 0; i < UPLINKS_MAX; i++) {
		assert_int_equal(uplink_register(&uplinks[i]), 0);
		assert_ptr_equal(uplink_find(uplinks[i].id), &uplinks[i]);
	}
	assert_int_equal(uplink_register(&uplinks[UPLINKS_MAX]), -ENOSPC);
	assert_null(uplink_find(UPLINKS_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(disks_are_found_by_the_numbers_they_got),
		cmocka_unit_test(uplinks_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
