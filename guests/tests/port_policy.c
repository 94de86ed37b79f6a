/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does port I/O from the guest kernel ever fault?
 * Rule:     with IOPL asked for by set_iopl, reads give all ones where
 *           nothing is for the domain and writes are dropped; the timer ports
 *           read 0; nothing #GPs.
 * Source:   guest-abi.md 0.6, 4.8, 5.2.
 * Expected: 1, 2 and 4-byte forms by DX and immediate without a fault.
 */
#include "xt.h"

void test_main(void)
{
	static const u16 ports[] = { 0x20, 0x21,  0x60,  0x64,  0x80,
				     0xa1, 0x2f8, 0x3d4, 0xcf8, 0xcfc };
	struct physdev_set_iopl iopl = { .iopl = 1 };
	u32 v = 0;

	check_eq(physdev_op(PHYSDEVOP_set_iopl, &iopl), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(ports); i++) {
		u32 port = ports[i];

		check_eq(PROBE("inb %w1, %b0", "+a"(v)
			       : "d"(port))
				 ->vector,
			 VEC_NONE);
		check_eq(PROBE("inw %w1, %w0", "+a"(v)
			       : "d"(port))
				 ->vector,
			 VEC_NONE);
		check_eq(PROBE("inl %w1, %0", "+a"(v)
			       : "d"(port))
				 ->vector,
			 VEC_NONE);
	}
	check_eq(PROBE("outb %b0, %w1", : "a"(0), "d"(0x80))->vector, VEC_NONE);
	check_eq(PROBE("outw %w0, %w1",
		       : "a"(0), "d"(0x280))
			 ->vector,
		 VEC_NONE);
	check_eq(PROBE("outl %0, %w1", : "a"(0), "d"(0x280))->vector, VEC_NONE);
	check_eq(PROBE("in $0x61, %%al", "+a"(v))->vector, VEC_NONE);
	check_eq(PROBE("out %%al, $0x80", : "a"(0))->vector, VEC_NONE);
	v = 0;
	check_eq(PROBE("inl %w1, %0", "+a"(v) : "d"(0x288))->vector, VEC_NONE);
	check(v == 0xffffffff, "port 0x288 reads %x", v);
	pass("%u ports", (u32)ARRAY_SIZE(ports));
}
