/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does INT 0x80 from user space reach the guest, with and without
 *           handler?
 * Rule:     with a DPL 3 gate vector 0x80 arrives; with none the fast path
 *           must not jump to nothing: #GP, or vector 0x80 treated as absent.
 * Source:   checklist 22, XSA-259, guest-abi.md 4.2.
 * Expected: vector 0x80, then #GP with error 0x402.
 */
#include "xt.h"

USER_ASM(user_int80, "mov $20, %eax\n\tint $0x80\n\tud2");

void test_main(void)
{
	struct trap_info gate[2] = { trap_gate(0x80, 4) };
	struct fault *f;

	setup_user();
	f = run_user(user_int80);
	check(f->vector == 0x80 && f->regs.rax == 20 && !f->error,
	      "vector %d error %lx", f->vector, f->error);
	check_eq(set_trap_table(NULL), 0);
	for (unsigned int v = 0; v < 32; v++) {
		gate[0] = trap_gate(v, 4);
		check_eq(set_trap_table(gate), 0);
	}
	f = run_user(user_int80);
	check(f->vector == VEC_GP && f->error == (0x80 << 3 | 2),
	      "no handler: vector %d error %lx", f->vector, f->error);
	pass("delivered and refused");
}
