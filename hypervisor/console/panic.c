/* SPDX-License-Identifier: Apache-2.0 */
/* The end by our own fault: says all that helps to find it, once. */
#include <hv/console.h>
#include <hv/domain.h>
#include <hv/format.h>
#include <hv/log.h>
#include <hv/machine.h>
#include <hv/trace.h>

#include <arch/backtrace.h>
#include <arch/regs.h>

#define TRACE_RECORDS 16

static u32 panicking;

static void NORETURN die(const struct guest_regs *regs, const char *text)
{
	struct vcpu *v;

	if (__atomic_exchange_n(&panicking, 1, __ATOMIC_SEQ_CST))
		stop_this_cpu();
	stop_other_cpus();
	console_break_lock();
	v = arch_current_vcpu();
	log_error("PANIC on CPU %u: %s", cpu_id(), text);
	if (v)
		log_error("current: domain %u, vCPU %u, guest rip %lx",
			  v->domain->id, v->id,
			  (unsigned long)v->arch.regs.rip);
	else
		log_error("current: no vCPU");
	if (regs)
		print_registers(regs);
	backtrace(regs);
	trace_print_last(TRACE_RECORDS);
	machine_end_on_error();
}

void panic(const char *fmt, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	hv_vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	die(NULL, text);
}

void panic_regs(const struct guest_regs *regs, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	hv_vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	die(regs, text);
}
