/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can Domain 0 create a domain, run it, see it end, and destroy it
 *           without a trace?
 * Rule:     domctl createdomain, max_vcpus, max_mem, setvcpucontext,
 *           unpausedomain, getdomaininfo, destroydomain; foreign memory by
 *           populate_physmap and update_va_mapping_otherdomain.
 * Source:   xen/domctl.h, guest-abi.md 12.3, include/xeno/node.h.
 * Expected: the domain runs, its shutdown code is seen; once it is destroyed
 *           every frame is back, cycle after cycle, also among a hundred
 *           other domains. What a cycle takes is printed (with --icount a
 *           nanosecond is an instruction).
 *
 * test: audit=20
 */
#include "child.h"

#define CYCLES 5
#define CROWD 100

static struct child child;

static void child_main(void)
{
	check_eq(start_info->nr_pages, CHILD_PAGES);
	check(!memcmp(start_info->magic, "xen-3.0", 7), "wrong magic");
	check(now_ns() > 0, "no time");
	pass("ran");
}

/* How long the domain's creation and its end take, its running left out. */
static u64 cycle(void)
{
	u64 start = now_ns(), ran;
	u32 flags;

	child_build(&child, child_main);
	flags = child_flags(child.id);
	check((flags & XEN_DOMINF_paused) && !(flags & XEN_DOMINF_shutdown),
	      "built: flags %x", flags);
	ran = now_ns();
	child_start(&child);
	child_passed(&child);
	ran = now_ns() - ran;
	flags = child_flags(child.id);
	check_eq(flags >> XEN_DOMINF_shutdownshift & XEN_DOMINF_shutdownmask,
		 SHUTDOWN_reboot);
	check_eq(child_destroy(&child), 0);
	check(child_flags(child.id) == ~0U, "still there");
	return now_ns() - start - ran;
}

/* Domains of which nothing but the beginning exists. */
static void crowd(bool there)
{
	static u16 ids[CROWD];

	for (u32 i = 0; i < CROWD; i++) {
		if (there)
			ids[i] = (u16)child_create(0, 1);
		else
			check_eq(domctl_on(XEN_DOMCTL_destroydomain, ids[i]),
				 0);
	}
}

void test_main(void)
{
	struct frame_counts first, now;
	u64 alone_ns = 0, crowded_ns;

	cycle();
	first = frame_counts();
	for (u32 i = 0; i < CYCLES; i++)
		alone_ns = cycle();
	crowd(true);
	crowded_ns = cycle();
	crowd(false);
	now = frame_counts();
	check_eq(now.free, first.free);
	check_eq(now.domains, first.domains);
	check_eq(now.hypervisor, first.hypervisor);
	pass("%u cycles; the last %lu ns, among %u domains %lu ns", CYCLES + 2,
	     alone_ns, CROWD, crowded_ns);
}
