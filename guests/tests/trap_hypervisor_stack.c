/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can the guest have a frame pushed into hypervisor memory?
 * Rule:     the stack pointer of a frame is range-checked like any guest
 *           pointer.
 * Source:   checklist 23, XSA-183.
 * Expected: the domain crashes; nothing is written.
 *
 * test: expect=crash
 */
#include "xt.h"

void test_main(void)
{
	u64 inside = (u64)&M2P[va_to_mfn(alloc_page())];

	ready("stack in the M2P");
	__asm__ volatile("mov %0, %%rsp; ud2" : : "r"(inside & ~15UL));
	fail("survived");
}
