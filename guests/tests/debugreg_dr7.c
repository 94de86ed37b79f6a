/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: which DR7 and DR6 values does the hypervisor take?
 * Rule:     no general detect, no bits above 31, no I/O breakpoints, no
 *           8-byte execute breakpoints; bad ones refused or the bits dropped;
 *           nothing is committed of a refused value.
 * Source:   checklist 21.
 * Expected: no forbidden bit ever reads back.
 */
#include "xt.h"

void test_main(void)
{
	static const u64 bad[] = {
		1UL << 13 | 1,
		1UL << 32,
		~0UL,
		0x00020001 | 1UL << 40,
	};
	u64 got;

	check_eq(set_debugreg(0, 0x12345000), 0);
	check_eq(set_debugreg(7, 0x000f0401), 0);
	got = (u64)get_debugreg(7);
	check((got & ~0x400UL) == 0x000f0001, "dr7 %lx", got);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		set_debugreg(7, bad[i]);
		got = (u64)get_debugreg(7);
		check(!(got & (1UL << 13)) && !(got >> 32),
		      "%lx reads back as %lx", bad[i], got);
		set_debugreg(7, 0x400);
	}
	check_eq(set_debugreg(7, 0x400), 0);
	check_eq(set_debugreg(6, 0xffff0ff0), 0);
	set_debugreg(6, ~0UL);
	got = (u64)get_debugreg(6);
	check(!(got >> 32), "dr6 %lx", got);
	pass("%u values, dr6 of all ones is %lx", (u32)ARRAY_SIZE(bad), got);
}
