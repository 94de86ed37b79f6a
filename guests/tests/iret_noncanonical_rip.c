/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what if iret names a non-canonical user RIP?
 * Rule:     the fault of the final return belongs to the guest: failsafe
 *           callback or #GP, by IRET and by SYSRET alike; never a hypervisor
 *           fault.
 * Source:   checklist 17 and 18, XSA-7, guest-abi.md 4.2.
 * Expected: control is back in the guest kernel each time.
 */
#include "xt.h"

USER_ASM(user_unused, "ud2");

void test_main(void)
{
	static const u64 targets[] = {
		NONCANONICAL,
		0x0000800000000000,
		0xffff7fffffffffff,
		0x1234567800000000,
	};
	int vectors[4] = { 0 };

	setup_user();
	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(targets); i++) {
		struct regs regs = user_regs(user_unused);
		struct fault *f;

		regs.rip = targets[i / 2];
		iret_vgcf = i & 1 ? VGCF_in_syscall : 0;
		f = enter_user(&regs);
		check(f->vector == VEC_FAILSAFE || f->vector == VEC_GP,
		      "rip %lx flags %lx: vector %d", regs.rip, iret_vgcf,
		      f->vector);
		vectors[i / 2] = f->vector;
	}
	pass("vectors %x %x %x %x", vectors[0], vectors[1], vectors[2],
	     vectors[3]);
}
