/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does the syscall callback mask events exactly when asked?
 * Rule:     CALLBACKF_mask_events sets the upcall mask on entry; without it
 *           the mask is left as it was in user mode.
 * Source:   guest-abi.md 4.2.
 * Expected: mask 1, then 0; RAX is not a hypercall number here.
 */
#include "xt.h"

USER_ASM(user_call_29, "mov $29, %eax\n\tmov $2, %edi\n\tsyscall");

static u8 mask;

static bool hook(struct regs *r)
{
	if (r->vector == VEC_SYSCALL)
		mask = this_cpu()->vi->evtchn_upcall_mask;
	return false;
}

void test_main(void)
{
	struct fault *f;

	setup_user();
	trap_hook = hook;
	for (unsigned int flags = 0; flags < 2; flags++) {
		check_eq(register_callback(CALLBACKTYPE_syscall, flags,
					   syscall_entry),
			 0);
		f = run_user(user_call_29);
		check(f->vector == VEC_SYSCALL && f->regs.rax == 29,
		      "vector %d rax %lx", f->vector, f->regs.rax);
		check(mask == flags, "flags %u: mask %u", flags, mask);
	}
	pass("as registered");
}
