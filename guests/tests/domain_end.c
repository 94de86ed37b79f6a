/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does Domain 0 see how another domain ends, and can it stop, resume
 *           and destroy one at any time?
 * Rule:     shutdown codes in getdomaininfo; a crash is SHUTDOWN_crash with a
 *           reason in XENO_OP_DOMAIN_INFO; remote_shutdown; pausedomain comes
 *           back when no vCPU runs; destroydomain stops running vCPUs.
 * Source:   xen/domctl.h, xen/sched.h, include/xeno/domain.h.
 * Expected: each end as caused, no frame lost.
 *
 * test: vcpus=1 cpus=2
 */
#include <xeno/domain.h>

#include "child.h"

static struct child child;
static u64 counter[512] __attribute__((aligned(4096)));

static void spins(void)
{
	for (;;)
		WRITE_ONCE(counter[0], counter[0] + 1);
}

static void crashes(void)
{
	/* No handlers, then a fault. */
	set_trap_table(NULL);
	__asm__ volatile("ud2");
	fail("survived");
}

static u32 code(u32 flags)
{
	return flags >> XEN_DOMINF_shutdownshift & XEN_DOMINF_shutdownmask;
}

static struct xeno_domain_info info(void)
{
	struct xeno_domain_info i;

	memset(&i, 0, sizeof(i));
	i.head = (struct xeno_envelope){ XENO_DOMAIN_INFO_VERSION,
					 XENO_OP_DOMAIN_INFO, sizeof(i), 0 };
	i.domain_id = child.id;
	check_eq(hypercall(XENO_HYPERVISOR_CONTROL, &i), 0);
	return i;
}

static void crash(void)
{
	struct xeno_domain_info i;

	child_build(&child, crashes);
	check_eq(info().state, XENO_DOMAIN_BUILDING);
	child_start(&child);
	check_eq(code(child_wait(&child, XEN_DOMINF_shutdown)), SHUTDOWN_crash);
	i = info();
	check_eq(i.state, XENO_DOMAIN_SHUT_DOWN);
	check_eq(i.shutdown_code, SHUTDOWN_crash);
	check(i.crash_reason[0], "no reason");
	check_refused(domctl_on(XEN_DOMCTL_resumedomain, child.id));
	check_eq(child_destroy(&child), 0);
}

static u64 count(void)
{
	u64 n = READ_ONCE(*(u64 *)child_page(&child, counter));

	child_page_done();
	return n;
}

static void runs(void)
{
	u64 before = count();

	check(spin_until(count() != before, MS(5000)), "it does not run");
}

static void stop_and_go(void)
{
	struct sched_remote_shutdown end = { .reason = SHUTDOWN_suspend };
	u64 before;

	child_build(&child, spins);
	child_start(&child);
	runs();
	check_eq(domctl_on(XEN_DOMCTL_pausedomain, child.id), 0);
	before = count();
	check(child_flags(child.id) & XEN_DOMINF_paused, "not paused");
	check(!spin_until(count() != before, MS(20)), "runs while paused");
	check_eq(domctl_on(XEN_DOMCTL_unpausedomain, child.id), 0);
	check_refused(domctl_on(XEN_DOMCTL_unpausedomain, child.id));
	runs();
	end.domain_id = child.id;
	check_eq(sched_op(SCHEDOP_remote_shutdown, &end), 0);
	check_eq(code(child_wait(&child, XEN_DOMINF_shutdown)),
		 SHUTDOWN_suspend);
	check_eq(domctl_on(XEN_DOMCTL_resumedomain, child.id), 0);
	check(!(child_flags(child.id) & XEN_DOMINF_shutdown), "not resumed");
	runs();
	check_eq(child_destroy(&child), 0);
	check(child_flags(child.id) == ~0U, "still there");
}

void test_main(void)
{
	struct frame_counts before, now;

	crash();
	before = frame_counts();
	for (u32 i = 0; i < 3; i++) {
		stop_and_go();
		crash();
	}
	/* One that never ran, and one of which nothing was built. */
	child_build(&child, spins);
	check_eq(child_destroy(&child), 0);
	child.id = (u16)child_create(77, 32);
	check_eq(child.id, 77);
	check_eq(child_destroy(&child), 0);
	check_eq(child_destroy(&child), -XEN_ESRCH);
	check_eq(domctl_on(XEN_DOMCTL_destroydomain, 0), -XEN_EINVAL);
	check_eq(domctl_on(XEN_DOMCTL_destroydomain, DOMID_SELF), -XEN_EINVAL);
	now = frame_counts();
	check_eq(now.free, before.free);
	check_eq(now.hypervisor, before.hypervisor);
	pass("%lu frames free", now.free);
}
