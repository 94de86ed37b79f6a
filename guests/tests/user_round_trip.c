/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can the guest enter user space and come back by SYSCALL?
 * Rule:     iret with RPL 3 switches to the user table; SYSCALL there
 *           enters the syscall callback with RCX and R11 in the frame and
 *           all argument registers untouched.
 * Source:   guest-abi.md 4.2, 4.6.
 * Expected: syscall frame with user CS, rip after the instruction.
 */
#include "xt.h"

USER_ASM(user_call, "mov $0x1234, %eax\n\t"
		    "mov %rdi, %rbx\n\t"
		    "syscall\n"
		    ".globl user_after\nuser_after: ud2");
extern const u8 user_after[];

void test_main(void)
{
	struct regs regs;
	struct fault *f;

	setup_user();
	regs = user_regs(user_call);
	regs.rdi = 0x5566778899aabbcc;
	regs.r9 = 99;
	f = enter_user(&regs);
	check(f->vector == VEC_SYSCALL, "came back by vector %d error %lx",
	      f->vector, f->error);
	check(f->regs.rax == 0x1234 && f->regs.rbx == regs.rdi &&
		      f->regs.rdi == regs.rdi && f->regs.r9 == 99,
	      "registers");
	check(f->rip == USER_VA(user_after) && f->regs.rcx == f->rip,
	      "rip %lx rcx %lx", f->rip, f->regs.rcx);
	check((f->regs.cs & 3) == 3 && f->regs.rsp == regs.rsp,
	      "cs %lx rsp %lx", f->regs.cs, f->regs.rsp);
	check(f->regs.r11 & EFLAGS_IF && f->regs.rflags & EFLAGS_IF,
	      "r11 %lx rflags %lx", f->regs.r11, f->regs.rflags);

	regs = f->regs;
	f = enter_user(&regs);
	check(f->vector == VEC_UD && f->rip == USER_VA(user_after),
	      "second return by vector %d", f->vector);
	pass("cs %lx ss %lx rflags %lx", f->regs.cs, f->regs.ss,
	     f->regs.rflags);
}
