/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what if the stack pointer is not canonical when a trap comes?
 * Rule:     the frame can't be pushed, so the domain dies.
 * Source:   checklist 18 and 23.
 * Expected: the hypervisor reports the crash.
 *
 * test: expect=crash
 */
#include "xt.h"

void test_main(void)
{
	ready("stack at 0x8000000000000000");
	__asm__ volatile("mov %0, %%rsp; ud2" : : "r"(NONCANONICAL));
	fail("survived");
}
