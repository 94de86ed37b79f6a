/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are unknown MMUEXT commands and bad operation lists refused?
 * Rule:     -ENOSYS for commands that do not exist, -EFAULT for lists outside
 *           guest memory; superpage marks refused.
 * Source:   checklist 6, 39, 40.
 * Expected: as the rule.
 */
#include "xt.h"

void test_main(void)
{
	static const u32 cmds[] = { 14, 21, 22, 77, 0x7fffffff, 0xffffffff };

	for (unsigned int i = 0; i < ARRAY_SIZE(cmds); i++)
		check_eq(mmuext(cmds[i], 0), -XEN_ENOSYS);
	check_refused(mmuext(MMUEXT_MARK_SUPER, va_to_mfn(alloc_page())));
	check_eq(mmuext_op((void *)HV_START, 1, NULL, DOMID_SELF), -XEN_EFAULT);
	check_eq(mmuext_op((void *)NONCANONICAL, 1, NULL, DOMID_SELF),
		 -XEN_EFAULT);
	check_eq(mmuext_op(NULL, 1, NULL, DOMID_SELF), -XEN_EFAULT);
	check_refused(mmuext_op((void *)(HV_START - 4096), 0x7fffffff, NULL,
				DOMID_SELF));
	check_eq(mmu_update((void *)HV_START, 1, NULL, DOMID_SELF),
		 -XEN_EFAULT);
	check_eq(mmu_update((void *)0xffff82d040000000, 1, NULL, DOMID_SELF),
		 -XEN_EFAULT);
	check_refused(mmu_update((void *)(HV_START - 16), 0x7fffffff, NULL,
				 DOMID_SELF));
	check_eq(mmu_update(NULL, 1, NULL, DOMID_SELF), -XEN_EFAULT);
	pass("%u commands, 8 lists", (u32)ARRAY_SIZE(cmds));
}
