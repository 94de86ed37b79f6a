/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is the forced-emulation prefix decoded exactly?
 * Rule:     ud2, "xen", CPUID skips seven bytes in kernel and user mode; any
 *           other bytes after the prefix are a plain #UD.
 * Source:   guest-abi.md 4.5, checklist 25.
 * Expected: #UD at the prefix for "xem", for RDTSC and for a lone ud2.
 */
#include "xt.h"

USER_ASM(user_cpuid, "mov $0x40000000, %eax\n\txor %ecx, %ecx\n\t"
		     "ud2\n\t.ascii \"xen\"\n\tcpuid\n\tsyscall");

void test_main(void)
{
	struct fault *f;
	u64 rip;

	f = PROBE("lea 1f(%%rip), %0; 1: ud2; .ascii \"xem\"; cpuid", "=&r"(rip)
		  :
		  : "rax", "rbx", "rcx", "rdx");
	check(f->vector == VEC_UD && f->rip == rip, "xem: %d", f->vector);
	f = PROBE("lea 1f(%%rip), %0; 1: ud2; .ascii \"xen\"; rdtsc", "=&r"(rip)
		  :
		  : "rax", "rdx");
	check(f->vector == VEC_UD && f->rip == rip, "rdtsc: %d", f->vector);
	f = PROBE("lea 1f(%%rip), %0; 1: ud2; nop; nop; nop; cpuid", "=&r"(rip)
		  :
		  : "rax", "rbx", "rcx", "rdx");
	check(f->vector == VEC_UD && f->rip == rip, "lone: %d", f->vector);
	setup_user();
	f = run_user(user_cpuid);
	check(f->vector == VEC_SYSCALL || f->vector == VEC_UD,
	      "user: vector %d", f->vector);
	pass("user mode: %s", f->vector == VEC_UD ? "#UD" : "emulated");
}
