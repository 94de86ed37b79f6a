/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does XENMEM_exchange swap frames, all or nothing?
 * Rule:     4 single pages for one order-2 extent: old frames gone, new ones
 *           contiguous and in the M2P; bad input leaves everything.
 * Source:   guest-abi.md 14, checklist 11 and 39 (XSA-212).
 * Expected: success with nr_exchanged 4; mismatched sizes, mapped pages and
 *           pointers into the hypervisor refused.
 */
#include "xt.h"

static xen_pfn_t in[4], out[1];
static struct xen_memory_exchange ex;

static void prepare(void)
{
	memset(&ex, 0, sizeof(ex));
	ex.in.domid = ex.out.domid = DOMID_SELF;
	ex.in.nr_extents = 4;
	ex.out.nr_extents = 1;
	ex.out.extent_order = 2;
	set_xen_guest_handle(ex.in.extent_start, in);
	set_xen_guest_handle(ex.out.extent_start, out);
}

void test_main(void)
{
	u8 *first = alloc_page();
	u64 pfn = va_to_pfn(first);
	u64 *word;

	for (unsigned int i = 1; i < 4; i++)
		check(alloc_page() == first + i * PAGE_SIZE, "pool");
	for (unsigned int i = 0; i < 4; i++)
		in[i] = pfn_to_mfn(pfn + i);
	prepare();
	ex.out.nr_extents = 2;
	check_refused(memory_op(XENMEM_exchange, &ex));
	prepare();
	ex.nr_exchanged = 1UL << 60;
	check_refused(memory_op(XENMEM_exchange, &ex));
	prepare();
	ex.out.extent_start.p = (void *)0xffff82d040200000;
	check_refused(memory_op(XENMEM_exchange, &ex));
	prepare();
	ex.nr_exchanged = (0UL - 0x1000) / 8;
	check_refused(memory_op(XENMEM_exchange, &ex));
	prepare();
	ex.out.extent_order = 60;
	check_refused(memory_op(XENMEM_exchange, &ex));
	for (unsigned int i = 0; i < 4; i++)
		check_eq(update_va_mapping(first + i * PAGE_SIZE, 0,
					   UVMF_INVLPG),
			 0);
	prepare();
	out[0] = pfn;
	check_eq(memory_op(XENMEM_exchange, &ex), 0);
	check_eq(ex.nr_exchanged, 4);
	for (unsigned int i = 0; i < 4; i++) {
		check(M2P[out[0] + i] == pfn + i, "m2p %lx", M2P[out[0] + i]);
		word = (u64 *)(first + i * PAGE_SIZE);
		check_eq(update_va_mapping(word, mk_pte(out[0] + i, PTE_KERNEL),
					   UVMF_INVLPG),
			 0);
		*word = i;
	}
	pass("4 pages became the extent at %lx", out[0]);
}
