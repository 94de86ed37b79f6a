/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is a crash that the guest asks for reported as one?
 * Rule:     SCHEDOP_shutdown with reason crash ends the domain and never
 *           returns.
 * Source:   guest-abi.md 14, 3.4.
 * Expected: the hypervisor reports the crash.
 *
 * test: expect=crash
 */
#include "xt.h"

void test_main(void)
{
	struct sched_shutdown arg = { .reason = SHUTDOWN_crash };

	ready("SHUTDOWN_crash");
	sched_op(SCHEDOP_shutdown, &arg);
	fail("survived");
}
