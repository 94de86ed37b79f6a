/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The longest entries of each kind (contract in hv/hold.h), in ticks of the
 * TSC. In QEMU with -icount shift=0 a tick is an instruction, which the
 * printed calibration shows. Each CPU keeps its own, so nothing is locked.
 *
 * Not counted: less than 40 instructions between hold_end and the guest. With
 * several CPUs under icount the instructions of all are counted together.
 */
#include <hv/console.h>
#include <hv/hold.h>
#include <hv/log.h>

#include <arch/cpu.h>
#include <arch/x86.h>

#include <xen/xen.h>

#define KINDS (HOLD_VECTOR + 0x103)
#define LOOPS 1000

static u32 longest[MAX_CPUS][KINDS];

void hold_begin(u32 kind)
{
	struct cpu *c = this_cpu();

	c->hold_kind = kind;
	c->hold_start = rdtsc();
}

void hold_end(void)
{
	u64 now = rdtsc();
	const struct cpu *c = this_cpu();
	u64 ticks = now - c->hold_start;
	u32 kind = c->hold_kind;

	if (!c->hold_start || kind >= KINDS)
		return;
	if (ticks > longest[c->id][kind])
		longest[c->id][kind] = (u32)MIN(ticks, 0xffffffffUL);
}

static const char *const names[HOLD_VECTOR] = {
	[__HYPERVISOR_set_trap_table] = "set_trap_table",
	[__HYPERVISOR_mmu_update] = "mmu_update",
	[__HYPERVISOR_set_gdt] = "set_gdt",
	[__HYPERVISOR_stack_switch] = "stack_switch",
	[__HYPERVISOR_set_callbacks] = "set_callbacks",
	[__HYPERVISOR_fpu_taskswitch] = "fpu_taskswitch",
	[__HYPERVISOR_platform_op] = "platform_op",
	[__HYPERVISOR_set_debugreg] = "set_debugreg",
	[__HYPERVISOR_get_debugreg] = "get_debugreg",
	[__HYPERVISOR_update_descriptor] = "update_descriptor",
	[__HYPERVISOR_memory_op] = "memory_op",
	[__HYPERVISOR_multicall] = "multicall",
	[__HYPERVISOR_update_va_mapping] = "update_va_mapping",
	[__HYPERVISOR_set_timer_op] = "set_timer_op",
	[__HYPERVISOR_xen_version] = "xen_version",
	[__HYPERVISOR_console_io] = "console_io",
	[__HYPERVISOR_grant_table_op] = "grant_table_op",
	[__HYPERVISOR_vm_assist] = "vm_assist",
	[__HYPERVISOR_update_va_mapping_otherdomain] =
		"update_va_mapping_otherdomain",
	[__HYPERVISOR_iret] = "iret",
	[__HYPERVISOR_vcpu_op] = "vcpu_op",
	[__HYPERVISOR_set_segment_base] = "set_segment_base",
	[__HYPERVISOR_mmuext_op] = "mmuext_op",
	[__HYPERVISOR_nmi_op] = "nmi_op",
	[__HYPERVISOR_sched_op] = "sched_op",
	[__HYPERVISOR_callback_op] = "callback_op",
	[__HYPERVISOR_event_channel_op] = "event_channel_op",
	[__HYPERVISOR_physdev_op] = "physdev_op",
	[HOLD_UNKNOWN] = "unknown_hypercall",
	[HOLD_SYSTEM_CALL] = "system_call",
};

/* Two instructions per round. */
static u64 calibrate(void)
{
	u64 start = rdtsc();
	u32 n = LOOPS / 2;

	__asm__ volatile("1: decl %0\n"
			 "   jnz 1b\n"
			 : "+r"(n));
	return rdtsc() - start;
}

void hold_print(void)
{
	log_info("hold bound=%u ticks_per_%u_instructions=%lu",
		 HOLD_MAX_INSTRUCTIONS, LOOPS, (unsigned long)calibrate());
	for (unsigned int kind = 0; kind < KINDS; kind++) {
		u32 most = 0;

		for (unsigned int i = 0; i < cpu_count; i++)
			most = MAX(most, longest[i][kind]);
		if (!most)
			continue;
		if (kind >= HOLD_VECTOR)
			log_info("longest entry kind=vector_%x instructions=%u",
				 kind - HOLD_VECTOR, most);
		else if (names[kind])
			log_info("longest entry kind=%s instructions=%u",
				 names[kind], most);
		else
			log_info("longest entry kind=hypercall_%u instructions=%u",
				 kind, most);
	}
}

void hold_init(void)
{
	console_debug_key('l', "print the longest entries of each kind",
			  hold_print);
}
