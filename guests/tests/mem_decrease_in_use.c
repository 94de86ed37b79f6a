/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a page be freed while it is mapped or typed?
 * Rule:     a page with a mapping or a page-table type is not freed, or at
 *           least its frame is not handed on while a reference is left.
 * Source:   checklist 11, XSA-252.
 * Expected: not freed: still the domain's and still intact.
 */
#include "xt.h"

static long decrease(u64 mfn)
{
	static xen_pfn_t list[1];
	struct xen_memory_reservation res = { .domid = DOMID_SELF,
					      .nr_extents = 1 };

	list[0] = mfn;
	set_xen_guest_handle(res.extent_start, list);
	return memory_op(XENMEM_decrease_reservation, &res);
}

void test_main(void)
{
	u64 *page = alloc_page();
	u64 *table = alloc_table();
	u64 hv = (current_l4()[L4_INDEX(HV_START)] & PTE_ADDR) >> 12;
	long rc;

	*page = 0x1234;
	rc = decrease(va_to_mfn(page));
	check(rc == 0 || rc == 1 || rc < 0, "result %ld", rc);
	check(*page == 0x1234, "page changed under its mapping");
	check_eq(mmuext(MMUEXT_PIN_L1_TABLE, va_to_mfn(table)), 0);
	check_eq(update_va_mapping(table, 0, UVMF_INVLPG), 0);
	decrease(va_to_mfn(table));
	rc = decrease(va_to_mfn(current_l4()));
	check(rc != 1 || current_l4()[511] & PTE_P, "L4 freed");
	check(decrease(hv) != 1, "freed a page of the hypervisor");
	check(decrease(~0UL) != 1, "freed frame -1");
	check(decrease(1UL << 40) != 1, "freed a frame past memory");
	check_eq(xen_version(XENVER_version, NULL), 0x40011);
	check(*page == 0x1234, "page changed");
	pass("mapped page: decrease gave %ld", rc);
}
