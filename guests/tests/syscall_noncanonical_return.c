/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what if SYSCALL is the last instruction of the lower half?
 * Rule:     the return address is not canonical; entering the guest works,
 *           and a return to it must not use SYSRET blindly.
 * Source:   checklist 17, XSA-7.
 * Expected: syscall callback with RIP 0x800000000000, then a guest event.
 */
#include "xt.h"

USER_ASM(user_jump_up, "jmp *%rdi");

void test_main(void)
{
	u8 *page = alloc_page();
	struct regs regs;
	struct fault *f;

	setup_user();
	page[4094] = 0x0f;
	page[4095] = 0x05;
	map_at(0x7ffffffff000, mk_pte(va_to_mfn(page), PTE_RO));
	check_eq(write_entry(&user_l4[255],
			     READ_ONCE(*entry_of((void *)0x7ffffffff000, 4))),
		 0);
	regs = user_regs(user_jump_up);
	regs.rdi = 0x7ffffffffffe;
	f = enter_user(&regs);
	if (f->vector != VEC_SYSCALL)
		pass("CPU faults instead: vector %d rip %lx", f->vector,
		     f->rip);
	check(f->rip == 0x0000800000000000, "rip %lx", f->rip);
	regs = f->regs;
	iret_vgcf = VGCF_in_syscall;
	f = enter_user(&regs);
	check(f->vector == VEC_FAILSAFE || f->vector == VEC_GP,
	      "came back by vector %d", f->vector);
	iret_vgcf = 0;
	f = enter_user(&regs);
	check(f->vector == VEC_FAILSAFE || f->vector == VEC_GP,
	      "came back by vector %d", f->vector);
	pass("vector %x", f->vector);
}
