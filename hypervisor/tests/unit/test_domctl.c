// SPDX-License-Identifier: Apache-2.0
/*
 * The standard control hypercalls as Domain 0 makes them: who may, versions,
 * domains from creation to their end, and that neither too little memory nor a
 * cut at any point leaves anything behind.
 */
#include <string.h>

#include <hv/control.h>
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/mm.h>

#include <arch/host_machine.h>

#include <xen/domctl.h>
#include <xen/sched.h>
#include <xen/sysctl.h>

#include "../fake/domains.h"
#include "../fake/real_domains.h"
#include "check.h"

#define WINDOW 0x10000UL
#define FRAMES 4096UL
#define BUFFER 4096

static u8 window[16384];
static struct domain *zero, *one;

static int setup(void **state)
{
	(void)state;
	fake_machine_init(FRAMES, 2);
	memset(window, 0, sizeof(window));
	host_guest_window(WINDOW, window, sizeof(window));
	zero = fake_domain_create(0, 2, true);
	one = fake_domain_create(1, 1, false);
	fake_become(zero, 0);
	fake_grace = ~0UL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_true(fake_domain_destroy(one));
	assert_true(fake_domain_destroy(zero));
	assert_int_equal(fake_arch_vcpus, 0);
	fake_machine_exit();
	return 0;
}

static long domctl(struct xen_domctl *op)
{
	long rc;

	op->interface_version = XEN_DOMCTL_INTERFACE_VERSION;
	memcpy(window, op, sizeof(*op));
	rc = hc_domctl(WINDOW, 0, 0, 0, 0, 0);
	memcpy(op, window, sizeof(*op));
	return rc;
}

static long domctl_on(u32 cmd, u16 domid)
{
	struct xen_domctl op = { .cmd = cmd, .domain = domid };

	return domctl(&op);
}

static long create(u16 wanted, u32 vcpus, u16 *id)
{
	struct xen_domctl op = {
		.cmd = XEN_DOMCTL_createdomain,
		.domain = wanted,
		.u.createdomain.max_vcpus = vcpus,
	};
	long rc = domctl(&op);

	*id = op.domain;
	return rc;
}

static long add_vcpus(u16 id, u32 count)
{
	struct xen_domctl op = {
		.cmd = XEN_DOMCTL_max_vcpus,
		.domain = id,
		.u.max_vcpus.max = count,
	};
	long rc;

	do
		rc = domctl(&op);
	while (rc == -ERESTART);
	return rc;
}

static long destroy(u16 id)
{
	long rc;

	do
		rc = domctl_on(XEN_DOMCTL_destroydomain, id);
	while (rc == -ERESTART);
	return rc;
}

static struct xen_domctl_getdomaininfo info(u16 id)
{
	struct xen_domctl op = {
		.cmd = XEN_DOMCTL_getdomaininfo,
		.domain = id,
	};

	assert_int_equal(domctl(&op), 0);
	assert_int_equal(op.domain, id);
	return op.u.getdomaininfo;
}

/* ---- the door ---- */

static void others_are_refused_before_anything(void **state)
{
	(void)state;
	fake_become(one, 0);
	assert_int_equal(hc_domctl(0, 0, 0, 0, 0, 0), -EPERM);
	assert_int_equal(hc_sysctl(0, 0, 0, 0, 0, 0), -EPERM);
	for (u32 cmd = 0; cmd < 100; cmd++)
		assert_int_equal(domctl_on(cmd, 0), -EPERM);
}

static void versions_and_operations_are_checked_in_order(void **state)
{
	struct xen_domctl op = { .cmd = 9999, .interface_version = 0x14 };

	(void)state;
	assert_int_equal(hc_domctl(1, 0, 0, 0, 0, 0), -EFAULT);
	assert_int_equal(hc_sysctl(1, 0, 0, 0, 0, 0), -EFAULT);
	memcpy(window, &op, sizeof(op));
	assert_int_equal(hc_domctl(WINDOW, 0, 0, 0, 0, 0), -EACCES);
	assert_int_equal(hc_sysctl(WINDOW, 0, 0, 0, 0, 0), -EACCES);
	assert_int_equal(domctl_on(9999, 500), -ENOSYS);
	assert_int_equal(domctl_on(XEN_DOMCTL_shadow_op, 1), -ENOSYS);
	assert_int_equal(domctl_on(XEN_DOMCTL_pausedomain, 500), -ESRCH);
}

/* ---- lives ---- */

static void ids_are_the_wanted_or_free_ones(void **state)
{
	u16 a, b, c;

	(void)state;
	assert_int_equal(create(5, 1, &a), 0);
	assert_int_equal(a, 5);
	assert_int_equal(create(5, 1, &b), -EEXIST);
	assert_int_equal(create(0, 1, &b), 0);
	assert_true(b != 0 && b != 1 && b != 5);
	assert_int_equal(destroy(b), 0);
	/* Not at once somebody else's. */
	assert_int_equal(create(0, 1, &c), 0);
	assert_true(c != b);
	assert_int_equal(create(DOMAIN_MAX, 1, &b), -EINVAL);
	assert_int_equal(create(0, 0, &b), -EINVAL);
	assert_int_equal(create(0, DOMAIN_MAX_VCPUS + 1, &b), -EINVAL);
	assert_int_equal(destroy(a), 0);
	assert_int_equal(destroy(c), 0);
	assert_int_equal(destroy(c), -ESRCH);
	assert_int_equal(destroy(0), -EINVAL);
}

static void information_finds_the_next_domain(void **state)
{
	struct xen_domctl op = {
		.cmd = XEN_DOMCTL_getdomaininfo,
		.domain = 2,
	};
	u16 id;

	(void)state;
	assert_int_equal(create(9, 2, &id), 0);
	assert_int_equal(domctl(&op), 0);
	assert_int_equal(op.domain, 9);
	assert_int_equal(op.u.getdomaininfo.max_vcpu_id,
			 XEN_INVALID_MAX_VCPU_ID);
	assert_true(op.u.getdomaininfo.flags & XEN_DOMINF_paused);
	op.domain = 10;
	assert_int_equal(domctl(&op), -ESRCH);
	assert_int_equal(add_vcpus(9, 1), -EINVAL);
	assert_int_equal(add_vcpus(9, 2), 0);
	assert_int_equal(info(9).max_vcpu_id, 1);
	/* Nothing to run yet. */
	assert_int_equal(domctl_on(XEN_DOMCTL_unpausedomain, 9), -EINVAL);
	domain_shutdown(domain_find(9), SHUTDOWN_crash);
	assert_int_equal(info(9).flags &
				 ~(XEN_DOMINF_paused | XEN_DOMINF_blocked),
			 XEN_DOMINF_shutdown |
				 SHUTDOWN_crash << XEN_DOMINF_shutdownshift);
	assert_int_equal(destroy(9), 0);
}

/* As if memory ran out at the first, second, ... page that is needed. */
static void too_little_memory_leaves_nothing(void **state)
{
	struct frame *taken = NULL, *f;
	u64 kept = 0, free;
	u16 id;
	long rc;

	(void)state;
	while ((f = frame_alloc(0))) {
		f->next_mfn = taken ? (u32)frame_mfn(taken) : 0;
		taken = f;
	}
	do {
		assert_int_equal(frame_free_count(), kept);
		rc = create(7, 1, &id);
		if (!rc)
			rc = add_vcpus(id, 1);
		if (rc)
			assert_int_equal(rc, -ENOMEM);
		free = frame_free_count();
		if (domain_find(7)) {
			assert_int_equal(destroy(7), 0);
		} else {
			assert_int_equal(free, kept);
		}
		assert_int_equal(frame_free_count(), kept);
		f = taken;
		taken = f->next_mfn ? &frame_table[f->next_mfn] : NULL;
		frame_free(f, 0);
		kept++;
	} while (rc);
	/* Itself, shared info, meters and one vCPU. */
	assert_int_equal(kept - 1, 4);
	while (taken) {
		f = taken;
		taken = f->next_mfn ? &frame_table[f->next_mfn] : NULL;
		frame_free(f, 0);
	}
}

static void destruction_waits_for_other_cpus(void **state)
{
	struct domain *d;
	u16 id;

	(void)state;
	assert_int_equal(create(3, 1, &id), 0);
	assert_int_equal(add_vcpus(3, 1), 0);
	d = domain_find(3);
	d->vcpus[0]->sched.loaded = true;
	assert_int_equal(domctl_on(XEN_DOMCTL_destroydomain, 3), -ERESTART);
	assert_ptr_equal(domain_find(3), d);
	assert_true(info(3).flags & XEN_DOMINF_dying);
	fake_grace = 0;
	d->vcpus[0]->sched.loaded = false;
	assert_int_equal(domctl_on(XEN_DOMCTL_destroydomain, 3), -ERESTART);
	/* Whoever had found it before may still be at work. */
	assert_ptr_equal(domain_find(3), d);
	fake_grace = d->exit_grace;
	assert_int_equal(domctl_on(XEN_DOMCTL_destroydomain, 3), -ERESTART);
	assert_null(domain_find(3));
	assert_int_equal(domctl_on(XEN_DOMCTL_pausedomain, 3), -ESRCH);
	assert_int_equal(create(3, 1, &id), -EEXIST);
	fake_grace = ~0UL;
	assert_int_equal(domctl_on(XEN_DOMCTL_destroydomain, 3), 0);
	assert_int_equal(domctl_on(XEN_DOMCTL_destroydomain, 3), -ESRCH);
}

static void a_held_page_keeps_the_domain(void **state)
{
	struct frame *f;
	u64 free = frame_free_count();
	u16 id;

	(void)state;
	assert_int_equal(create(3, 1, &id), 0);
	domain_find(3)->owner.max_pages = 600;
	for (int i = 0; i < 600; i++)
		assert_int_equal(
			frame_owner_alloc(&domain_find(3)->owner, 0, &f), 0);
	assert_true(frame_get(f, 3));
	assert_int_equal(destroy(3), 0);
	assert_true(info(3).flags & XEN_DOMINF_dying);
	assert_int_equal(info(3).tot_pages, 1);
	assert_false(frame_get(&frame_table[0], 3));
	domain_chores();
	assert_int_equal(info(3).tot_pages, 1);
	assert_int_equal(destroy(3), 0);
	frame_put(f);
	assert_true(domain_chores_due());
	control_init();
	domain_chores();
	assert_null(domain_find(3));
	assert_int_equal(frame_free_count(), free);
}

/* What is to be waited for may need an interrupt, so who looks after the dead
 * does not ask to be called again at once. */
static void the_dead_are_looked_at_again_later(void **state)
{
	struct frame *f;
	u16 id;

	(void)state;
	control_init();
	assert_int_equal(create(3, 1, &id), 0);
	domain_find(3)->owner.max_pages = 1;
	assert_int_equal(frame_owner_alloc(&domain_find(3)->owner, 0, &f), 0);
	assert_true(frame_get(f, 3));
	assert_int_equal(destroy(3), 0);
	domain_chores();
	fake_grace = 0;
	frame_put(f);
	domain_chores();
	/* Another CPU has not passed by yet. */
	assert_int_equal(create(3, 1, &id), -EEXIST);
	assert_false(domain_chores_due());
	fake_grace = ~0UL;
	host_clock_ns += 1000000;
	timer_run();
	assert_true(domain_chores_due());
	domain_chores();
	assert_int_equal(create(3, 1, &id), 0);
	assert_int_equal(destroy(3), 0);
}

/* ---- sysctl ---- */

static void lists_stop_where_the_caller_has_no_room(void **state)
{
	struct xen_sysctl op = {
		.cmd = XEN_SYSCTL_getdomaininfolist,
		.interface_version = XEN_SYSCTL_INTERFACE_VERSION,
	};
	struct xen_domctl_getdomaininfo *list = (void *)(window + BUFFER);

	(void)state;
	op.u.getdomaininfolist.max_domains = 1;
	op.u.getdomaininfolist.first_domain = 1;
	op.u.getdomaininfolist.buffer.p = (void *)(WINDOW + BUFFER);
	memset(list, 0xa5, 2 * sizeof(*list));
	memcpy(window, &op, sizeof(op));
	assert_int_equal(hc_sysctl(WINDOW, 0, 0, 0, 0, 0), 0);
	memcpy(&op, window, sizeof(op));
	assert_int_equal(op.u.getdomaininfolist.num_domains, 1);
	assert_int_equal(list[0].domain, 1);
	assert_int_equal(list[1].domain, 0xa5a5);
	op.u.getdomaininfolist.max_domains = 9;
	op.u.getdomaininfolist.buffer.p = (void *)(WINDOW + sizeof(window) - 8);
	memcpy(window, &op, sizeof(op));
	assert_int_equal(hc_sysctl(WINDOW, 0, 0, 0, 0, 0), -EFAULT);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(others_are_refused_before_anything),
		T(versions_and_operations_are_checked_in_order),
		T(ids_are_the_wanted_or_free_ones),
		T(information_finds_the_next_domain),
		T(too_little_memory_leaves_nothing),
		T(destruction_waits_for_other_cpus),
		T(a_held_page_keeps_the_domain),
		T(the_dead_are_looked_at_again_later),
		T(lists_stop_where_the_caller_has_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
