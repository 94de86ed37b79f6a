/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what if the iret hypercall finds no frame on the stack?
 * Rule:     reading the frame is a guest access; when it fails the domain
 *           dies.
 * Source:   guest-abi.md 4.6, checklist 23.
 * Expected: the hypervisor reports the crash.
 *
 * test: expect=crash
 */
#include "xt.h"

void test_main(void)
{
	ready("iret with the stack at 0x700000000000");
	__asm__ volatile("mov %0, %%rsp; mov %1, %%eax; syscall"
			 :
			 : "r"(0x700000000000UL), "i"(__HYPERVISOR_iret));
	fail("survived");
}
