/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does update_descriptor change one entry of a live GDT, and only
 *           that?
 * Rule:     8-aligned address in a frame of the caller; validated; page
 *           tables, foreign and wild frames refused.
 * Source:   checklist 7 and 15, guest-abi.md 4.6.
 * Expected: a good one is loadable at once; the rest refused.
 */
#include "xt.h"

#define DATA_DPL0 0x00cf93000000ffffUL

void test_main(void)
{
	u64 *gdt = alloc_table();
	unsigned long frame = va_to_mfn(gdt);
	u64 hv = current_l4()[L4_INDEX(HV_START)] & PTE_ADDR;
	u64 at = va_to_maddr(&gdt[20]);
	u32 sel = 20 << 3 | 3;

	check_eq(set_gdt(&frame, 512), 0);
	check_eq(PROBE("mov %0, %%es", : "r"(sel))->vector, VEC_GP);
	check_eq(update_descriptor(at, DATA_DPL0), 0);
	check((READ_ONCE(gdt[20]) >> 45 & 3) == 3, "descriptor %lx", gdt[20]);
	check_eq(PROBE("mov %0, %%es", : "r"(sel))->vector, VEC_NONE);
	for (u64 low = 1; low < 8; low++)
		check_refused(update_descriptor(at | low, DATA_DPL0));
	check_refused(update_descriptor(hv, DATA_DPL0));
	check_refused(update_descriptor(va_to_maddr(current_l4()), DATA_DPL0));
	check_refused(update_descriptor(~7UL, DATA_DPL0));
	check_refused(update_descriptor(1UL << 45, 0));
	check_eq(update_descriptor(at, 0), 0);
	check_eq(PROBE("mov %0, %%es", : "r"(sel))->vector, VEC_GP);
	pass("1 set and cleared, 11 refused");
}
