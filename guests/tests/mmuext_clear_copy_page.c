/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do CLEAR_PAGE and COPY_PAGE respect page types?
 * Rule:     they write, so the target must be writable by the caller: never a
 *           page table; both frames must be the caller's.
 * Source:   checklist 1 and 7.
 * Expected: cleared and copied; page tables and foreign frames refused.
 */
#include "xt.h"

static long copy(u64 dst, u64 src)
{
	struct mmuext_op op = {
		.cmd = MMUEXT_COPY_PAGE,
		.arg1.mfn = dst,
		.arg2.src_mfn = src,
	};

	return mmuext_op(&op, 1, NULL, DOMID_SELF);
}

void test_main(void)
{
	u64 *a = alloc_page();
	u64 *b = alloc_page();
	u64 hv = (current_l4()[L4_INDEX(HV_START)] & PTE_ADDR) >> 12;
	u64 l4 = va_to_mfn(current_l4());
	long rc;

	a[0] = 1;
	a[511] = 2;
	rc = copy(va_to_mfn(b), va_to_mfn(a));
	if (rc == -XEN_ENOSYS)
		skip("not offered");
	check_eq(rc, 0);
	check(b[0] == 1 && b[511] == 2, "copy");
	check_eq(mmuext(MMUEXT_CLEAR_PAGE, va_to_mfn(a)), 0);
	check(!a[0] && !a[511] && b[0] == 1, "clear");
	check_refused(mmuext(MMUEXT_CLEAR_PAGE, l4));
	check_refused(mmuext(MMUEXT_CLEAR_PAGE, hv));
	check_refused(copy(l4, va_to_mfn(a)));
	check_refused(copy(va_to_mfn(a), hv));
	check_refused(copy(hv, va_to_mfn(a)));
	check(current_l4()[511] & PTE_P, "L4 cleared");
	pass("2 operations, 5 refusals");
}
