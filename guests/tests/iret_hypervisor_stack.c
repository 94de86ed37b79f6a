/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can iret read its frame from hypervisor memory?
 * Rule:     the stack pointer is checked like any guest pointer.
 * Source:   checklist 23 and 39.
 * Expected: the domain dies.
 *
 * test: expect=crash
 */
#include "xt.h"

void test_main(void)
{
	ready("iret with the stack in the hypervisor");
	__asm__ volatile("mov %0, %%rsp; mov %1, %%eax; syscall"
			 :
			 : "r"(0xffff82d040200000UL), "i"(__HYPERVISOR_iret));
	fail("survived");
}
