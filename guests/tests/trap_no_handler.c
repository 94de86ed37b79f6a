/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what if an exception comes and the guest has no handler?
 * Rule:     set_trap_table(NULL) clears the table; an exception then kills
 *           the domain, and only the domain.
 * Source:   guest-abi.md 4.3, checklist 22 and 23.
 * Expected: the hypervisor reports the crash.
 *
 * test: expect=crash
 */
#include "xt.h"

void test_main(void)
{
	check_eq(set_trap_table(NULL), 0);
	ready("no trap table");
	__asm__ volatile("ud2");
	fail("survived");
}
