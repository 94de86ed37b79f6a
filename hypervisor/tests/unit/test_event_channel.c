// SPDX-License-Identifier: Apache-2.0
/* Event channels: allocation, binding, delivery, closing, races. */
#include <pthread.h>
#include <string.h>

#include <hv/errno.h>
#include <hv/event.h>
#include <hv/lock.h>

#include <arch/cpu.h>
#include <arch/host_machine.h>

#include <xeno/vcpu_ext.h>

#include "../fake/domains.h"
#include "check.h"

/* With a budget that no test uses up. */
static int reset(u16 domid)
{
	int budget = 1 << 20;

	return event_reset(domid, &budget);
}

static struct domain *zero, *one, *two;

static int setup(void **state)
{
	(void)state;
	fake_machine_init(256, 2);
	zero = fake_domain_create(0, 2, true);
	one = fake_domain_create(1, 4, false);
	two = fake_domain_create(2, 1, false);
	domain0 = zero;
	fake_become(one, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_true(fake_domain_destroy(two));
	assert_true(fake_domain_destroy(one));
	assert_true(fake_domain_destroy(zero));
	fake_machine_exit();
	return 0;
}

static void mask_all(struct domain *d, bool masked)
{
	memset(d->shared_info->evtchn_mask, masked ? 0xff : 0,
	       sizeof(d->shared_info->evtchn_mask));
}

static bool upcall(const struct vcpu *v)
{
	return v->arch.info->evtchn_upcall_pending;
}

static u64 selector(const struct vcpu *v)
{
	return v->arch.info->evtchn_pending_sel;
}

static u32 unbound(struct domain *d, u16 remote)
{
	struct evtchn_alloc_unbound op = {
		.dom = DOMID_SELF,
		.remote_dom = remote,
	};

	fake_become(d, 0);
	assert_int_equal(event_alloc_unbound(&op), 0);
	return op.port;
}

static u32 ipi(struct domain *d, u32 vcpu)
{
	struct evtchn_bind_ipi op = { .vcpu = vcpu };

	fake_become(d, 0);
	assert_int_equal(event_bind_ipi(&op), 0);
	return op.port;
}

static u32 interdomain(struct domain *d, u16 remote, u32 port)
{
	struct evtchn_bind_interdomain op = {
		.remote_dom = remote,
		.remote_port = port,
	};

	fake_become(d, 0);
	assert_int_equal(event_bind_interdomain(&op), 0);
	return op.local_port;
}

static struct evtchn_status status_of(struct domain *d, u32 port)
{
	struct evtchn_status op = { .dom = DOMID_SELF, .port = port };

	fake_become(d, 0);
	assert_int_equal(event_status(&op), 0);
	return op;
}

static void ports_are_the_lowest_free_from_one(void **state)
{
	(void)state;
	for (u32 port = 1; port < 600; port++)
		assert_int_equal(unbound(one, 2), port);
	assert_int_equal(event_close(one, 300), 0);
	assert_int_equal(event_close(one, 7), 0);
	assert_int_equal(unbound(one, 2), 7);
	assert_int_equal(ipi(one, 1), 300);
	assert_int_equal(unbound(one, 2), 600);
}

static void there_are_4095_ports_and_no_more(void **state)
{
	struct evtchn_bind_ipi op = { .vcpu = 0 };
	u64 pages = one->owner.state_pages;

	(void)state;
	for (u32 i = 1; i < EVENT_PORTS; i++)
		assert_int_equal(ipi(one, 0), i);
	assert_int_equal(event_bind_ipi(&op), -ENOSPC);
	assert_int_equal(event_close(one, 4095), 0);
	assert_int_equal(event_bind_ipi(&op), 0);
	assert_int_equal(op.port, 4095);
	assert_int_equal(reset(DOMID_SELF), 0);
	assert_int_equal(one->owner.state_pages, pages);
	assert_int_equal(ipi(one, 0), 1);
}

static void an_ipi_reaches_its_vcpu(void **state)
{
	u32 port = ipi(one, 2);
	struct vcpu *v = one->vcpus[2];

	(void)state;
	mask_all(one, false);
	assert_int_equal(event_send(one, port), 0);
	assert_true(event_port_pending(one, port));
	assert_int_equal(selector(v), 1);
	assert_true(upcall(v));
	assert_int_equal(fake_kicks(v), 1);
	assert_false(upcall(one->vcpus[0]));
	/* Pending already: nothing more happens. */
	v->arch.info->evtchn_upcall_pending = 0;
	assert_int_equal(event_send(one, port), 0);
	assert_false(upcall(v));
	assert_int_equal(fake_kicks(v), 1);
}

static void a_masked_port_only_becomes_pending(void **state)
{
	u32 port = ipi(one, 1);
	struct vcpu *v = one->vcpus[1];

	(void)state;
	mask_all(one, true);
	assert_int_equal(event_send(one, port), 0);
	assert_true(event_port_pending(one, port));
	assert_false(upcall(v));
	assert_int_equal(selector(v), 0);
	assert_int_equal(fake_kicks(v), 0);
	/* Unmasking delivers what waits, once. */
	assert_int_equal(event_unmask(one, port), 0);
	assert_true(upcall(v));
	assert_int_equal(selector(v), 1);
	assert_int_equal(fake_kicks(v), 1);
	assert_int_equal(event_unmask(one, port), 0);
	assert_int_equal(fake_kicks(v), 1);
	assert_int_equal(event_unmask(one, port + 1), -EINVAL);
	assert_int_equal(event_unmask(one, EVENT_PORTS + port), -EINVAL);
}

static void the_selector_is_that_of_the_port(void **state)
{
	u32 port = 0;

	(void)state;
	mask_all(one, false);
	while (port < 1000)
		port = ipi(one, 0);
	assert_int_equal(event_send(one, 1000), 0);
	assert_int_equal(selector(one->vcpus[0]), 1UL << (1000 / 64));
	assert_int_equal(one->shared_info->evtchn_pending[1000 / 64],
			 1UL << (1000 % 64));
}

static void two_domains_talk_both_ways(void **state)
{
	u32 p = unbound(one, 2);
	u32 q = interdomain(two, 1, p);
	struct evtchn_status s;

	(void)state;
	/* A send before the binding must not be lost. */
	assert_true(event_port_pending(two, q));
	assert_false(event_port_pending(one, p));
	mask_all(one, false);
	assert_int_equal(event_send(two, q), 0);
	assert_true(event_port_pending(one, p));
	assert_int_equal(fake_kicks(one->vcpus[0]), 1);
	two->shared_info->evtchn_pending[0] = 0;
	assert_int_equal(event_send(one, p), 0);
	assert_true(event_port_pending(two, q));

	s = status_of(one, p);
	assert_int_equal(s.status, EVTCHNSTAT_interdomain);
	assert_int_equal(s.u.interdomain.dom, 2);
	assert_int_equal(s.u.interdomain.port, q);

	/* The peer's close leaves the port waiting for that peer. */
	assert_int_equal(event_close(two, q), 0);
	s = status_of(one, p);
	assert_int_equal(s.status, EVTCHNSTAT_unbound);
	assert_int_equal(s.u.unbound.dom, 2);
	assert_int_equal(event_send(one, p), 0);
	assert_int_equal(status_of(two, q).status, EVTCHNSTAT_closed);
	assert_int_equal(interdomain(two, 1, p), q);
}

static void a_closed_ports_event_does_not_outlive_it(void **state)
{
	u32 port = ipi(one, 0);

	(void)state;
	assert_int_equal(event_send(one, port), 0);
	assert_int_equal(event_close(one, port), 0);
	assert_int_equal(ipi(one, 0), port);
	assert_false(event_port_pending(one, port));
}

static void a_channel_inside_one_domain(void **state)
{
	u32 p = unbound(one, DOMID_SELF);
	u32 q = interdomain(one, DOMID_SELF, p);

	(void)state;
	assert_int_not_equal(p, q);
	one->shared_info->evtchn_pending[0] = 0;
	assert_int_equal(event_send(one, q), 0);
	assert_true(event_port_pending(one, p));
	assert_false(event_port_pending(one, q));
	assert_int_equal(event_close(one, p), 0);
	assert_int_equal(status_of(one, q).status, EVTCHNSTAT_unbound);
}

static void only_the_one_it_waits_for_may_bind(void **state)
{
	u32 p = unbound(one, 0);
	struct evtchn_bind_interdomain op = {
		.remote_dom = 1,
		.remote_port = p,
	};

	(void)state;
	fake_become(two, 0);
	assert_int_equal(event_bind_interdomain(&op), -EINVAL);
	op.remote_port = p + 1;
	fake_become(zero, 0);
	assert_int_equal(event_bind_interdomain(&op), -EINVAL);
	op.remote_port = 0;
	assert_int_equal(event_bind_interdomain(&op), -EINVAL);
	op.remote_port = EVENT_PORTS;
	assert_int_equal(event_bind_interdomain(&op), -EINVAL);
	op.remote_dom = 5;
	assert_int_equal(event_bind_interdomain(&op), -ESRCH);
	op.remote_dom = 1;
	op.remote_port = p;
	assert_int_equal(event_bind_interdomain(&op), 0);
	/* Bound once is bound. */
	assert_int_equal(event_bind_interdomain(&op), -EINVAL);
}

static void others_ports_need_privilege(void **state)
{
	struct evtchn_alloc_unbound op = { .dom = 2, .remote_dom = 0 };
	struct evtchn_status s = { .dom = 2, .port = 1 };

	(void)state;
	fake_become(one, 0);
	assert_int_equal(event_alloc_unbound(&op), -EPERM);
	assert_int_equal(event_status(&s), -EPERM);
	assert_int_equal(reset(2), -EPERM);
	fake_become(zero, 0);
	assert_int_equal(event_alloc_unbound(&op), 0);
	assert_int_equal(event_status(&s), 0);
	assert_int_equal(s.status, EVTCHNSTAT_unbound);
	assert_int_equal(s.u.unbound.dom, 0);
	op.dom = 6;
	assert_int_equal(event_alloc_unbound(&op), -ESRCH);
	s.port = EVENT_PORTS;
	assert_int_equal(event_status(&s), -EINVAL);
	assert_int_equal(reset(2), 0);
	s.port = 1;
	assert_int_equal(event_status(&s), 0);
	assert_int_equal(s.status, EVTCHNSTAT_closed);
}

static void virqs_bind_once_and_arrive(void **state)
{
	struct evtchn_bind_virq timer = { .virq = VIRQ_TIMER, .vcpu = 1 };
	struct evtchn_bind_virq exc = { .virq = VIRQ_DOM_EXC, .vcpu = 0 };
	struct evtchn_status s;

	(void)state;
	fake_become(zero, 0);
	mask_all(zero, false);
	assert_int_equal(event_bind_virq(&timer), 0);
	assert_int_equal(event_bind_virq(&timer), -EEXIST);
	timer.vcpu = 0;
	event_virq_vcpu(zero->vcpus[0], VIRQ_TIMER); /* unbound: dropped */
	assert_int_equal(event_bind_virq(&timer), 0);
	assert_false(event_port_pending(zero, timer.port));
	event_virq_vcpu(zero->vcpus[1], VIRQ_TIMER);
	assert_int_equal(fake_kicks(zero->vcpus[1]), 1);
	assert_int_equal(fake_kicks(zero->vcpus[0]), 0);

	exc.vcpu = 1;
	assert_int_equal(event_bind_virq(&exc), -EINVAL);
	exc.vcpu = 0;
	assert_int_equal(event_bind_virq(&exc), 0);
	assert_int_equal(event_bind_virq(&exc), -EEXIST);
	s = status_of(zero, exc.port);
	assert_int_equal(s.status, EVTCHNSTAT_virq);
	assert_int_equal(s.u.virq, VIRQ_DOM_EXC);
	/* A global one may move to another vCPU, and close from there. */
	assert_int_equal(event_bind_vcpu(zero, exc.port, 1), 0);
	zero->vcpus[1]->arch.info->evtchn_pending_sel = 0;
	event_virq_global(zero, VIRQ_DOM_EXC);
	assert_int_equal(fake_kicks(zero->vcpus[1]), 2);
	assert_int_equal(event_close(zero, exc.port), 0);
	event_virq_global(zero, VIRQ_DOM_EXC);
	assert_int_equal(event_bind_virq(&exc), 0);

	/* Nobody sends to a VIRQ. */
	assert_int_equal(event_send(zero, exc.port), -EINVAL);
	timer.virq = NR_VIRQS;
	assert_int_equal(event_bind_virq(&timer), -EINVAL);
	timer.virq = XENO_VIRQ_VIRTUAL_TIMER;
	timer.vcpu = 1;
	assert_int_equal(event_bind_virq(&timer), 0);
	timer.vcpu = 2;
	assert_int_equal(event_bind_virq(&timer), -ENOENT);
}

static void ports_that_belong_to_a_vcpu_do_not_move(void **state)
{
	struct evtchn_bind_virq timer = { .virq = VIRQ_TIMER, .vcpu = 1 };
	u32 i = ipi(one, 0), p = unbound(one, 2);

	(void)state;
	assert_int_equal(event_bind_virq(&timer), 0);
	assert_int_equal(event_bind_vcpu(one, timer.port, 0), -EINVAL);
	assert_int_equal(event_bind_vcpu(one, i, 1), -EINVAL);
	assert_int_equal(event_bind_vcpu(one, 99, 1), -EINVAL);
	assert_int_equal(event_bind_vcpu(one, p, 4), -ENOENT);
	assert_int_equal(event_bind_vcpu(one, p, 3), 0);
	mask_all(one, false);
	assert_int_equal(event_send(two, interdomain(two, 1, p)), 0);
	assert_true(upcall(one->vcpus[3]));
}

static void bad_ports_are_refused_everywhere(void **state)
{
	static const u32 bad[] = { 0, 5, 4095, 4096, 70000, ~0U };

	(void)state;
	fake_become(one, 0);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(event_send(one, bad[i]), -EINVAL);
		assert_int_equal(event_close(one, bad[i]), -EINVAL);
		assert_int_equal(event_unmask(one, bad[i]), -EINVAL);
		assert_int_equal(event_bind_vcpu(one, bad[i], 0), -EINVAL);
		assert_false(event_port_pending(one, bad[i]));
	}
}

static void a_poller_is_woken_by_a_masked_port(void **state)
{
	u32 p = ipi(one, 0), q = ipi(one, 0);
	struct vcpu *v = one->vcpus[3];

	(void)state;
	mask_all(one, true);
	event_poll_begin(v, p);
	assert_int_equal(event_send(one, q), 0);
	assert_int_equal(fake_kicks(v), 0);
	assert_int_equal(event_send(one, p), 0);
	assert_int_equal(fake_kicks(v), 1);
	/* Woken is woken: it polls no longer. */
	one->shared_info->evtchn_pending[0] = 0;
	assert_int_equal(event_send(one, p), 0);
	assert_int_equal(fake_kicks(v), 1);
	/* Several ports: any wakes it. */
	one->shared_info->evtchn_pending[0] = 0;
	event_poll_begin(v, 0);
	assert_int_equal(event_send(one, q), 0);
	assert_int_equal(fake_kicks(v), 2);
}

static void moving_vcpu_info_loses_nothing(void **state)
{
	struct vcpu *v = one->vcpus[1];

	(void)state;
	event_vcpu_info_moved(v);
	assert_int_equal(selector(v), ~0UL);
	assert_true(upcall(v));
	assert_int_equal(fake_kicks(v), 1);
}

static int notified;

static void count_notify(struct event_backend *b)
{
	(void)b;
	notified++;
}

static void a_back_end_is_a_channels_other_end(void **state)
{
	u32 p = unbound(one, DOMID_BACKEND), q = unbound(one, 2);
	struct event_backend b = { .port = 0 }, other = { .port = 0 };

	(void)state;
	notified = 0;
	mask_all(one, false);
	assert_int_equal(event_backend_bind(&b, one, q, count_notify), -EINVAL);
	assert_int_equal(event_backend_bind(&b, one, p, count_notify), 0);
	assert_int_equal(event_backend_bind(&other, one, p, count_notify),
			 -EINVAL);
	assert_int_equal(status_of(one, p).status, EVTCHNSTAT_interdomain);
	assert_int_equal(event_send(one, p), 0);
	assert_int_equal(notified, 1);
	event_backend_send(&b);
	assert_true(event_port_pending(one, p));
	event_backend_unbind(&b);
	event_backend_unbind(&b);
	assert_int_equal(event_send(one, p), 0);
	assert_int_equal(notified, 1);
	assert_int_equal(status_of(one, p).status, EVTCHNSTAT_unbound);

	/* The guest may close first; then sends go nowhere. */
	assert_int_equal(event_backend_bind(&b, one, p, count_notify), 0);
	assert_int_equal(event_close(one, p), 0);
	event_backend_send(&b);
	assert_false(event_port_pending(one, p));
	event_backend_unbind(&b);
	event_backend_unbind(&other);
}

static void a_dying_domain_gets_no_ports(void **state)
{
	u32 p = unbound(one, 2);
	struct evtchn_bind_interdomain op = {
		.remote_dom = 1,
		.remote_port = p,
	};
	struct evtchn_bind_ipi late = { .vcpu = 0 };

	(void)state;
	two->owner.dying = true;
	fake_become(two, 0);
	assert_int_equal(event_bind_ipi(&late), -ESRCH);
	assert_int_equal(event_bind_interdomain(&op), -ESRCH);
	assert_int_equal(status_of(one, p).status, EVTCHNSTAT_unbound);
	two->owner.dying = false;
}

/* Two domains bind, send, reset and close across each other; the locks of the
 * fake machine check order, and the end finds every port consistent. */
static void *quarrel(void *arg)
{
	bool first = arg != NULL;
	struct domain *me = first ? one : two, *peer = first ? two : one;
	uint64_t seed = first ? 77 : 99;

	host_cpu = first;
	fake_become(me, 0);
	for (int i = 0; i < 300000; i++) {
		u32 port = 1 + random_next(&seed) % 8;
		struct evtchn_alloc_unbound a = {
			.dom = DOMID_SELF,
			.remote_dom = peer->id,
		};
		struct evtchn_bind_interdomain b = {
			.remote_dom = peer->id,
			.remote_port = port,
		};
		int rc = 0;

		switch (random_next(&seed) % 8) {
		case 0:
		case 1:
			rc = event_alloc_unbound(&a);
			if (!rc && a.port > 8)
				rc = event_close(me, a.port);
			break;
		case 2:
		case 3:
			rc = event_bind_interdomain(&b);
			break;
		case 4:
			rc = event_close(me, port);
			/* Only this thread could open it again. */
			if (!rc &&
			    status_of(me, port).status != EVTCHNSTAT_closed)
				return me;
			break;
		case 5:
			if (random_next(&seed) % 16 == 0)
				rc = reset(DOMID_SELF);
			break;
		default:
			rc = event_send(me, port);
			break;
		}
		if (rc && rc != -EINVAL)
			return me; /* no error that a race explains */
	}
	return NULL;
}

static void closing_from_both_ends_is_safe(void **state)
{
	pthread_t t[2];
	void *result;

	(void)state;
	pthread_create(&t[0], NULL, quarrel, NULL);
	pthread_create(&t[1], NULL, quarrel, one);
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], &result);
		assert_null(result);
	}
	for (u32 port = 1; port < EVENT_PORTS; port++) {
		struct evtchn_status s = status_of(one, port), r;

		if (s.status != EVTCHNSTAT_interdomain)
			continue;
		assert_int_equal(s.u.interdomain.dom, 2);
		r = status_of(two, s.u.interdomain.port);
		assert_int_equal(r.status, EVTCHNSTAT_interdomain);
		assert_int_equal(r.u.interdomain.dom, 1);
		assert_int_equal(r.u.interdomain.port, port);
	}
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ports_are_the_lowest_free_from_one),
		TEST(there_are_4095_ports_and_no_more),
		TEST(an_ipi_reaches_its_vcpu),
		TEST(a_masked_port_only_becomes_pending),
		TEST(the_selector_is_that_of_the_port),
		TEST(two_domains_talk_both_ways),
		TEST(a_closed_ports_event_does_not_outlive_it),
		TEST(a_channel_inside_one_domain),
		TEST(only_the_one_it_waits_for_may_bind),
		TEST(others_ports_need_privilege),
		TEST(virqs_bind_once_and_arrive),
		TEST(ports_that_belong_to_a_vcpu_do_not_move),
		TEST(bad_ports_are_refused_everywhere),
		TEST(a_poller_is_woken_by_a_masked_port),
		TEST(moving_vcpu_info_loses_nothing),
		TEST(a_back_end_is_a_channels_other_end),
		TEST(a_dying_domain_gets_no_ports),
		TEST(closing_from_both_ends_is_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
