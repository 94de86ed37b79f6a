/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does EVTCHNOP_bind_vcpu move a port to another vCPU?
 * Rule:     after the call events come on the new vCPU only; VIRQ and IPI
 *           ports can't be moved.
 * Source:   guest-abi.md 10.
 * Expected: the upcall is taken by vCPU 1.
 *
 * test: vcpus=2
 */
#include "xt.h"

static u32 port;
static volatile u32 up, stop;
static struct cpu *second_cpu;

static void second(void)
{
	second_cpu = this_cpu();
	events_on();
	up = 1;
	while (!stop)
		__asm__ volatile("pause" ::: "memory");
}

void test_main(void)
{
	struct evtchn_bind_vcpu bv = { .vcpu = 1 };
	u64 before, before_0;
	long a = alloc_unbound(DOMID_SELF, DOMID_SELF);

	port = (u32)bind_interdomain(DOMID_SELF, (u32)a);
	clear_event(port);
	bv.port = port;
	check_eq(event_op(EVTCHNOP_bind_vcpu, &bv), 0);
	unmask_event(port);
	start_vcpu(1, second);
	check(spin_until(up, MS(5000)), "vCPU 1 is not up");
	events_on();
	before = second_cpu->upcalls;
	before_0 = this_cpu()->upcalls;
	check_eq(send_event((u32)a), 0);
	check(spin_until(event_count[port], MS(5000)), "not delivered");
	check(second_cpu->upcalls > before, "vCPU 1 had no upcall");
	check(this_cpu()->upcalls == before_0, "vCPU 0 had an upcall too");
	bv.port = (u32)bind_ipi(0);
	check_refused(event_op(EVTCHNOP_bind_vcpu, &bv));
	stop = 1;
	pass("delivered on vCPU 1");
}
