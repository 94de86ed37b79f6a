/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a hypercall leave all registers but RAX, RCX and R11 alone?
 * Rule:     SYSCALL itself destroys RCX and R11; nothing else changes, so
 *           nothing of the hypervisor leaks either.
 * Source:   guest-abi.md 3, checklist 49.
 * Expected: twelve registers and the flags keep their patterns.
 */
#include "xt.h"

extern u64 after[13];
u64 after[13];

void test_main(void)
{
	static const u8 numbers[] = {
		__HYPERVISOR_xen_version,
		__HYPERVISOR_sched_op,
		63,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
		u64 nr = numbers[i];

		__asm__ volatile("push %%rbp; push %%rbx\n\t"
				 "mov $0x1002, %%ebx; mov $0x1003, %%ebp\n\t"
				 "mov $0x1004, %%r12d; mov $0x1005, %%r13d\n\t"
				 "mov $0x1006, %%r14d; mov $0x1007, %%r15d\n\t"
				 "xor %%edi, %%edi; mov $0x1008, %%esi\n\t"
				 "mov $0x1009, %%edx; mov $0x100a, %%r10d\n\t"
				 "mov $0x100b, %%r8d; mov $0x100c, %%r9d\n\t"
				 "stc\n\t"
				 "syscall\n\t"
				 "mov %%rbx, after(%%rip)\n\t"
				 "mov %%rbp, after+8(%%rip)\n\t"
				 "mov %%r12, after+16(%%rip)\n\t"
				 "mov %%r13, after+24(%%rip)\n\t"
				 "mov %%r14, after+32(%%rip)\n\t"
				 "mov %%r15, after+40(%%rip)\n\t"
				 "mov %%rsi, after+48(%%rip)\n\t"
				 "mov %%rdx, after+56(%%rip)\n\t"
				 "mov %%r10, after+64(%%rip)\n\t"
				 "mov %%r8, after+72(%%rip)\n\t"
				 "mov %%r9, after+80(%%rip)\n\t"
				 "pushf; pop after+96(%%rip)\n\t"
				 "mov %%rdi, after+88(%%rip)\n\t"
				 "pop %%rbx; pop %%rbp"
				 : "+a"(nr)
				 :
				 : "rdi", "rsi", "rdx", "r8", "r9", "r10",
				   "r11", "r12", "r13", "r14", "r15", "rcx",
				   "memory", "cc");
		for (u64 r = 0; r < 11; r++)
			check(after[r] == 0x1002 + r,
			      "hypercall %u: register %lu holds %lx",
			      numbers[i], r, after[r]);
		check(!after[11], "hypercall %u: rdi %lx", numbers[i],
		      after[11]);
		check((after[12] & EFLAGS_CF) && (after[12] & EFLAGS_IF),
		      "flags %lx", after[12]);
	}
	pass("3 hypercalls, flags %lx", after[12]);
}
