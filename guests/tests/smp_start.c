/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do VCPUOP_initialise, up, is_up and down do what they say?
 * Rule:     a second vCPU runs from the given context; is_up follows; vCPUs
 *           that do not exist give -ENOENT.
 * Source:   guest-abi.md 9, 3.4.
 * Expected: 0 and 1 from is_up in turn, -ENOENT for numbers 2 to 8191.
 *
 * test: vcpus=2 audit=50
 */
#include "xt.h"

static volatile u32 ran;
static volatile u64 second_sp;

static void second(void)
{
	struct cpu *cpu = this_cpu();

	second_sp = (u64)cpu;
	ran = cpu->id;
}

void test_main(void)
{
	check_eq(vcpu_op(VCPUOP_is_up, 0, NULL), 1);
	check_eq(vcpu_op(VCPUOP_is_up, 1, NULL), 0);
	for (u32 id = 2; id < 8192; id++)
		check_eq(vcpu_op(VCPUOP_is_up, id, NULL), -XEN_ENOENT);
	check_refused(vcpu_op(VCPUOP_up, 1, NULL));
	start_vcpu(1, second);
	check(spin_until(ran == 1, MS(5000)), "vCPU 1 did not run");
	check(spin_until(vcpu_op(VCPUOP_is_up, 1, NULL) == 0, MS(5000)),
	      "vCPU 1 did not go down");
	check_eq(vcpu_op(VCPUOP_initialise, 1, vcpu_context(1, second)),
		 -XEN_EEXIST);
	pass("vCPU 1 up and down, stack %lx", second_sp);
}
