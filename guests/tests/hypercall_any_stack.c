/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a hypercall need a good guest stack pointer?
 * Rule:     SYSCALL leaves RSP alone and the hypervisor has its own stack:
 *           with no event to deliver, any RSP is fine.
 * Source:   checklist 18 and 20.
 * Expected: right results with RSP unmapped, non-canonical and in the
 *           hypervisor.
 */
#include "xt.h"

void test_main(void)
{
	static const u64 stacks[] = {
		0,
		8,
		0x700000000000,
		NONCANONICAL,
		HV_START,
		0xffff82d040200000,
		~0UL,
		1,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(stacks); i++) {
		u64 nr = __HYPERVISOR_xen_version, rsp = stacks[i], after;

		__asm__ volatile("mov %%rsp, %%r12; mov %2, %%rsp\n\t"
				 "syscall\n\t"
				 "mov %%rsp, %1; mov %%r12, %%rsp"
				 : "+a"(nr), "=&r"(after)
				 : "r"(rsp), "D"(0UL), "S"(0UL)
				 : "rcx", "r11", "r12", "memory");
		check(nr == 0x40011 && after == rsp, "rsp %lx: %lx, rsp %lx",
		      rsp, nr, after);
	}
	pass("%u stacks", (u32)ARRAY_SIZE(stacks));
}
