/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a new vCPU start with a clean FPU?
 * Rule:     it must not see the registers of the vCPU that ran on that CPU
 *           before it.
 * Source:   checklist 49 and 50, XSA-165.
 * Expected: XMM registers zero, MXCSR 1f80 on vCPU 1.
 *
 * test: vcpus=2 cpus=1
 */
#include "xt.h"

static volatile u64 dirt;
static volatile u32 csr_1, done;

static void second(void)
{
	u64 v[4];
	u32 csr;

	__asm__ volatile("movups %%xmm0, %0; movups %%xmm9, %1; stmxcsr %2"
			 : "=m"(*(u64(*)[2])v), "=m"(*(u64(*)[2])(v + 2)),
			   "=m"(csr));
	dirt = v[0] | v[1] | v[2] | v[3];
	csr_1 = csr;
	done = 1;
}

void test_main(void)
{
	static const u64 secret[2] = { 0x5ec2e7, 0x5ec2e7 };
	u32 port = (u32)bind_ipi(0);
	u32 csr = 0x7f80;

	__asm__ volatile("movups %0, %%xmm0; movups %0, %%xmm9; ldmxcsr %1"
			 :
			 : "m"(secret), "m"(csr));
	start_vcpu(1, second);
	for (u32 i = 0; !done && i < 5000; i++)
		check_eq(poll_port(port, now_ns() + MS(1)), 0);
	check(done, "vCPU 1 did not run");
	check(!dirt && csr_1 == 0x1f80, "xmm bits %lx mxcsr %x", dirt, csr_1);
	pass("clean");
}
