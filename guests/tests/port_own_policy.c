/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are all ports of the machine hidden from Domain 0?
 * Rule:     no device belongs to Domain 0: every port reads as all ones, but
 *           0x40 to 0x43 as 0 to cut the kernel's timer probing short.
 * Source:   guest-abi.md 5.2.
 * Expected: interrupt controllers, clock and keyboard read ff, timers 0.
 */
#include "xt.h"

void test_main(void)
{
	static const u16 ones[] = { 0x20, 0x21,  0x60,  0x64,  0xa0,  0xa1,
				    0x71, 0x3f8, 0x3fd, 0xcfc, 0x1ce, 0x604 };
	u32 v;

	for (unsigned int i = 0; i < ARRAY_SIZE(ones); i++) {
		int got;

		v = 0;
		got = PROBE("inb %w1, %b0", "+a"(v)
			    : "d"((u32)ones[i]))
			      ->vector;
		check(got == VEC_NONE, "port %x: vector %d", ones[i], got);
		check(v == 0xff, "port %x reads %x", ones[i], v);
	}
	for (u32 port = 0x40; port <= 0x43; port++) {
		v = 0xff;
		check_eq(PROBE("inb %w1, %b0", "+a"(v)
			       : "d"(port))
				 ->vector,
			 VEC_NONE);
		check(!(v & 0xff), "port %x reads %x", port, v);
	}
	/* Were this the machine's own reset port, the test would end here. */
	check_eq(PROBE("outb %b0, %w1",
		       : "a"(0x0e), "d"(0xcf9))
			 ->vector,
		 VEC_NONE);
	pass("%u ports", (u32)ARRAY_SIZE(ones) + 4);
}
