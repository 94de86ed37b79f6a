/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a frame from kernel mode be pushed across the hypervisor's
 *           end?
 * Rule:     all of a frame is checked, not only its first word.
 * Source:   guest-abi.md 4.2, checklist 23, XSA-183.
 * Expected: the domain crashes, though memory above the end is the guest's.
 *
 * test: expect=crash
 */
#include "xt.h"

void test_main(void)
{
	map_at(HV_END, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	ready("stack of 32 bytes above the hypervisor");
	__asm__ volatile("mov %0, %%rsp; ud2" : : "r"(HV_END + 32));
	fail("survived");
}
