/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can the domain give back pages and populate them again?
 * Rule:     decrease_reservation frees unmapped pages; populate_physmap
 *           allocates frames for the PFNs given, sets the M2P and returns
 *           their MFNs; the reservation counts follow.
 * Source:   guest-abi.md 14, checklist 11.
 * Expected: 16 pages down and up again, counts exact, new pages usable.
 */
#include "xt.h"

#define PAGES 16
#define WINDOW 0x600000000000UL

static xen_pfn_t list[PAGES];

void test_main(void)
{
	struct xen_memory_reservation res = { .domid = DOMID_SELF,
					      .nr_extents = PAGES };
	domid_t self = DOMID_SELF;
	long before = memory_op(XENMEM_current_reservation, &self);
	u64 pfns[PAGES];

	map_at(WINDOW, 0);
	for (unsigned int i = 0; i < PAGES; i++) {
		void *page = alloc_page();

		pfns[i] = va_to_pfn(page);
		list[i] = va_to_mfn(page);
		check_eq(update_va_mapping(page, 0, UVMF_INVLPG), 0);
	}
	set_xen_guest_handle(res.extent_start, list);
	check_eq(memory_op(XENMEM_decrease_reservation, &res), PAGES);
	check_eq(memory_op(XENMEM_current_reservation, &self), before - PAGES);
	for (unsigned int i = 0; i < PAGES; i++)
		list[i] = pfns[i];
	check_eq(memory_op(XENMEM_populate_physmap, &res), PAGES);
	check_eq(memory_op(XENMEM_current_reservation, &self), before);
	for (unsigned int i = 0; i < PAGES; i++) {
		u64 *va = pfn_to_va(pfns[i]);

		check(M2P[list[i]] == pfns[i], "m2p of %lx is %lx", list[i],
		      M2P[list[i]]);
		check_eq(update_va_mapping(va, mk_pte(list[i], PTE_KERNEL),
					   UVMF_INVLPG),
			 0);
		*va = i;
	}
	pass("%u pages down and up, %ld pages in all", PAGES, before);
}
