/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do a guest's flags leak into the hypervisor?
 * Rule:     every entry clears DF, AC, NT and TF for the hypervisor's own
 *           code: copies go forwards, nothing single-steps inside.
 * Source:   checklist 19, XSA-204.
 * Expected: right results with DF, AC, NT set; #DB only after the hypercall.
 */
#include "xt.h"

USER_ASM(user_tf, "mov $1, %eax\n\tsyscall\n\tnop\n\tud2");

void test_main(void)
{
	static char text[32];
	struct regs regs;
	struct fault *f;
	u64 nr, rip;

	for (int i = 0; i < 8; i++) {
		u64 flags = 2 | (i & 1 ? EFLAGS_DF : 0) |
			    (i & 2 ? EFLAGS_AC : 0) | (i & 4 ? EFLAGS_NT : 0);

		memset(text, 0x7e, sizeof(text));
		nr = __HYPERVISOR_xen_version;
		__asm__ volatile("push %1; popf; syscall; push $2; popf"
				 : "+a"(nr)
				 : "r"(flags), "D"((u64)XENVER_extraversion),
				   "S"(text)
				 : "rcx", "r11", "memory", "cc");
		check(nr == 0 && text[0] == '.' && text[16] == 0x7e,
		      "flags %lx: %ld %x %x", flags, nr, (u8)text[0],
		      (u8)text[16]);
	}
	nr = __HYPERVISOR_xen_version;
	f = PROBE("lea 1f(%%rip), %1; push $0x102; popf; syscall; 1: nop;"
		  "push $2; popf",
		  "+a"(nr), "=&b"(rip)
		  : "D"(0UL), "S"(0UL)
		  : "rcx", "r11", "memory", "cc");
	check(f->vector == VEC_DB && f->rip >= rip - 2, "TF: vector %d rip %lx",
	      f->vector, f->rip);
	setup_user();
	regs = user_regs(user_tf);
	regs.rip += 5;
	regs.rax = 1;
	regs.rflags |= EFLAGS_TF;
	f = enter_user(&regs);
	check(f->vector == VEC_SYSCALL || f->vector == VEC_DB,
	      "user TF: vector %d", f->vector);
	pass("8 flag sets, user TF by vector %x", f->vector);
}
