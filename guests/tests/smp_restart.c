/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a vCPU go down and be brought up again where it stopped?
 * Rule:     VCPUOP_down by the vCPU itself returns there after another
 *           VCPUOP_up; down of another vCPU works from outside.
 * Source:   guest-abi.md 9.
 * Expected: three lives of vCPU 1, is_up right in between.
 *
 * test: vcpus=2
 */
#include "xt.h"

static volatile u32 lives, spins;

static void second(void)
{
	for (;;) {
		lives++;
		if (lives == 3)
			break;
		check_eq(vcpu_op(VCPUOP_down, 1, NULL), 0);
	}
	for (;;)
		spins++;
}

static bool is_down(void)
{
	return vcpu_op(VCPUOP_is_up, 1, NULL) == 0;
}

void test_main(void)
{
	u32 seen;

	start_vcpu(1, second);
	for (u32 life = 1; life < 3; life++) {
		check(spin_until(lives == life && is_down(), MS(5000)),
		      "life %u: lives %u", life, lives);
		check_eq(vcpu_op(VCPUOP_up, 1, NULL), 0);
	}
	check(spin_until(spins > 1000, MS(5000)), "no third life");
	check_eq(vcpu_op(VCPUOP_down, 1, NULL), 0);
	check(is_down(), "vCPU 1 is still up");
	(void)spin_until(false, MS(20));
	seen = spins;
	(void)spin_until(false, MS(50));
	check(spins == seen, "vCPU 1 still runs");
	pass("%u lives", lives);
}
