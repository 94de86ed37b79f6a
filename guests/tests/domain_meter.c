/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a domain's meter page tell its time and state, and does a cap
 *           hold?
 * Rule:     the page can be mapped read-only and in no other way; cpu_ns is
 *           what XENO_OP_DOMAIN_METER says; a capped domain gets its part of a
 *           CPU and no more, an uncapped one what nobody else wants.
 * Source:   include/xeno/meter_page.h, include/xeno/domain.h.
 * Expected: equal times, states in turn; at 250 permille a quarter of the time
 *           within 2 %; at most 20480 bytes of state.
 *
 * A nanosecond per instruction, so that the host cannot let the machine stand
 * still: while the domain is off, that would be time it does not get.
 *
 * test: icount=1 audit=20
 */
#include <xeno/domain.h>
#include <xeno/meter_page.h>

#include "child.h"

#define VA ((void *)0x630000000000UL)
#define STATE_LIMIT_BYTES 20480
#define CAP_PERMILLE 250

static struct child child;
static volatile struct xeno_meter_page *page = VA;

static void spins(void)
{
	for (;;)
		barrier();
}

static long op(void *arg, u32 number, u32 version, u32 size)
{
	*(struct xeno_envelope *)arg =
		(struct xeno_envelope){ version, number, size, 0 };
	return hypercall(XENO_HYPERVISOR_CONTROL, arg);
}

static void map_page(void)
{
	struct xeno_meter_page_where w = { .domain_id = child.id };

	check_eq(op(&w, XENO_OP_METER_PAGE, XENO_METER_PAGE_VERSION, sizeof(w)),
		 0);
	check_refused(map_foreign(VA, child.id, mk_pte(w.mfn, PTE_KERNEL)));
	check_refused(update_va_mapping(VA, mk_pte(w.mfn, PTE_RO), 0));
	check_eq(map_foreign(VA, child.id, mk_pte(w.mfn, PTE_RO)), 0);
	check_eq(page->layout, XENO_METER_PAGE_LAYOUT);
	check_eq(page->domain_id, child.id);
}

static struct xeno_domain_meter meter(void)
{
	struct xeno_domain_meter m = { .domain_id = child.id };

	check_eq(op(&m, XENO_OP_DOMAIN_METER, XENO_DOMAIN_METER_VERSION,
		    sizeof(m)),
		 0);
	return m;
}

/* Permille of a CPU, from now on for a while. */
static u64 share(void)
{
	u64 start = now_ns(), used = page->cpu_ns[0];

	(void)!spin_until(false, MS(500));
	return (page->cpu_ns[0] - used) * 1000 / (now_ns() - start);
}

static void set_cap(u32 permille)
{
	struct xeno_sched s = {
		.domain_id = child.id,
		.weight = 256,
		.cap_permille = permille,
	};

	check_eq(op(&s, XENO_OP_SCHED_SET, XENO_SCHED_SET_VERSION, sizeof(s)),
		 0);
	s.cap_permille = 1;
	check_eq(op(&s, XENO_OP_SCHED_GET, XENO_SCHED_GET_VERSION, sizeof(s)),
		 0);
	check_eq(s.cap_permille, permille);
}

void test_main(void)
{
	struct xeno_domain_meter m;
	u64 capped;

	map_at((unsigned long)VA, 0);
	child_build(&child, spins);
	map_page();
	check_eq((u32)page->state, XENO_DOMAIN_BUILDING);
	check_eq(page->cpu_ns[0], 0);
	m = meter();
	check(m.state_pages * 4096 <= STATE_LIMIT_BYTES, "%lu pages of state",
	      m.state_pages);
	child_start(&child);
	check_eq((u32)page->state, XENO_DOMAIN_RUNNING);
	set_cap(CAP_PERMILLE);
	capped = share();
	check(capped >= CAP_PERMILLE - 20 && capped <= CAP_PERMILLE + 20,
	      "capped at %u permille it got %lu", CAP_PERMILLE, capped);
	set_cap(0);
	check_eq(domctl_on(XEN_DOMCTL_pausedomain, child.id), 0);
	m = meter();
	check_eq(page->cpu_ns[0], m.vcpu_cpu_ns[0]);
	check_eq(child_destroy(&child), 0);
	check_eq((u32)page->state, XENO_DOMAIN_DYING);
	check_eq(update_va_mapping(VA, 0, UVMF_INVLPG), 0);
	pass("%lu permille of %u, %lu pages, %lu bytes of state", capped,
	     CAP_PERMILLE, m.state_pages, m.state_bytes);
}
