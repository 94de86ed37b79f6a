/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a hypercall be made to write into the hypervisor?
 * Rule:     every output pointer is checked as the caller's own: hypervisor,
 *           M2P, non-canonical, read-only and page-table memory are refused.
 * Source:   checklist 39, 48.
 * Expected: -EFAULT for each; the M2P and a read-only page unchanged.
 */
#include "xt.h"

static unsigned int calls;

static void refused(long rc, const char *what, u64 target)
{
	calls++;
	check(rc < 0, "%s to %lx gave %ld", what, target, rc);
}

void test_main(void)
{
	u64 *ro = alloc_table();
	u64 mfn = va_to_mfn(ro), m2p = M2P[mfn];
	const u64 targets[] = {
		HV_START,   (u64)&M2P[mfn],    0xffff82d040200000,
		HV_END - 8, NONCANONICAL,      0x0000800000000000 - 4,
		(u64)ro,    (u64)current_l4(), 0x700000000000,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(targets); i++) {
		u64 t = targets[i];
		void *p = (void *)t;

		refused(xen_version(XENVER_extraversion, p), "extraversion", t);
		refused(xen_version(XENVER_capabilities, p), "caps", t);
		refused(xen_version(XENVER_changeset, p), "changeset", t);
		refused(xen_version(XENVER_platform_parameters, p), "pp", t);
		refused(vcpu_op(VCPUOP_get_runstate_info, 0, p), "runstate", t);
		refused(memory_op(XENMEM_machphys_mapping, p), "machphys", t);
	}
	check(M2P[mfn] == m2p && !*ro, "something was written");
	pass("%u calls", calls);
}
