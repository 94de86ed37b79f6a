/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does set_gdt bound its arguments?
 * Rule:     at most 7168 entries in 14 frames, below the hypervisor's; frames
 *           must be the caller's; the list must be guest memory.
 * Source:   checklist 15, 39, 40; guest-abi.md 1.6.
 * Expected: each refused; 14 frames of 512 entries accepted.
 */
#include "xt.h"

void test_main(void)
{
	unsigned long frames[16];
	u64 hv = (current_l4()[L4_INDEX(HV_START)] & PTE_ADDR) >> 12;
	void *gdt = alloc_table();

	for (unsigned int i = 0; i < 16; i++)
		frames[i] = va_to_mfn(gdt);
	check_eq(set_gdt(frames, 7168), 0);
	check_refused(set_gdt(frames, 7169));
	check_refused(set_gdt(frames, 7680));
	check_refused(set_gdt(frames, 8192));
	check_refused(set_gdt(frames, 0xffffffff));
	check_eq(set_gdt((void *)HV_START, 512), -XEN_EFAULT);
	check_eq(set_gdt((void *)NONCANONICAL, 512), -XEN_EFAULT);
	check_eq(set_gdt(NULL, 512), -XEN_EFAULT);
	frames[3] = hv;
	check_refused(set_gdt(frames, 7168));
	frames[3] = ~0UL;
	check_refused(set_gdt(frames, 7168));
	frames[3] = va_to_mfn(current_l4());
	check_refused(set_gdt(frames, 7168));
	check_eq(set_gdt(NULL, 0), 0);
	check_eq(map_rw(gdt), 0);
	pass("10 refused");
}
