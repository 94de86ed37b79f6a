/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what do hypercall numbers that do not exist give?
 * Rule:     -ENOSYS, for small gaps and for numbers past any table; only
 *           EAX counts, or a large RAX is refused too.
 * Source:   guest-abi.md 3, checklist 40.
 * Expected: -ENOSYS for each and the guest runs on.
 */
#include "xt.h"

void test_main(void)
{
	static const u64 numbers[] = {
		11,     43,         47,         56,         63,
		64,     127,        128,        255,        256,
		0x1000, 0x7fffffff, 0x80000000, 0xffffffff, 0xffffffff00000100,
		~0UL,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
		long rc = hypercall(numbers[i], 0, 0, 0, 0, 0);

		check(rc == -XEN_ENOSYS, "number %lx gave %ld", numbers[i], rc);
	}
	pass("%u numbers", (u32)ARRAY_SIZE(numbers));
}
