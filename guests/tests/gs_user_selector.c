/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does SEGBASE_GS_USER_SEL load the user GS selector only?
 * Rule:     null clears selector and base; a good selector takes the
 *           descriptor's base; a bad one is refused or loads null; the
 *           kernel's GS base is never disturbed.
 * Source:   guest-abi.md 4.7, checklist 16.
 * Expected: kernel GS base unchanged by each of the calls.
 */
#include "xt.h"

void test_main(void)
{
	static const u64 selectors[] = {
		0, 3, USER_SS, 0x2b, 0xe008, 0xfffb, 0xf, 0xffff, 0x10000,
	};
	u64 *page = alloc_page();
	unsigned int refused = 0;
	u64 v;

	*page = 0x4242;
	check_eq(set_segment_base(SEGBASE_GS_KERNEL, (u64)page), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(selectors); i++) {
		long rc = set_segment_base(SEGBASE_GS_USER_SEL, selectors[i]);

		refused += rc < 0;
		__asm__ volatile("mov %%gs:0, %0" : "=r"(v));
		check(v == 0x4242, "selector %lx: GS reads %lx", selectors[i],
		      v);
	}
	check_eq(set_segment_base(SEGBASE_GS_USER, 0x123000), 0);
	check_eq(set_segment_base(SEGBASE_GS_USER_SEL, 0), 0);
	check_eq(probe_rdmsr(0xc0000102, &v)->vector, VEC_NONE);
	check_eq(v, 0);
	pass("%u selectors, %u refused", (u32)ARRAY_SIZE(selectors), refused);
}
