/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does INT n in the guest kernel reach the guest's handler n?
 * Rule:     for all 256 vectors, with gates open to the kernel: the guest's
 *           own vector, or #GP with that vector's code; never a hypervisor
 *           handler.
 * Source:   checklist 22, XSA-259, guest-abi.md 4.2 and 6.2b.
 * Expected: vector n for each n; RIP after the instruction.
 */
#include "xt.h"

static u64 rip_after;

static int call_int(unsigned int n)
{
	static u8 *code;
	struct fault *f;

	if (!code)
		code = alloc_page();
	code[0] = 0xcd;
	code[1] = (u8)n;
	code[2] = 0xc3;
	barrier();
	f = run_guarded((void (*)(void *))code, NULL);
	rip_after = f->rip - (u64)code;
	return f->vector;
}

void test_main(void)
{
	unsigned int refused = 0;

	set_all_gates(7);
	for (unsigned int n = 0; n < 256; n++) {
		int got = call_int(n);

		if (got == VEC_GP && n != VEC_GP) {
			check(this_cpu()->fault.error == (n << 3 | 2),
			      "int 0x%x: #GP error %lx", n,
			      this_cpu()->fault.error);
			refused++;
			continue;
		}
		check(got == (int)n, "int 0x%x came as %d", n, got);
		check(rip_after == 2, "int 0x%x: rip +%lu", n, rip_after);
	}
	pass("%u vectors, %u refused", 256 - refused, refused);
}
