/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a vCPU send itself an NMI, and is it delivered once?
 * Rule:     VCPUOP_send_nmi brings vector 2 (or a registered NMI callback) on
 *           the vCPU's next return to the guest, even with events masked;
 *           wild vCPUs refused.
 * Source:   guest-abi.md 4.5.
 * Expected: one vector 2 per call, or the operation is not offered.
 */
#include "xt.h"

static volatile u32 nmis;

static bool hook(struct regs *r)
{
	if (r->vector != VEC_NMI)
		return false;
	nmis++;
	return true;
}

void test_main(void)
{
	long rc;

	trap_hook = hook;
	rc = vcpu_op(VCPUOP_send_nmi, 0, NULL);
	if (rc == -XEN_ENOSYS)
		skip("no VCPUOP_send_nmi");
	check_eq(rc, 0);
	xen_version(XENVER_version, NULL);
	check(nmis == 1, "%u NMIs", nmis);
	for (int i = 0; i < 10; i++)
		check_eq(vcpu_op(VCPUOP_send_nmi, 0, NULL), 0);
	xen_version(XENVER_version, NULL);
	check(nmis == 11, "%u NMIs", nmis);
	check_refused(vcpu_op(VCPUOP_send_nmi, 77, NULL));
	pass("%u NMIs", nmis);
}
