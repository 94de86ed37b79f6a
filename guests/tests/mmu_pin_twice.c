/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what do double pins and unpins of unpinned tables give?
 * Rule:     pins don't nest: -EINVAL for the second and for an unpin too
 *           many; the type count stays right, so the page is writable after
 *           one unpin.
 * Source:   guest-abi.md 8.2, checklist 3.
 * Expected: -EINVAL twice, then the page can be mapped writable.
 */
#include "xt.h"

void test_main(void)
{
	u64 *page = alloc_table();
	u64 mfn = va_to_mfn(page);

	check_eq(mmuext(MMUEXT_UNPIN_TABLE, mfn), -XEN_EINVAL);
	check_eq(mmuext(MMUEXT_PIN_L2_TABLE, mfn), 0);
	check_eq(mmuext(MMUEXT_PIN_L2_TABLE, mfn), -XEN_EINVAL);
	check_refused(map_rw(page));
	check_eq(mmuext(MMUEXT_UNPIN_TABLE, mfn), 0);
	check_eq(mmuext(MMUEXT_UNPIN_TABLE, mfn), -XEN_EINVAL);
	check_eq(map_rw(page), 0);
	pass("as told");
}
