/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does set_trap_table check addresses and pointers?
 * Rule:     non-canonical handlers and handlers in the hypervisor are refused
 *           or never reached with privilege; bad tables -EFAULT; a call
 *           changes only the vectors it lists.
 * Source:   guest-abi.md 4.3, checklist 17 and 39.
 * Expected: -EINVAL or harmless, -EFAULT, other vectors still work.
 */
#include "xt.h"

void test_main(void)
{
	struct trap_info t[2] = { trap_gate(VEC_DE, 4) };
	long rc;

	t[0].address = NONCANONICAL;
	check_refused(set_trap_table(t));
	t[0].address = 0x0000800000000000;
	check_refused(set_trap_table(t));
	check_eq(set_trap_table((void *)HV_START), -XEN_EFAULT);
	check_eq(set_trap_table((void *)0xffff82d040000000), -XEN_EFAULT);
	check_eq(set_trap_table((void *)NONCANONICAL), -XEN_EFAULT);
	t[0] = trap_gate(VEC_UD, 4);
	t[0].address = 0xffff82d040200000;
	rc = set_trap_table(t);
	if (rc == 0) {
		t[0] = trap_gate(VEC_UD, 4);
		check_eq(set_trap_table(t), 0);
	}
	check_eq(PROBE("ud2", )->vector, VEC_UD);
	check_eq(PROBE("div %0", : "r"(0UL) : "rax", "rdx")->vector, VEC_DE);
	pass("handler in the hypervisor %s", rc ? "refused" : "accepted");
}
