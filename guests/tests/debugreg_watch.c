/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a hardware breakpoint of the guest fire?
 * Rule:     a data watch gives #DB with DR6.B0 in the guest; it does not fire
 *           on the hypervisor's own accesses to that memory.
 * Source:   guest-abi.md 4.5, checklist 20 and 21.
 * Expected: #DB on a store; none in a hypercall that copies there.
 */
#include "xt.h"

static u64 watched __attribute__((aligned(8)));

void test_main(void)
{
	struct fault *f;
	u64 dr6;

	check_eq(set_debugreg(0, (u64)&watched), 0);
	check_eq(set_debugreg(7, 0x000d0401), 0);
	f = PROBE("movq $1, %0; nop", "=m"(watched));
	check(f->vector == VEC_DB, "vector %d", f->vector);
	dr6 = (u64)get_debugreg(6);
	check(dr6 & 1, "dr6 %lx", dr6);
	check_eq(set_debugreg(6, 0xffff0ff0), 0);
	f = PROBE("mov %1, %0; nop", "=r"(dr6) : "m"(watched));
	check(f->vector == VEC_NONE, "a read fired a write watch");
	/* 8 bytes of features, copied out by the hypervisor. */
	this_cpu()->fault.vector = VEC_NONE;
	xen_version(XENVER_get_features, &watched);
	check(this_cpu()->fault.vector == VEC_NONE, "fired in a hypercall");
	check_eq(set_debugreg(7, 0x400), 0);
	check_eq(PROBE("movq $1, %0; nop", "=m"(watched))->vector, VEC_NONE);
	pass("dr6 %lx", (u64)get_debugreg(6));
}
