/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what if iret names selectors that user space can't have?
 * Rule:     null, unmapped and hypervisor selectors fault in the final IRET
 *           and come back to the guest kernel as failsafe or #GP; code never
 *           runs with more privilege.
 * Source:   checklist 18, guest-abi.md 4.2, 4.6.
 * Expected: back in the guest kernel each time, or user runs at CPL 3.
 */
#include "xt.h"

USER_ASM(user_cs, "mov %cs, %eax\n\tud2");

void test_main(void)
{
	static const struct {
		u16 cs, ss;
	} cases[] = {
		{ 0x3, USER_SS },    { 0xe00b, USER_SS },  { 0xe013, USER_SS },
		{ 0xe043, USER_SS }, { 0xfffb, USER_SS },  { 0x33, USER_SS },
		{ USER_CS, 0x3 },    { USER_CS, 0xe00b },  { USER_CS, 0xe043 },
		{ USER_CS, 0xfffb }, { USER_CS, 0x7 },     { 0xf, USER_SS },
		{ USER_CS, 0xe033 }, { USER_SS, USER_SS },
	};
	unsigned int ran = 0;

	setup_user();
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct regs regs = user_regs(user_cs);
		struct fault *f;

		regs.cs = cases[i].cs;
		regs.ss = cases[i].ss;
		f = enter_user(&regs);
		if (f->vector == VEC_UD) {
			check((f->regs.rax & 3) == 3, "ran at cs %lx",
			      f->regs.rax);
			ran++;
			continue;
		}
		check(f->vector == VEC_FAILSAFE || f->vector == VEC_GP ||
			      f->vector == VEC_NP || f->vector == VEC_SS,
		      "cs %x ss %x: vector %d", cases[i].cs, cases[i].ss,
		      f->vector);
	}
	pass("%u cases, %u ran as user", (u32)ARRAY_SIZE(cases), ran);
}
