/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: may the user table be set to none?
 * Rule:     frame 0 means no user table and is accepted; only an attempt to
 *           enter user mode then kills the domain.
 * Source:   guest-abi.md 2.3, 4.6, checklist 13.
 * Expected: 0 from the call; the domain dies at the iret to user.
 *
 * test: expect=crash
 */
#include "xt.h"

USER_ASM(user_never, "1: jmp 1b");

void test_main(void)
{
	setup_user();
	check_eq(mmuext(MMUEXT_NEW_USER_BASEPTR, 0), 0);
	check_eq(mmuext(MMUEXT_UNPIN_TABLE, va_to_mfn(user_l4)), 0);
	check_eq(map_rw(user_l4), 0);
	ready("user table dropped and writable, entering user mode");
	run_user(user_never);
	fail("survived");
}
