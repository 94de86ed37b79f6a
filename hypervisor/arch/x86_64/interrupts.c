/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts, and the work that they leave for the way out to a guest. */
#include <hv/console.h>
#include <hv/dispatch.h>
#include <hv/domain.h>
#include <hv/log.h>
#include <hv/meter.h>
#include <hv/timer.h>

#include <arch/backtrace.h>
#include <arch/clock.h>
#include <arch/internal.h>
#include <arch/rendezvous.h>
#include <arch/tlb.h>
#include <arch/x86.h>

void cpu_kick(unsigned int cpu, u32 work)
{
	struct cpu *c = cpus[cpu];

	__atomic_or_fetch(&c->work, work, __ATOMIC_SEQ_CST);
	if (cpu != cpu_id())
		local_apic_ipi(c->apic_id, VEC_KICK);
}

/* Interrupt work is charged to its own account, not to the domain that it
 * happened to interrupt. */
void interrupt(unsigned int vector)
{
	struct meter_account *interrupted =
		meter_switch(meter_overhead(METER_IRQ), clock_now_ns());

	switch (vector) {
	case VEC_TIMER:
		local_apic_eoi();
		timer_run();
		break;
	case VEC_KICK:
		local_apic_eoi();
		break;
	case VEC_SERIAL:
		local_apic_eoi();
		console_interrupt();
		break;
	case VEC_SPURIOUS:
		break;
	default:
		local_apic_eoi();
		if (!device_interrupt(vector))
			log_warn("unexpected interrupt vector %u", vector);
		break;
	}
	tlb_serve_requests();
	meter_switch(interrupted, clock_now_ns());
}

void guest_work(void)
{
	u32 work = __atomic_exchange_n(&this_cpu()->work, 0, __ATOMIC_SEQ_CST);

	if (work & CPU_WORK_FLUSH)
		tlb_serve_requests();
	if (unlikely(work & CPU_WORK_NMI))
		nmi_report();
	if (work & CPU_WORK_STOP)
		rendezvous_point();
	/* It may wake whom the scheduler is then asked about. */
	if (work & CPU_WORK_DEFERRED)
		dispatch_deferred();
	if (work & CPU_WORK_RESCHED)
		dispatch();
	if (unlikely(READ_ONCE(this_cpu()->vcpu->arch.nmi_pending)))
		deliver_nmi(this_cpu()->vcpu);
}
