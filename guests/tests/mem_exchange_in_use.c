/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is a page exchanged while something still maps it?
 * Rule:     the frame must have no reference besides its allocation;
 *           otherwise the call fails, and nr_exchanged says 0.
 * Source:   checklist 11, XSA-214.
 * Expected: refused for a mapped page and for a page table; both intact.
 */
#include "xt.h"

static xen_pfn_t in[1], out[1];

static long exchange(u64 mfn)
{
	struct xen_memory_exchange ex = {
		.in = { .domid = DOMID_SELF, .nr_extents = 1 },
		.out = { .domid = DOMID_SELF, .nr_extents = 1 },
	};
	long rc;

	in[0] = mfn;
	out[0] = M2P[mfn];
	set_xen_guest_handle(ex.in.extent_start, in);
	set_xen_guest_handle(ex.out.extent_start, out);
	rc = memory_op(XENMEM_exchange, &ex);
	if (rc < 0)
		check(ex.nr_exchanged == 0, "%lu exchanged, result %ld",
		      ex.nr_exchanged, rc);
	return rc;
}

void test_main(void)
{
	u64 *page = alloc_page();
	u64 *l4 = current_l4();
	u64 entry = l4[511];

	*page = 99;
	check_refused(exchange(va_to_mfn(page)));
	check(*page == 99 && M2P[va_to_mfn(page)] == va_to_pfn(page), "page");
	check_refused(exchange(va_to_mfn(l4)));
	check((l4[511] & PTE_ADDR) == (entry & PTE_ADDR), "L4");
	pass("2 refused");
}
