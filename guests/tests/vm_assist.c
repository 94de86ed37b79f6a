/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does vm_assist know its types?
 * Rule:     known assists can be switched on and off, unknown types and
 *           commands are refused.
 * Source:   guest-abi.md 3.1, 3.4.
 * Expected: -EINVAL or -ENOSYS for the unknown.
 */
#include "xt.h"

void test_main(void)
{
	check_eq(vm_assist(VMASST_CMD_enable, VMASST_TYPE_runstate_update_flag),
		 0);
	check_eq(
		vm_assist(VMASST_CMD_disable, VMASST_TYPE_runstate_update_flag),
		0);
	check_refused(vm_assist(VMASST_CMD_enable, 31));
	check_refused(vm_assist(VMASST_CMD_enable, 63));
	check_refused(vm_assist(VMASST_CMD_enable, 64));
	check_refused(vm_assist(VMASST_CMD_enable, ~0U));
	check_refused(vm_assist(77, VMASST_TYPE_4gb_segments));
	check_refused(vm_assist(~0U, VMASST_TYPE_4gb_segments));
	pass("6 refused");
}
