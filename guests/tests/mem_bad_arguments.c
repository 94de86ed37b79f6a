/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are wild memory_op arguments refused?
 * Rule:     orders, counts, domains, lists and pointers are bounded before
 *           use; the result is the number of extents done or an error.
 * Source:   checklist 39, 40, 41 (XSA-212, XSA-231, XSA-296).
 * Expected: never more than 0 extents done.
 */
#include "xt.h"

static xen_pfn_t list[8];

static void try(unsigned int op, u64 nr, u32 order, u64 start, u32 domid,
		u32 flags)
{
	struct xen_memory_reservation res = {
		.nr_extents = nr,
		.extent_order = order,
		.mem_flags = flags,
		.domid = (domid_t)domid,
	};
	long rc;

	res.extent_start.p = (void *)start;
	rc = memory_op(op, &res);
	check(rc <= 0 && rc > -4096, "op %u nr %lx order %u start %lx: %ld", op,
	      nr, order, start, rc);
}

void test_main(void)
{
	static const unsigned int ops[] = {
		XENMEM_increase_reservation,
		XENMEM_decrease_reservation,
		XENMEM_populate_physmap,
	};
	u64 good = (u64)list;

	for (unsigned int i = 0; i < 8; i++)
		list[i] = ~0UL - i;
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		try(ops[i], 1, 64, good, DOMID_SELF, 0);
		try(ops[i], 1, 0xffffffff, good, DOMID_SELF, 0);
		try(ops[i], 1, 21, good, DOMID_SELF, 0);
		try(ops[i], 8, 0, HV_START, DOMID_SELF, 0);
		try(ops[i], 8, 0, 0xffff82d040200000, DOMID_SELF, 0);
		try(ops[i], 8, 0, NONCANONICAL, DOMID_SELF, 0);
		try(ops[i], 1, 0, good, 77, 0);
		try(ops[i], 1, 0, good, DOMID_INVALID, 0);
		try(ops[i], ~0UL, 0, NONCANONICAL, DOMID_SELF, 0);
		try(ops[i], 0, 0, good, DOMID_SELF, 0);
		check(memory_op(ops[i], (void *)HV_START) <= 0, "hypervisor");
		check(memory_op(ops[i], (void *)NONCANONICAL) <= 0, "pointer");
	}
	try(XENMEM_decrease_reservation, 8, 0, good, DOMID_SELF, 0);
	check_refused(memory_op(60, list));
	check_refused(memory_op(63, list));
	check_eq(memory_op(XENMEM_exchange, (void *)HV_START), -XEN_EFAULT);
	pass("%u operations", (u32)ARRAY_SIZE(ops));
}
