/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does TF single-step an instruction that the hypervisor emulates?
 * Rule:     as on hardware: #DB after it, with its effect done and RIP behind
 *           it, not after the instruction that follows.
 * Source:   guest-abi.md 4.5, 5 and 8.3.
 * Expected: RIP moves by one instruction each time.
 */
#include "xt.h"

static u64 rips[2];
static u32 steps;

/* Notes where each step ends. */
static bool hook(struct regs *r)
{
	if (r->vector != VEC_DB)
		return false;
	if (steps < ARRAY_SIZE(rips))
		rips[steps] = r->rip;
	steps++;
	return true;
}

/* Single-steps the instruction and the NOP after it. */
#define STEP(insn, ...)                                                        \
	do {                                                                   \
		u64 to_;                                                       \
		steps = 0;                                                     \
		__asm__ volatile("lea 2f(%%rip), %[to]\n\t"                    \
				 "mov $0xc0000080, %%ecx\n\t"                  \
				 "xor %%eax, %%eax\n\t"                        \
				 "pushf\n\t"                                   \
				 "orl $0x100, (%%rsp)\n\t"                     \
				 "popf\n\t" insn "\n"                          \
				 "2: nop\n\t"                                  \
				 "pushf\n\t"                                   \
				 "andl $~0x100, (%%rsp)\n\t"                   \
				 "popf"                                        \
				 : [to] "=&r"(to_)                             \
				 : __VA_ARGS__                                 \
				 : "rax", "rcx", "rdx", "rbx", "memory",       \
				   "cc");                                      \
		check(rips[0] == to_ && rips[1] == to_ + 1,                    \
		      "%s: steps to +%ld and +%ld", #insn,                     \
		      (long)(rips[0] - to_), (long)(rips[1] - to_));           \
	} while (0)

void test_main(void)
{
	u64 *page = alloc_page();
	u64 *pte = pte_of(page);
	u64 old = READ_ONCE(*pte);

	trap_hook = hook;
	STEP("nop", );
	STEP("mov %[v], (%[p])", [v] "r"(old | 1UL << 9), [p] "r"(pte));
	check(READ_ONCE(*pte) & 1UL << 9, "not written: %lx", *pte);
	STEP("lock orq %[v], (%[p])", [v] "r"(1UL << 10), [p] "r"(pte));
	check(READ_ONCE(*pte) & 1UL << 10, "not written: %lx", *pte);
	STEP("mov %%cr0, %%rax", );
	check_eq(set_debugreg(6, 0xffff0ff0), 0);
	STEP("clts", );
	check(get_debugreg(6) & 1 << 14, "dr6 %lx", get_debugreg(6));
	STEP("rdmsr", );
	STEP("mov %%cr2, %%rax", );
	STEP("wbinvd", );
	STEP("ud2; .ascii \"xen\"; cpuid", );
	pass("9 instructions");
}
