/* SPDX-License-Identifier: Apache-2.0 */
/* Number -> handler. HYPERVISOR_iret (23) is done by the entry code and never
 * comes here but from a multicall, which refuses it. */
#include <hv/control.h>
#include <hv/errno.h>
#include <hv/hypercall.h>

#include <xen/xen.h>
#include <xeno/abi.h>

_Static_assert(XENO_HYPERVISOR_CONTROL == __HYPERVISOR_arch_4,
	       "a number the public ABI leaves to us");

static long hc_nosys(u64 a1, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6)
{
	(void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6;
	return -ENOSYS;
}

/* Every number has a handler, so the entry code needs no test for none. */
#pragma GCC diagnostic ignored "-Woverride-init"
const hypercall_fn hypercall_table[HYPERCALL_COUNT] = {
	[0 ... HYPERCALL_COUNT - 1] = hc_nosys,
	[__HYPERVISOR_set_trap_table] = hc_set_trap_table,
	[__HYPERVISOR_mmu_update] = hc_mmu_update,
	[__HYPERVISOR_set_gdt] = hc_set_gdt,
	[__HYPERVISOR_stack_switch] = hc_stack_switch,
	[__HYPERVISOR_set_callbacks] = hc_set_callbacks,
	[__HYPERVISOR_fpu_taskswitch] = hc_fpu_taskswitch,
	[__HYPERVISOR_platform_op] = hc_platform_op,
	[__HYPERVISOR_set_debugreg] = hc_set_debugreg,
	[__HYPERVISOR_get_debugreg] = hc_get_debugreg,
	[__HYPERVISOR_update_descriptor] = hc_update_descriptor,
	[__HYPERVISOR_memory_op] = hc_memory_op,
	[__HYPERVISOR_multicall] = hc_multicall,
	[__HYPERVISOR_update_va_mapping] = hc_update_va_mapping,
	[__HYPERVISOR_set_timer_op] = hc_set_timer_op,
	[__HYPERVISOR_xen_version] = hc_xen_version,
	[__HYPERVISOR_console_io] = hc_console_io,
	[__HYPERVISOR_grant_table_op] = hc_grant_table_op,
	[__HYPERVISOR_vm_assist] = hc_vm_assist,
	[__HYPERVISOR_update_va_mapping_otherdomain] =
		hc_update_va_mapping_otherdomain,
	[__HYPERVISOR_vcpu_op] = hc_vcpu_op,
	[__HYPERVISOR_set_segment_base] = hc_set_segment_base,
	[__HYPERVISOR_mmuext_op] = hc_mmuext_op,
	[__HYPERVISOR_nmi_op] = hc_nmi_op,
	[__HYPERVISOR_sched_op] = hc_sched_op,
	[__HYPERVISOR_callback_op] = hc_callback_op,
	[__HYPERVISOR_event_channel_op] = hc_event_channel_op,
	[__HYPERVISOR_physdev_op] = hc_physdev_op,
	[__HYPERVISOR_domctl] = hc_domctl,
	[__HYPERVISOR_sysctl] = hc_sysctl,
	[XENO_HYPERVISOR_CONTROL] = hc_control,
};
