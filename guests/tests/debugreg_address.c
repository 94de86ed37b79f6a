/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a breakpoint be aimed at the hypervisor?
 * Rule:     addresses in the hypervisor's half are refused, also with a
 *           length that reaches into it; non-canonical ones too; good ones
 *           read back.
 * Source:   checklist 21, XSA-444.
 * Expected: refused for DR0 to DR3; the old value stays.
 */
#include "xt.h"

void test_main(void)
{
	static const u64 bad[] = {
		HV_START,     0xffff82d040200000, HV_END - 1,
		NONCANONICAL, 0x0000800000000000,
	};

	for (int reg = 0; reg < 4; reg++) {
		check_eq(set_debugreg(reg, 0x12345000 + (u64)reg), 0);
		for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
			check_refused(set_debugreg(reg, bad[i]));
		check_eq(get_debugreg(reg), 0x12345000 + reg);
		check_eq(set_debugreg(reg, 0xffffffff80100000), 0);
		check_eq(set_debugreg(reg, 0), 0);
	}
	check_refused(set_debugreg(8, 0));
	check_refused(set_debugreg(-1, 0));
	check_refused(set_debugreg(0x7fffffff, 0));
	check_refused(get_debugreg(8));
	check_refused(get_debugreg(-1));
	pass("%u addresses, 4 registers", (u32)ARRAY_SIZE(bad));
}
