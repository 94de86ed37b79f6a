/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: how long do creating and destroying a domain keep a CPU?
 * Rule:     each call is cut like any other: 32 vCPUs, thousands of ports and
 *           all memory there is are worked off bit by bit.
 * Source:   hv/hold.h.
 * Expected: everything returns, all frames are back; builds that measure print
 *           the longest entries.
 *
 * test: machine=512
 */
#include <xeno/domain.h>

#include "child.h"

#define VCPUS 32
#define PORTS 3000
#define EXTENT_ORDER 8
#define EXTENTS 256 /* 256 MiB */

static xen_pfn_t list[EXTENTS];

static void fill(u16 id)
{
	struct xen_domctl op = { .cmd = XEN_DOMCTL_max_vcpus, .domain = id };
	struct xen_memory_reservation res = {
		.domid = id,
		.nr_extents = EXTENTS,
		.extent_order = EXTENT_ORDER,
	};
	u32 ports = 0;

	op.u.max_vcpus.max = VCPUS;
	check_eq(domctl(&op), 0);
	op.cmd = XEN_DOMCTL_max_mem;
	op.u.max_mem.max_memkb = EXTENTS << EXTENT_ORDER << 2;
	check_eq(domctl(&op), 0);
	for (u32 i = 0; i < EXTENTS; i++)
		list[i] = (u64)i << EXTENT_ORDER;
	set_xen_guest_handle(res.extent_start, list);
	check_eq(memory_op(XENMEM_populate_physmap, &res), EXTENTS);
	while (ports < PORTS && alloc_unbound(id, 0) > 0)
		ports++;
	check_eq(ports, PORTS);
}

/* As many pages as one call copies. */
static void copy(u16 id)
{
	static u64 mfns[XENO_DOMAIN_MEMORY_PAGES_MAX];
	static u8 pages[XENO_DOMAIN_MEMORY_PAGES_MAX][PAGE_SIZE]
		__attribute__((aligned(4096)));
	struct xeno_domain_memory m = {
		.head = { XENO_DOMAIN_MEMORY_VERSION, XENO_OP_DOMAIN_MEMORY,
			  sizeof(m), 0 },
		.domain_id = id,
		.direction = XENO_DOMAIN_MEMORY_WRITE,
		.count = XENO_DOMAIN_MEMORY_PAGES_MAX,
		.mfns = (u64)mfns,
		.buffer = (u64)pages,
	};

	for (u32 i = 0; i < m.count; i++)
		mfns[i] = list[0] + i;
	pages[m.count - 1][7] = 77;
	check_eq(hypercall(XENO_HYPERVISOR_CONTROL, &m), 0);
	check_eq(m.done, m.count);
	pages[m.count - 1][7] = 0;
	m.direction = XENO_DOMAIN_MEMORY_READ;
	check_eq(hypercall(XENO_HYPERVISOR_CONTROL, &m), 0);
	check_eq(pages[m.count - 1][7], 77);
}

void test_main(void)
{
	struct frame_counts before = { 0, 0, 0 }, now;
	long id = 0;

	for (u32 i = 0; i < 2; i++) {
		id = child_create(0, VCPUS);
		check(id > 0, "createdomain: %ld", id);
		fill((u16)id);
		copy((u16)id);
		check_eq(domctl_on(XEN_DOMCTL_destroydomain, (u16)id), 0);
		now = frame_counts();
		if (i)
			check_eq(now.free, before.free);
		before = now;
	}
	pass("domain %ld, %lu frames free", id, now.free);
}
