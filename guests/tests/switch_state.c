/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is all state of a vCPU its own when two share one CPU?
 * Rule:     SSE and x87 registers, FS and user GS base, debug registers and
 *           the TS flag are switched completely between vCPUs.
 * Source:   checklist 49 and 50, XSA-52, XSA-267.
 * Expected: each finds its own values after 200 sleeps against the other.
 *
 * test: vcpus=2 cpus=1 time=120
 */
#include "xt.h"

#define ROUNDS 200

static volatile u32 finished;

static void live(void)
{
	u64 id = this_cpu()->id, pattern = 0x1111111111111111 * (id + 5);
	u32 port = (u32)bind_ipi((u32)id);
	u64 v, w;

	check_eq(set_segment_base(SEGBASE_FS, 0x1000 * (id + 1)), 0);
	check_eq(set_segment_base(SEGBASE_GS_USER, 0x7000 * (id + 1)), 0);
	check_eq(set_debugreg(0, 0x100000 * (id + 1)), 0);
	__asm__ volatile("fninit; movq %0, %%xmm3; movq %0, %%xmm14"
			 :
			 : "r"(pattern));
	if (id)
		__asm__ volatile("fld1");
	for (u32 i = 0; i < ROUNDS; i++) {
		u16 fsw;

		if (i & 1)
			check_eq(poll_port(port, now_ns() + 300000), 0);
		else
			check_eq(sched_op(SCHEDOP_yield, NULL), 0);
		__asm__ volatile("movq %%xmm3, %0; movq %%xmm14, %1"
				 : "=r"(v), "=r"(w));
		check(v == pattern && w == pattern, "vCPU %lu: xmm %lx %lx", id,
		      v, w);
		__asm__ volatile("fnstsw %0" : "=m"(fsw));
		check((fsw >> 11 & 7) == (id ? 7 : 0), "vCPU %lu: fsw %x", id,
		      fsw);
		check_eq(probe_rdmsr(0xc0000100, &v)->vector, VEC_NONE);
		check(v == 0x1000 * (id + 1), "vCPU %lu: FS base %lx", id, v);
		check_eq(probe_rdmsr(0xc0000102, &v)->vector, VEC_NONE);
		check(v == 0x7000 * (id + 1), "vCPU %lu: GS base %lx", id, v);
		check_eq(get_debugreg(0), 0x100000 * (id + 1));
	}
	__atomic_fetch_add((u32 *)&finished, 1, __ATOMIC_SEQ_CST);
}

void test_main(void)
{
	u32 port;

	if (vcpus_available() < 2)
		skip("one vCPU only");
	start_vcpu(1, live);
	live();
	port = (u32)bind_ipi(0);
	for (u32 i = 0; finished < 2 && i < 20000; i++)
		check_eq(poll_port(port, now_ns() + MS(1)), 0);
	check(finished == 2, "vCPU 1 did not finish");
	pass("%u rounds each", ROUNDS);
}
