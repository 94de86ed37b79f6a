/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can user space reach a port when only the kernel has IOPL?
 * Rule:     with virtual IOPL 1 user mode gets #GP; with IOPL 3 or its bit
 *           clear in the bitmap it's emulated like the kernel's.
 * Source:   guest-abi.md 4.8, checklist 25, pv-iopl of XTF.
 * Expected: #GP, then no fault with IOPL 3, then #GP again.
 */
#include "xt.h"

USER_ASM(user_out, "mov $0xee, %al\n\tout %al, $0x80\n\tud2");

static int try(u32 level)
{
	struct physdev_set_iopl iopl = { .iopl = level };

	check_eq(physdev_op(PHYSDEVOP_set_iopl, &iopl), 0);
	return run_user(user_out)->vector;
}

void test_main(void)
{
	setup_user();
	check_eq(try(0), VEC_GP);
	check_eq(try(1), VEC_GP);
	check_eq(try(3), VEC_UD);
	check_eq(try(1), VEC_GP);
	pass("IOPL 0, 1 and 3");
}
