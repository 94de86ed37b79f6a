/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does INT n from user space respect the gate's DPL?
 * Rule:     DPL 3: the guest's handler n; DPL 0: #GP with error n * 8 + 2 at
 *           the instruction (INT 3 may arrive as #BP in any case).
 * Source:   checklist 22, guest-abi.md 4.2 and 6.2b.
 * Expected: 0x80, 3, 0x20, 0x82 and 0xff each way.
 */
#include "xt.h"

USER_ASM(user_ints,
	 ".byte 0xcd, 0x80, 0xcd, 0x03, 0xcd, 0x20, 0xcd, 0x82, 0xcd, 0xff");

void test_main(void)
{
	static const u8 numbers[] = { 0x80, 3, 0x20, 0x82, 0xff };

	setup_user();
	for (unsigned int open = 0; open < 2; open++) {
		set_all_gates(4 | (open ? 3 : 0));
		for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
			u64 at = USER_VA(user_ints) + 2 * i;
			struct regs regs = user_regs(user_ints);
			struct fault *f;

			regs.rip = at;
			f = enter_user(&regs);
			if (open)
				check(f->vector == numbers[i] &&
					      f->rip == at + 2,
				      "int 0x%x open: vector %d rip %lx",
				      numbers[i], f->vector, f->rip);
			else if (f->vector != 3 || numbers[i] != 3)
				check(f->vector == VEC_GP && f->rip == at &&
					      f->error ==
						      (numbers[i] << 3 | 2U),
				      "int 0x%x closed: vector %d error %lx",
				      numbers[i], f->vector, f->error);
		}
	}
	pass("%u vectors", (u32)ARRAY_SIZE(numbers));
}
