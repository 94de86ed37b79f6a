/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what does SYSCALL in user space do when no callback is
 *           registered?
 * Rule:     never a jump to address 0 with kernel rights that the guest did
 *           not ask for: #UD for the user, or a dead domain.
 * Source:   checklist 22.
 * Expected: #UD, or the bounce to 0 faults in the guest kernel.
 */
#include "xt.h"

USER_ASM(user_syscall, "syscall\n\tud2");

static bool hook(struct regs *r)
{
	if (r->vector == VEC_PF && r->rip == 0)
		pass("bounced to 0, which faulted in the guest kernel");
	return false;
}

void test_main(void)
{
	struct fault *f;
	struct callback_unregister un = { .type = CALLBACKTYPE_syscall };
	long rc;

	setup_user();
	rc = callback_op(CALLBACKOP_unregister, &un);
	if (rc)
		check_eq(register_callback(CALLBACKTYPE_syscall, 0, NULL), 0);
	trap_hook = hook;
	f = run_user(user_syscall);
	check(f->vector == VEC_UD && f->rip == USER_VA(user_syscall),
	      "vector %d rip %lx", f->vector, f->rip);
	pass("#UD, unregister gave %ld", rc);
}
