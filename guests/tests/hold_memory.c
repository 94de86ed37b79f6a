/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: how long does one entry last that gives or takes much memory?
 * Rule:     a frame costs as much budget as wiping it; the largest extent is
 *           bounded.
 * Source:   checklist 43.
 * Expected: 1024 pages given back and got again one by one and in the
 *           largest extents, and exchanged for such; the bound is judged from what a
 *           LATENCY=1 build prints.
 */
#include "xt.h"

#define PAGES	1024U
#define ORDER_MAX	9

static u8 memory[PAGES][4096] __attribute__((aligned(4096)));
static xen_pfn_t list[PAGES], fresh[PAGES];

static long reserve(unsigned int op, xen_pfn_t *extents, u64 n,
		    unsigned int order)
{
	struct xen_memory_reservation r = {
		.nr_extents = n, .extent_order = order, .domid = DOMID_SELF,
	};

	set_xen_guest_handle(r.extent_start, extents);
	return memory_op(op, &r);
}

static void list_pfns(unsigned int order)
{
	for (unsigned int i = 0; i < PAGES >> order; i++)
		list[i] = va_to_pfn(memory[i << order]);
}

/* The largest order that is accepted. */
static unsigned int populate_large(void)
{
	unsigned int order;

	for (order = ORDER_MAX; order; order--) {
		list_pfns(order);
		if (reserve(XENMEM_populate_physmap, list, PAGES >> order,
			    order) == PAGES >> order)
			return order;
	}
	fail("no extents");
}

static unsigned int exchange_for_large(void)
{
	struct xen_memory_exchange x = {
		.in = { .nr_extents = PAGES, .domid = DOMID_SELF },
		.out = { .domid = DOMID_SELF },
	};
	unsigned int order;

	memcpy(fresh, list, sizeof(fresh));
	set_xen_guest_handle(x.in.extent_start, fresh);
	set_xen_guest_handle(x.out.extent_start, list);
	for (order = ORDER_MAX; order; order--) {
		x.out.extent_order = order;
		x.out.nr_extents = PAGES >> order;
		list_pfns(order);
		if (!memory_op(XENMEM_exchange, &x))
			return order;
		check(!x.nr_exchanged, "order %u half done", order);
	}
	fail("no exchange");
}

void test_main(void)
{
	unsigned int extent, exchanged;

	for (unsigned int i = 0; i < PAGES; i++) {
		list[i] = va_to_mfn(memory[i]);
		check_eq(update_va_mapping(memory[i], 0, UVMF_INVLPG), 0);
	}
	check_eq(reserve(XENMEM_decrease_reservation, list, PAGES, 0), PAGES);
	list_pfns(0);
	check_eq(reserve(XENMEM_populate_physmap, list, PAGES, 0), PAGES);
	check_eq(reserve(XENMEM_decrease_reservation, list, PAGES, 0), PAGES);
	extent = populate_large();
	check_eq(reserve(XENMEM_decrease_reservation, list, PAGES >> extent,
			 extent), PAGES >> extent);
	list_pfns(0);
	check_eq(reserve(XENMEM_populate_physmap, list, PAGES, 0), PAGES);
	exchanged = exchange_for_large();
	pass("%u pages each way, extents of order %u, exchanged for %u", PAGES,
	     extent, exchanged);
}
