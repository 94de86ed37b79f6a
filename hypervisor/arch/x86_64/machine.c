/* SPDX-License-Identifier: Apache-2.0 */
#include <hv/acpi.h>
#include <hv/audit_point.h>
#include <hv/console.h>
#include <hv/hold.h>
#include <hv/log.h>
#include <hv/machine.h>
#include <hv/meter.h>
#include <hv/mm.h>
#include <hv/options.h>

#include <arch/backtrace.h>
#include <arch/clock.h>
#include <arch/internal.h>
#include <arch/x86.h>

#include <xen/sched.h>

static const struct acpi_info *acpi_facts;
static enum option_reboot policy = REBOOT_AUTO;

void machine_init(const struct acpi_info *acpi, u64 reboot_option)
{
	acpi_facts = acpi;
	policy = (enum option_reboot)reboot_option;
}

#define POWER_OFF_NS 1000000000UL

static void power_off(void)
{
	u64 until_ns = clock_now_ns() + POWER_OFF_NS;

	if (!acpi_facts)
		return;
	for (u32 i = 0; i < acpi_facts->poweroff_count; i++)
		outw(acpi_facts->poweroff[i].port,
		     acpi_facts->poweroff[i].value);
	while (clock_now_ns() < until_ns)
		cpu_relax();
}

static void NORETURN reboot(void)
{
	struct {
		u16 limit;
		u64 base;
	} PACKED no_idt = { 0, 0 };

	if (acpi_facts && acpi_facts->has_reset && acpi_facts->reset.space == 1)
		outb((u16)acpi_facts->reset.address, acpi_facts->reset.value);
	outb(0xcf9, 6);
	outb(0x64, 0xfe); /* keyboard controller: pulse the reset line */
	__asm__ volatile("lidt %0; int3" : : "m"(no_idt)); /* triple fault */
	stop_this_cpu();
}

void machine_end(enum machine_end how)
{
	stop_other_cpus();
	switch (how) {
	case MACHINE_POWEROFF:
		power_off();
		log_error("this machine cannot be powered off: halted");
		break;
	case MACHINE_REBOOT:
		reboot();
	case MACHINE_HALT:
	default:
		break;
	}
	stop_this_cpu();
}

void machine_end_on_error(void)
{
	if (policy == REBOOT_YES) {
		log_error("rebooting the machine (reboot=yes)");
		machine_end(MACHINE_REBOOT);
	}
	log_error("the machine is halted");
	machine_end(MACHINE_HALT);
}

void machine_end_domain0(u32 code)
{
	static u32 ending;

	/* Every CPU finds Domain 0 ended; one is enough to end the machine. */
	if (__atomic_exchange_n(&ending, 1, __ATOMIC_SEQ_CST))
		stop_this_cpu();
	audit_print();
	hold_print();
	meter_print();
	frames_print();
	switch (code) {
	case SHUTDOWN_poweroff:
		log_info("domain 0 powered off: powering the machine off");
		machine_end(MACHINE_POWEROFF);
	case SHUTDOWN_reboot:
		log_info("domain 0 rebooted: rebooting the machine");
		machine_end(policy == REBOOT_NO ? MACHINE_HALT
						: MACHINE_REBOOT);
	default:
		log_error("domain 0 ended with shutdown code %u", code);
		machine_end_on_error();
	}
}
