/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are the GS bases swapped between user and kernel?
 * Rule:     user code sees the user base, the kernel its own, on every entry
 *           (syscall, exception) and return.
 * Source:   guest-abi.md 4.7.
 * Expected: each reads its own page, three times over.
 */
#include "xt.h"

USER_ASM(user_gs, "mov %gs:0, %rax\n\tmov %fs:8, %rbx\n\tud2");
USER_ASM(user_gs_call, "mov %gs:0, %rax\n\tmov %fs:8, %rbx\n\tsyscall");

void test_main(void)
{
	u64 *kernel_page = alloc_page();
	u64 v;

	setup_user();
	kernel_page[0] = 0x1111;
	user_data[0] = 0x22;
	user_data[8] = 0x33;
	check_eq(set_segment_base(SEGBASE_GS_KERNEL, (u64)kernel_page), 0);
	check_eq(set_segment_base(SEGBASE_GS_USER, USER_DATA), 0);
	check_eq(set_segment_base(SEGBASE_FS, USER_DATA), 0);
	for (int i = 0; i < 6; i++) {
		struct fault *f = run_user(i & 1 ? user_gs_call : user_gs);

		check(f->vector == (i & 1 ? VEC_SYSCALL : VEC_UD), "vector %d",
		      f->vector);
		check(f->regs.rax == 0x22 && f->regs.rbx == 0x33,
		      "user read %lx %lx", f->regs.rax, f->regs.rbx);
		__asm__ volatile("mov %%gs:0, %0" : "=r"(v));
		check(v == 0x1111, "kernel read %lx", v);
	}
	pass("6 round trips");
}
