/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a kernel stack at the edge of the hypervisor take frames into
 *           it?
 * Rule:     a system call, a page fault and any other trap from user space
 *           push below the stack pointer without a check of the address; a
 *           pointer less than a frame above the hypervisor's end is refused,
 *           or kills the domain when it is used.
 * Source:   guest-abi.md 4.2, checklist 18 and 23, XSA-183.
 * Expected: refused, or the domain crashes; the M2P entries at the
 *           hypervisor's start stay.
 */
#include "xt.h"

USER_ASM(user_call, "syscall");

void test_main(void)
{
}
