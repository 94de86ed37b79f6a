/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is a bad place for a vCPU's info refused?
 * Rule:     must be writable memory of the caller, aligned, not crossing the
 *           page; vCPUs that don't exist and bad pointers are refused.
 * Source:   checklist 37, XSA-327.
 * Expected: each refused, and a good place still works afterwards.
 */
#include "xt.h"

static long reg(u32 vcpu, u64 mfn, u32 offset)
{
	struct vcpu_register_vcpu_info arg = { .mfn = mfn, .offset = offset };

	return vcpu_op(VCPUOP_register_vcpu_info, vcpu, &arg);
}

void test_main(void)
{
	u64 mfn = va_to_mfn(alloc_page());
	u64 hv = (current_l4()[L4_INDEX(HV_START)] & PTE_ADDR) >> 12;

	check_refused(reg(0, mfn, 4096 - 63));
	check_refused(reg(0, mfn, 4096));
	check_refused(reg(0, mfn, 0xffffffc0));
	check_refused(reg(0, mfn, 0x141));
	check_refused(reg(0, mfn, 0x144));
	check_refused(reg(0, hv, 0));
	check_refused(reg(0, ~0UL, 0));
	check_refused(reg(0, 1UL << 40, 0));
	check_refused(reg(0, va_to_mfn(current_l4()), 0));
	check_refused(reg(1, mfn, 0));
	check_refused(reg(~0U, mfn, 0));
	check_eq(vcpu_op(VCPUOP_register_vcpu_info, 0, (void *)HV_START),
		 -XEN_EFAULT);
	check_eq(reg(0, mfn, 4096 - 64), 0);
	pass("12 refused");
}
