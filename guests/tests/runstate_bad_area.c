/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what if the runstate area is not the guest's memory?
 * Rule:     hypervisor and non-canonical addresses are refused or never
 *           written; an area that is unmapped later is simply not updated.
 * Source:   checklist 37.
 * Expected: no crash, the M2P intact, sleeping still works.
 */
#include "xt.h"

static long reg_area(u64 va)
{
	struct vcpu_register_runstate_memory_area reg = { .addr.v = NULL };

	reg.addr.p = va;
	return vcpu_op(VCPUOP_register_runstate_memory_area, 0, &reg);
}

static void sleep_a_bit(void)
{
	static u32 port;

	if (!port)
		port = (u32)bind_ipi(0);
	check_eq(poll_port(port, now_ns() + MS(5)), 0);
}

void test_main(void)
{
	u8 *page = alloc_page();
	u64 mfn = va_to_mfn(page), m2p = M2P[mfn];
	static const u64 bad[] = {
		HV_START, 0xffff82d040200000, NONCANONICAL, ~0UL, 0, 0x1001,
	};
	unsigned int refused = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		refused += reg_area(bad[i]) < 0;
		sleep_a_bit();
	}
	check_eq(reg_area((u64)page + 4090), 0);
	sleep_a_bit();
	check_eq(reg_area((u64)page), 0);
	check_eq(map_ro(page), 0);
	sleep_a_bit();
	check_eq(update_va_mapping(page, 0, UVMF_INVLPG), 0);
	sleep_a_bit();
	check_eq(vcpu_op(VCPUOP_register_runstate_memory_area, 0,
			 (void *)HV_START),
		 -XEN_EFAULT);
	check(M2P[mfn] == m2p, "M2P changed");
	pass("%u of %u addresses refused", refused, (u32)ARRAY_SIZE(bad));
}
