/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do MMUEXT operations bound the frame number?
 * Rule:     frames past memory, of the hypervisor, or with wild bits are
 *           refused by every operation that takes one.
 * Source:   checklist 40, XSA-231.
 * Expected: refused each time.
 */
#include "xt.h"

void test_main(void)
{
	static const u32 cmds[] = {
		MMUEXT_PIN_L1_TABLE,     MMUEXT_PIN_L2_TABLE,
		MMUEXT_PIN_L3_TABLE,     MMUEXT_PIN_L4_TABLE,
		MMUEXT_UNPIN_TABLE,      MMUEXT_NEW_BASEPTR,
		MMUEXT_NEW_USER_BASEPTR, MMUEXT_CLEAR_PAGE,
		MMUEXT_COPY_PAGE,        MMUEXT_MARK_SUPER,
		MMUEXT_UNMARK_SUPER,
	};
	u64 hv = (current_l4()[L4_INDEX(HV_START)] & PTE_ADDR) >> 12;
	const u64 frames[] = {
		hv,        1UL << 27, 1UL << 40,  (1UL << 40) - 1,
		1UL << 52, ~0UL,      ~0UL >> 12, 0x5555555555555555,
	};

	for (unsigned int c = 0; c < ARRAY_SIZE(cmds); c++)
		for (unsigned int i = 0; i < ARRAY_SIZE(frames); i++) {
			long rc = mmuext(cmds[c], frames[i]);

			check(rc < 0 && rc > -200, "cmd %u frame %lx: %ld",
			      cmds[c], frames[i], rc);
		}
	pass("%u operations, %u frames", (u32)ARRAY_SIZE(cmds),
	     (u32)ARRAY_SIZE(frames));
}
