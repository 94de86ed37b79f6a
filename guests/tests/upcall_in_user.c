/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are timer upcalls in user code invisible to it?
 * Rule:     an event interrupts user space at any instruction; after the
 *           kernel's iret every register, the flags and the FPU are as they
 *           were.
 * Source:   guest-abi.md 4.1, 4.2, 10.
 * Expected: a loop over all registers ends with the right sums after 50
 *           upcalls.
 */
#include "xt.h"

USER_ASM(user_loop,
	 "mov $1, %ebx\n\tmov $2, %edx\n\tmov $3, %esi\n\tmov $4, %r8d\n\t"
	 "mov $5, %r9d\n\tmov $6, %r10d\n\tmov $7, %r11d\n\tmov $8, %r12d\n\t"
	 "mov $9, %r13d\n\tmov $10, %r14d\n\tmov $11, %r15d\n\t"
	 "mov $12, %ebp\n\tmov $13, %ecx\n\tmovq %rcx, %xmm7\n"
	 "1: cmpl $50, (%rdi)\n\tjb 1b\n\t"
	 "movq %xmm7, %rax\n\tstc\n\tsyscall");

static u32 port, from_user;

static bool hook(struct regs *r)
{
	if (r->vector != VEC_EVENT)
		return false;
	from_user += (r->cs & 3) == 3;
	check(r->rflags & EFLAGS_IF, "user flags %lx", r->rflags);
	event_upcall();
	(*(volatile u32 *)user_data)++;
	check_eq(set_singleshot(now_ns() + 100000), 0);
	return true;
}

void test_main(void)
{
	struct regs regs;
	struct fault *f;

	port = (u32)bind_virq(VIRQ_TIMER, 0);
	setup_user();
	unmask_event(port);
	vcpu_op(VCPUOP_stop_periodic_timer, 0, NULL);
	trap_hook = hook;
	check_eq(set_singleshot(now_ns() + MS(1)), 0);
	regs = user_regs(user_loop);
	regs.rdi = USER_DATA;
	f = enter_user(&regs);
	check(f->vector == VEC_SYSCALL, "vector %d", f->vector);
	check(f->regs.rbx == 1 && f->regs.rdx == 2 && f->regs.rsi == 3 &&
		      f->regs.r8 == 4 && f->regs.r9 == 5 && f->regs.r10 == 6 &&
		      f->regs.r12 == 8 && f->regs.r13 == 9 &&
		      f->regs.r14 == 10 && f->regs.r15 == 11 &&
		      f->regs.rbp == 12,
	      "registers");
	check(f->regs.rax == 13 && f->regs.r11 & EFLAGS_CF, "rax %lx r11 %lx",
	      f->regs.rax, f->regs.r11);
	check(from_user > 40, "%u upcalls from user", from_user);
	pass("%u upcalls in user code", from_user);
}
