/* SPDX-License-Identifier: Apache-2.0 */
/* Start of the secondary CPUs (Intel SDM vol. 3, 8.4.4): INIT, start-up IPI,
 * one after the other, each with a struct cpu of its own. */
#include <hv/acpi.h>
#include <hv/dispatch.h>
#include <hv/log.h>
#include <hv/meter.h>
#include <hv/mm.h>
#include <hv/string.h>
#include <hv/timer.h>

#include <arch/clock.h>
#include <arch/internal.h>
#include <arch/pagetable.h>
#include <arch/x86.h>

#define TRAMPOLINE_MADDR 0x8000UL
#define START_LIMIT_NS 1000000000UL

extern const u8 ap_trampoline[], ap_trampoline_end[], ap_params[];

struct params {
	u64 cr3, stack, cpu, efer, entry;
};

static u64 boot_cr3;
extern u64 boot_l4[512];

static void delay_ns(u64 ns)
{
	u64 until = clock_now_ns() + ns;

	while (clock_now_ns() < until)
		cpu_relax();
}

static void NORETURN ap_main(struct cpu *c)
{
	write_cr3(hv_cr3());
	cpu_setup(c);
	local_apic_cpu_init();
	meter_cpu_start(c->id, clock_now_ns());
	timer_cpu_init(c->id);
	dispatch_start();
}

static bool start(struct cpu *c)
{
	struct params *p = maddr_to_virt(TRAMPOLINE_MADDR +
					 (u64)(ap_params - ap_trampoline));
	u64 deadline;

	*p = (struct params){ boot_cr3, c->stack_top, (u64)c,
			      rdmsr(MSR_EFER) & ~0x400UL, (u64)ap_main };
	local_apic_send_init(c->apic_id);
	delay_ns(10000000);
	for (unsigned int i = 0; i < 2; i++) {
		local_apic_send_startup(c->apic_id, TRAMPOLINE_MADDR >> 12);
		deadline = clock_now_ns() + (i ? START_LIMIT_NS : 10000000);
		while (!READ_ONCE(c->online) && clock_now_ns() < deadline)
			cpu_relax();
		if (READ_ONCE(c->online))
			return true;
	}
	return false;
}

void smp_boot(const struct acpi_info *acpi, unsigned int max_cpus)
{
	memcpy(maddr_to_virt(TRAMPOLINE_MADDR), ap_trampoline,
	       (size_t)(ap_trampoline_end - ap_trampoline));
	/* The trampoline runs at its physical address: head.S's tables map
	 * that and get our slots for the step to C. */
	boot_cr3 = (u64)boot_l4 - IMAGE_VIRT;
	pagetable_copy_hv_slots(boot_l4);
	for (unsigned int i = 0; i < acpi->cpu_count; i++) {
		struct cpu *c;

		if (acpi->apic_ids[i] == this_cpu()->apic_id)
			continue;
		if (cpu_count >= max_cpus || cpu_count >= MAX_CPUS)
			break;
		c = cpu_create(cpu_count, acpi->apic_ids[i]);
		if (!c)
			break;
		if (!start(c)) {
			log_warn("CPU with APIC id %u does not start",
				 c->apic_id);
			cpus[c->id] = NULL;
			continue;
		}
		cpu_count++;
	}
}
