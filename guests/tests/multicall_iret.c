/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a guest leave its kernel mode in the middle of a multicall?
 * Rule:     the remaining entries must not run as a hypercall of user mode;
 *           XSA-213 turned such a batch into an escape.
 * Source:   checklist 26.
 * Expected: user space runs or the call fails; the entry after iret is never
 *           executed.
 */
#include "xt.h"

USER_ASM(user_hello, "mov $0x77, %eax\n\tsyscall");

static struct multicall_entry list[3];

static void batch(void)
{
	for (int i = 0; i < 3; i++)
		list[i].result = 99;
	list[0].op = __HYPERVISOR_xen_version;
	list[1].op = __HYPERVISOR_iret;
	list[2].op = __HYPERVISOR_xen_version;
	/* The frame that iret pops: rax r11 rcx flags rip cs rflags rsp ss */
	__asm__ volatile("push $0xe02b; push %0; push $0x202; push $0xe033\n\t"
			 "push %1; push $0; push $0; push $0; push $0\n\t"
			 "mov %4, %%eax\n\t"
			 "syscall\n\t"
			 "add $72, %%rsp"
			 :
			 : "r"(USER_STACK + PAGE_SIZE),
			   "r"(USER_VA(user_hello)), "D"(list), "S"(3UL),
			   "i"(__HYPERVISOR_multicall)
			 : "rax", "rcx", "r11", "memory");
}

static bool hook(struct regs *r)
{
	if ((r->cs & 3) != 3)
		return false;
	check(r->vector == VEC_SYSCALL && r->rax == 0x77,
	      "user came back by vector %d", (int)r->vector);
	check(list[2].result == 99, "entry after iret ran: %lx",
	      list[2].result);
	pass("user mode ran, next entry did not");
}

void test_main(void)
{
	setup_user();
	stack_switch(USER_SS, (unsigned long)this_cpu() + STACK_SIZE / 2);
	trap_hook = hook;
	batch();
	check(list[2].result == 99, "entry after iret ran: %lx",
	      list[2].result);
	fail("neither user mode nor refusal: results %ld %ld %ld",
	     list[0].result, list[1].result, list[2].result);
}
