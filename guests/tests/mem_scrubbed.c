/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is a frame that was freed clean when it is handed out again?
 * Rule:     no contents of another use are visible in a populated frame, not
 *           even the domain's own of before.
 * Source:   checklist 51.
 * Expected: every word of 64 frames is zero, or not the old secret.
 */
#include "xt.h"

#define PAGES 64
#define SECRET 0x5ec2e75ec2e75ec2UL

static xen_pfn_t list[PAGES];
static u64 *pages[PAGES];

void test_main(void)
{
	struct xen_memory_reservation res = { .domid = DOMID_SELF,
					      .nr_extents = PAGES };
	unsigned int reused = 0, dirty = 0;
	u64 old[PAGES];

	for (unsigned int i = 0; i < PAGES; i++) {
		pages[i] = alloc_page();
		for (unsigned int w = 0; w < 512; w++)
			pages[i][w] = SECRET;
		old[i] = list[i] = va_to_mfn(pages[i]);
		check_eq(update_va_mapping(pages[i], 0, UVMF_INVLPG), 0);
	}
	set_xen_guest_handle(res.extent_start, list);
	check_eq(memory_op(XENMEM_decrease_reservation, &res), PAGES);
	for (unsigned int i = 0; i < PAGES; i++)
		list[i] = va_to_pfn(pages[i]);
	check_eq(memory_op(XENMEM_populate_physmap, &res), PAGES);
	for (unsigned int i = 0; i < PAGES; i++) {
		check_eq(update_va_mapping(pages[i],
					   mk_pte(list[i], PTE_KERNEL),
					   UVMF_INVLPG),
			 0);
		for (unsigned int k = 0; k < PAGES; k++)
			reused += old[k] == list[i];
		for (unsigned int w = 0; w < 512; w++) {
			check(pages[i][w] != SECRET, "secret in frame %lx",
			      list[i]);
			dirty += pages[i][w] != 0;
		}
	}
	pass("%u of %u frames came back, %u words not zero", reused, PAGES,
	     dirty);
}
