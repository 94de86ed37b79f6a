/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are non-canonical segment bases refused?
 * Rule:     by hypercall an error, by WRMSR #GP; the old base stays.
 * Source:   checklist 24, XSA-193 and XSA-333.
 * Expected: -EINVAL or such, #GP, and FS still works.
 */
#include "xt.h"

void test_main(void)
{
	static const u64 bad[] = {
		NONCANONICAL,
		0x0000800000000000,
		0xffff7fffffffffff,
		0x7fffffffffffffff,
	};
	u64 *page = alloc_page();
	u64 v;

	*page = 77;
	check_eq(set_segment_base(SEGBASE_FS, (u64)page), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		check_refused(set_segment_base(SEGBASE_FS, bad[i]));
		check_refused(set_segment_base(SEGBASE_GS_USER, bad[i]));
		check_refused(set_segment_base(SEGBASE_GS_KERNEL, bad[i]));
		for (u32 msr = 0xc0000100; msr <= 0xc0000102; msr++)
			check_eq(probe_wrmsr(msr, bad[i])->vector, VEC_GP);
	}
	check_refused(set_segment_base(4, 0));
	check_refused(set_segment_base(-1, 0));
	__asm__ volatile("mov %%fs:0, %0" : "=r"(v));
	check_eq(v, 77);
	pass("%u values", (u32)ARRAY_SIZE(bad));
}
