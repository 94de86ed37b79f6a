/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a vCPU's info be moved to a page of the guest, once?
 * Rule:     contents move along, an upcall is made pending so nothing is
 *           lost; time, mask, CR2 and selectors live there from then on; a
 *           second call is refused.
 * Source:   guest-abi.md 3.4, pitfall 13.
 * Expected: an event sent after the move shows in the new place.
 */
#include "xt.h"

void test_main(void)
{
	u8 *page = alloc_page();
	struct vcpu_register_vcpu_info reg = {
		.mfn = va_to_mfn(page),
		.offset = 0x140,
	};
	struct vcpu_info *vi = (struct vcpu_info *)(page + 0x140);
	u32 port = (u32)bind_ipi(0);
	struct fault *f;

	check_eq(vcpu_op(VCPUOP_register_vcpu_info, 0, &reg), 0);
	this_cpu()->vi = vi;
	check(vi->evtchn_upcall_mask == 1, "mask %u", vi->evtchn_upcall_mask);
	check(vi->time.tsc_to_system_mul >> 31, "no time record");
	check(vi->evtchn_upcall_pending, "no upcall made pending");
	unmask_event(port);
	check_eq(send_event(port), 0);
	events_on();
	check(event_count[port] == 1, "%u upcalls", event_count[port]);
	events_off();
	f = probe_read((void *)0x700000000000, NULL);
	check(f->vector == VEC_PF && vi->arch.cr2 == 0x700000000000, "cr2 %lx",
	      vi->arch.cr2);
	reg.offset = 0;
	check_refused(vcpu_op(VCPUOP_register_vcpu_info, 0, &reg));
	check_refused(map_ro(page) ? -1 : mmuext(MMUEXT_PIN_L1_TABLE, reg.mfn));
	pass("moved to offset %x", 0x140);
}
