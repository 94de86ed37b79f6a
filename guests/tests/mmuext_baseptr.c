/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can the guest switch to a new L4 and back, and only to an L4?
 * Rule:     NEW_BASEPTR takes a valid L4; the old one keeps its reference
 *           from its pin; an L4 in use survives being unpinned.
 * Source:   guest-abi.md 8.1, checklist 13, pitfall 8.
 * Expected: both tables serve in turn; the page of the dropped one becomes
 *           writable, that of the live one does not.
 */
#include "xt.h"

void test_main(void)
{
	u64 *l4 = clone_l4();
	u64 *old = current_l4();
	u64 mfn = va_to_mfn(l4);

	check_refused(mmuext(MMUEXT_NEW_BASEPTR, va_to_mfn(alloc_page())));
	check_refused(mmuext(MMUEXT_NEW_BASEPTR, 0xffffffff));
	check_eq(mmuext(MMUEXT_PIN_L4_TABLE, mfn), 0);
	check_eq(mmuext(MMUEXT_NEW_BASEPTR, mfn), 0);
	check_eq(mmuext(MMUEXT_UNPIN_TABLE, mfn), 0);
	check_refused(map_rw(l4));
	check_eq(mmuext(MMUEXT_NEW_BASEPTR, va_to_mfn(old)), 0);
	check_eq(map_rw(l4), 0);
	l4[0] = 0;
	check_eq(map_ro(l4), 0);
	/* Straight to an unpinned table: the call takes the type itself. */
	check_eq(mmuext(MMUEXT_NEW_BASEPTR, mfn), 0);
	check_eq(mmuext(MMUEXT_UNPIN_TABLE, va_to_mfn(old)), 0);
	set_current_l4(l4);
	check_eq(map_rw(old), 0);
	old[0] = 1;
	pass("two switches and back");
}
