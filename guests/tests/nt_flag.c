/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a guest that sets NT harm the hypervisor?
 * Rule:     entries clear NT, so a later IRET of the hypervisor does not
 *           fault; the guest's own flags come back as saved.
 * Source:   checklist 19, XSA-44 and XSA-339.
 * Expected: hypercalls, exceptions and user space work with NT set.
 */
#include "xt.h"

USER_ASM(user_nt, "pushf\n\torl $0x4000, (%rsp)\n\tpopf\n\t"
		  "mov $9, %eax\n\tsyscall\n\tud2");

static void set_nt(void)
{
	__asm__ volatile("pushf; orl $0x4000, (%%rsp); popf"
			 :
			 :
			 : "memory", "cc");
}

void test_main(void)
{
	struct regs regs;
	struct fault *f;
	u64 flags;

	setup_user();
	set_nt();
	check_eq(xen_version(XENVER_version, NULL), 0x40011);
	set_nt();
	check_eq(PROBE("ud2", )->vector, VEC_UD);
	set_nt();
	check_eq(probe_read((void *)0x700000000000, NULL)->vector, VEC_PF);
	set_nt();
	f = run_user(user_nt);
	check(f->vector == VEC_SYSCALL && f->regs.rax == 9, "vector %d",
	      f->vector);
	flags = f->regs.rflags;
	regs = f->regs;
	regs.rflags |= EFLAGS_NT;
	f = enter_user(&regs);
	check(f->vector == VEC_UD, "second return: vector %d", f->vector);
	pass("user flags in the frame %lx", flags);
}
