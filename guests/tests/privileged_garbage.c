/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do the control hypercalls survive a garbage argument?
 * Rule:     wrong interface versions, unknown commands, unknown domains and
 *           bad pointers are errors, for Domain 0 too.
 * Source:   checklist 40, 41, 53.
 * Expected: refused, each one.
 */
#include "xt.h"

static u64 buffer[512];

void test_main(void)
{
	static const u32 numbers[] = {
		__HYPERVISOR_domctl,      __HYPERVISOR_sysctl,
		__HYPERVISOR_platform_op, __HYPERVISOR_hvm_op,
		__HYPERVISOR_xsm_op,      __HYPERVISOR_tmem_op,
		__HYPERVISOR_argo_op,     __HYPERVISOR_xenpmu_op,
		__HYPERVISOR_dm_op,       __HYPERVISOR_hypfs_op,
		__HYPERVISOR_nmi_op,      __HYPERVISOR_arch_0,
	};
	static const u64 values[] = { HV_START, NONCANONICAL, ~0UL };
	static const u32 versions[] = { 0, 1, 0x15, 0x14, 0x13, 0xffffffff };

	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++)
		for (unsigned int k = 0; k < ARRAY_SIZE(values); k++) {
			u64 v = values[k];
			long rc = hypercall(numbers[i], v, v, v);

			check(rc < 0, "hypercall %u with %lx gave %ld",
			      numbers[i], v, rc);
		}
	for (u32 cmd = 0; cmd < 100; cmd++)
		for (unsigned int v = 0; v < ARRAY_SIZE(versions); v++) {
			memset(buffer, 0xff, sizeof(buffer));
			((u32 *)buffer)[0] = cmd;
			((u32 *)buffer)[1] = versions[v];
			((u16 *)buffer)[4] = 77;
			check_refused(hypercall(__HYPERVISOR_domctl, buffer));
		}
	for (u32 cmd = 1000; cmd < 1100; cmd++) {
		memset(buffer, 0xff, sizeof(buffer));
		((u32 *)buffer)[0] = cmd;
		((u32 *)buffer)[1] = 0x15;
		check_refused(hypercall(__HYPERVISOR_sysctl, buffer));
		((u32 *)buffer)[1] = XENPF_INTERFACE_VERSION;
		check_refused(hypercall(__HYPERVISOR_platform_op, buffer));
	}
	pass("%u hypercalls, 600 domctls", (u32)ARRAY_SIZE(numbers));
}
