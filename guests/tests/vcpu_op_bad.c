/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does vcpu_op check vCPU numbers, commands and pointers?
 * Rule:     numbers beyond the domain's give -ENOENT (or -EINVAL), unknown
 *           commands -ENOSYS, bad pointers -EFAULT.
 * Source:   checklist 39 and 40, guest-abi.md 3.4.
 * Expected: as the rule.
 */
#include "xt.h"

void test_main(void)
{
	static const u32 numbers[] = { 1,          31,         32,
				       64,         8191,       8192,
				       0x7fffffff, 0x80000000, 0xffffffff };

	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
		for (int op = 0; op < 14; op++)
			check_refused(vcpu_op(op, numbers[i], NULL));
		check_eq(vcpu_op(VCPUOP_is_up, numbers[i], NULL), -XEN_ENOENT);
	}
	check_refused(vcpu_op(77, 0, NULL));
	check_refused(vcpu_op(-1, 0, NULL));
	check_eq(vcpu_op(VCPUOP_set_singleshot_timer, 0, (void *)HV_START),
		 -XEN_EFAULT);
	check_eq(vcpu_op(VCPUOP_get_runstate_info, 0, (void *)HV_START),
		 -XEN_EFAULT);
	check_eq(vcpu_op(VCPUOP_get_runstate_info, 0, (void *)NONCANONICAL),
		 -XEN_EFAULT);
	check_refused(vcpu_op(VCPUOP_initialise, 0, vcpu_context(0, NULL)));
	pass("%u vCPU numbers", (u32)ARRAY_SIZE(numbers));
}
