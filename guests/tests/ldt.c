/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does MMUEXT_SET_LDT give the guest a typed, audited LDT?
 * Rule:     page-aligned base and at most 8192 entries; its pages become
 *           descriptor pages on use; without an LDT its selectors fault.
 * Source:   guest-abi.md 8.5, checklist 15 and 16.
 * Expected: selector 0xf loads with a good LDT only; bad ones refused.
 */
#include "xt.h"

#define DATA_DPL3 0x00cff3000000ffffUL

static long set_ldt(u64 base, u64 entries)
{
	struct mmuext_op op = { .cmd = MMUEXT_SET_LDT };

	op.arg1.linear_addr = base;
	op.arg2.nr_ents = (u32)entries;
	return mmuext_op(&op, 1, NULL, DOMID_SELF);
}

static int load(u32 sel)
{
	return PROBE("mov %0, %%es", : "r"(sel))->vector;
}

void test_main(void)
{
	u64 *ldt = alloc_page();

	check_eq(load(0xf), VEC_GP);
	ldt[1] = DATA_DPL3;
	check_eq(map_ro(ldt), 0);
	check_refused(set_ldt((u64)ldt + 8, 4));
	check_refused(set_ldt((u64)ldt, 8193));
	check_refused(set_ldt((u64)ldt, 0xffffffff));
	check_eq(set_ldt((u64)ldt, 2), 0);
	check_eq(load(0xf), VEC_NONE);
	check_eq(load(0x17), VEC_GP);
	check_eq(load(0), VEC_NONE);
	check_refused(map_rw(ldt));
	check_eq(set_ldt(0, 0), 0);
	check_eq(load(0xf), VEC_GP);
	check_eq(map_rw(ldt), 0);
	/* A page with a system descriptor can't become part of an LDT. */
	ldt[2] = 0x00cfe2000000ffffUL;
	check_eq(map_ro(ldt), 0);
	set_ldt((u64)ldt, 3);
	check(load(0xf) != VEC_NONE, "loaded from a bad LDT page");
	pass("loaded, limited and dropped");
}
