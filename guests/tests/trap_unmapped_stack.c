/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what if the kernel's stack can't take the frame?
 * Rule:     pushing a frame is a guest access; when it fails the domain dies,
 *           never the hypervisor.
 * Source:   guest-abi.md 4.2, checklist 23.
 * Expected: the hypervisor reports the crash.
 *
 * test: expect=crash
 */
#include "xt.h"

void test_main(void)
{
	ready("stack at 0x700000000000");
	__asm__ volatile("mov %0, %%rsp; ud2" : : "r"(0x700000000000UL));
	fail("survived");
}
