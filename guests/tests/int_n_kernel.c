/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does INT n in the guest kernel reach the guest's handler n?
 * Rule:     for all vectors but 13 and 14, with gates open to the kernel: the
 *           guest's own vector, or #GP with that vector's code; never a
 *           hypervisor handler.
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

/*
 * INT n pushes no error code, so the vectors whose exceptions have one go
 * to a stub without.  13 and 14 stay as they are: they report refusals.
 */
#define PLAIN_STUB 0xf0

static bool has_error_code(unsigned int n)
{
	return n == 8 || (n >= 10 && n <= 12) || n == 17 || n == 21;
}

void test_main(void)
{
	struct trap_info gate[2] = { { 0 } };
	unsigned int refused = 0;

	set_all_gates(7);
	for (unsigned int n = 0; n < 256; n++) {
		unsigned int want = has_error_code(n) ? PLAIN_STUB : n;
		int got;

		if (n == VEC_GP || n == VEC_PF)
			continue;
		if (want != n) {
			gate[0] = trap_gate(want, 7);
			gate[0].vector = (u8)n;
			check_eq(set_trap_table(gate), 0);
		}
		got = call_int(n);
		if (got == VEC_GP) {
			check(this_cpu()->fault.error == (n << 3 | 2),
			      "int 0x%x: #GP error %lx", n,
			      this_cpu()->fault.error);
			refused++;
			continue;
		}
		check(got == (int)want, "int 0x%x came as %d", n, got);
		check(rip_after == 2, "int 0x%x: rip +%lu", n, rip_after);
	}
	pass("%u vectors, %u refused", 254 - refused, refused);
}
