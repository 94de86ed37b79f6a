/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does set_gdt install the guest's descriptors?
 * Rule:     frames become descriptor pages; descriptors of DPL 0 are raised
 *           to 3 in place; their selectors can be loaded at once.
 * Source:   guest-abi.md 4.6, 8.5, checklist 15.
 * Expected: DS loads, DPL reads back as 3, user space runs on selector 0x33.
 */
#include "xt.h"

#define DATA_DPL0 0x00cf93000000ffffUL
#define DATA_DPL3 0x00cff3000000ffffUL
#define CODE_DPL3 0x00affb000000ffffUL

USER_ASM(user_ud, "ud2");

void test_main(void)
{
	u64 *gdt = alloc_page();
	unsigned long frame = va_to_mfn(gdt);
	struct regs regs;
	struct fault *f;
	u32 sel = 0;

	gdt[1] = DATA_DPL0;
	gdt[5] = DATA_DPL3;
	gdt[6] = CODE_DPL3;
	check_eq(map_ro(gdt), 0);
	check_eq(set_gdt(&frame, 512), 0);
	check((READ_ONCE(gdt[1]) >> 45 & 3) == 3, "descriptor %lx", gdt[1]);
	check_eq(PROBE("mov %0, %%ds; mov %%ds, %0", "+r"(sel))->vector,
		 VEC_NONE);
	sel = 0xb;
	check_eq(PROBE("mov %0, %%ds; mov %%ds, %0", "+r"(sel))->vector,
		 VEC_NONE);
	check_eq(sel, 0xb);
	sel = 0x43;
	f = PROBE("mov %0, %%ds", : "r"(sel));
	check(f->vector == VEC_GP && f->error == 0x40, "empty slot: %d %lx",
	      f->vector, f->error);
	setup_user();
	regs = user_regs(user_ud);
	regs.cs = 0x33;
	regs.ss = 0x2b;
	f = enter_user(&regs);
	check(f->vector == VEC_UD && (f->regs.cs & 0xffff) == 0x33 &&
		      (f->regs.ss & 0xffff) == 0x2b,
	      "user: vector %d cs %lx ss %lx", f->vector, f->regs.cs,
	      f->regs.ss);
	pass("descriptor reads back as %lx", gdt[1]);
}
