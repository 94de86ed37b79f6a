/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what becomes of a destroyed domain of which Domain 0 still maps
 *           pages, granted ones too?
 * Rule:     it is dying until the last of them is unmapped; they stay what they
 *           were; then all of it goes by itself. Nobody can map more of it.
 * Source:   xen/domctl.h (DOMINF_dying), include/xeno/node.h.
 * Expected: contents kept, flags dying, no new mapping; all frames back after
 *           each kind of mapping is undone; VIRQ_DOM_EXC tells of both.
 */
#include "child.h"

#define VA ((u8 *)0x620000000000UL)
#define WORD 0x1122334455667788UL
#define REF 9

static struct child child;
static u8 shared[PAGE_SIZE] __attribute__((aligned(4096)));
static long exc_port;

static void child_main(void)
{
	*(volatile u64 *)shared = WORD;
	grant_page(REF, shared, 0);
	pass("granted");
}

static void make(void)
{
	child_build(&child, child_main);
	child_start(&child);
	child_passed(&child);
	clear_event((u32)exc_port);
}

static void still_dying(void)
{
	u32 flags = child_flags(child.id);

	check(flags != ~0U && (flags & XEN_DOMINF_dying), "flags %x", flags);
	check_eq(*(volatile u64 *)VA, WORD);
	check(event_pending((u32)exc_port), "nobody was told");
	check_refused(map_foreign(VA + PAGE_SIZE, child.id,
				  mk_pte(child.mfn[300], PTE_RO)));
	check_eq(domctl_on(XEN_DOMCTL_destroydomain, child.id), 0);
	clear_event((u32)exc_port);
}

static void gone(struct frame_counts before)
{
	struct frame_counts now;

	child_wait(&child, 0);
	now = frame_counts();
	check_eq(now.free, before.free);
	check_eq(now.hypervisor, before.hypervisor);
	check(event_pending((u32)exc_port), "nobody was told of the end");
}

static void held_by_mapping(struct frame_counts before)
{
	make();
	check_eq(map_foreign(VA, child.id,
			     mk_pte(child.mfn[va_to_pfn(shared)], PTE_KERNEL)),
		 0);
	check_eq(child_destroy(&child), 0);
	still_dying();
	check_eq(update_va_mapping(VA, 0, UVMF_INVLPG), 0);
	gone(before);
}

static void held_by_grant(struct frame_counts before)
{
	struct gnttab_map_grant_ref map = {
		.host_addr = (u64)VA,
		.flags = GNTMAP_host_map,
		.ref = REF,
	};

	make();
	map.dom = child.id;
	check_eq(grant_op(GNTTABOP_map_grant_ref, &map, 1), 0);
	check_eq(map.status, GNTST_okay);
	check_eq(child_destroy(&child), 0);
	still_dying();
	check_eq(unmap_grant(map.handle, (u64)VA), GNTST_okay);
	gone(before);
}

/* A frame of the grant table: it is found no more, but stays. */
static void held_by_resource(struct frame_counts before)
{
	struct xen_mem_acquire_resource r = {
		.type = XENMEM_resource_grant_table,
		.nr_frames = 1,
	};
	xen_pfn_t mfn = 0;

	make();
	r.domid = child.id;
	set_xen_guest_handle(r.frame_list, &mfn);
	check_eq(memory_op(XENMEM_acquire_resource, &r), 0);
	check_eq(map_foreign(VA, child.id, mk_pte(mfn, PTE_KERNEL)), 0);
	check_eq(child_destroy(&child), 0);
	check(child_flags(child.id) == ~0U, "still found");
	check_eq(((struct grant_entry_v1 *)VA)[REF].frame,
		 child.mfn[va_to_pfn(shared)]);
	check_eq(child_create(child.id, 1), -XEN_EEXIST);
	clear_event((u32)exc_port);
	check_eq(update_va_mapping(VA, 0, UVMF_INVLPG), 0);
	check(spin_until(event_pending((u32)exc_port), MS(5000)), "no end");
	gone(before);
}

void test_main(void)
{
	struct frame_counts before;
	u32 handle;

	exc_port = bind_virq(VIRQ_DOM_EXC, 0);
	check(exc_port > 0, "bind_virq: %ld", exc_port);
	map_at((unsigned long)VA, 0);
	/* The first map of a grant takes pages for handles, which stay. */
	grant_page(1, shared, 0);
	check_eq(map_grant(1, (u64)VA, GNTMAP_host_map, &handle), GNTST_okay);
	check_eq(unmap_grant(handle, (u64)VA), GNTST_okay);
	make();
	check_eq(child_destroy(&child), 0);
	before = frame_counts();
	held_by_mapping(before);
	held_by_grant(before);
	held_by_resource(before);
	pass("%lu frames free", before.free);
}
