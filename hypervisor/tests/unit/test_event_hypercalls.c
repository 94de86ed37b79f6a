// SPDX-License-Identifier: Apache-2.0
/*
 * event_channel_op, sched_op, set_timer_op and grant_table_op as a guest calls
 * them: copying, batches, blocking and polling without losing a wake-up.
 */
#include <string.h>

#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/hypercall.h>
#include <hv/vcpu_timer.h>

#include <arch/host_machine.h>

#include <xen/sched.h>

#include "../fake/domains.h"
#include "check.h"

#define WINDOW 0x10000UL

static u8 window[65536];
static struct domain *zero, *one;
static struct vcpu *v;

static int setup(void **state)
{
	(void)state;
	fake_machine_init(256, 1);
	memset(window, 0, sizeof(window));
	host_guest_window(WINDOW, window, sizeof(window));
	host_clock_ns = 1000;
	timer_cpu_init(0);
	zero = fake_domain_create(0, 1, true);
	one = fake_domain_create(1, 1, false);
	v = one->vcpus[0];
	vcpu_timers_init(v);
	fake_become(one, 0);
	memset(one->shared_info->evtchn_mask, 0xff, 512);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	timer_stop(&v->poll_timer);
	timer_stop(&v->singleshot);
	assert_true(fake_domain_destroy(one));
	assert_true(fake_domain_destroy(zero));
	fake_machine_exit();
	return 0;
}

static long event_op(u32 cmd, void *op, size_t size)
{
	long rc;

	memcpy(window, op, size);
	rc = hc_event_channel_op(cmd, WINDOW, 0, 0, 0, 0);
	memcpy(op, window, size);
	return rc;
}

static long sched(u32 cmd, const void *op, size_t size)
{
	memcpy(window, op, size);
	return hc_sched_op(cmd, WINDOW, 0, 0, 0, 0);
}

static u32 ipi(void)
{
	struct evtchn_bind_ipi op = { .vcpu = 0 };

	assert_int_equal(event_op(EVTCHNOP_bind_ipi, &op, sizeof(op)), 0);
	return op.port;
}

static void arguments_travel_both_ways(void **state)
{
	struct evtchn_alloc_unbound a = {
		.dom = DOMID_SELF,
		.remote_dom = DOMID_SELF,
	};
	struct evtchn_bind_interdomain b = { .remote_dom = DOMID_SELF };
	struct evtchn_status s = { .dom = DOMID_SELF };

	(void)state;
	assert_int_equal(event_op(EVTCHNOP_alloc_unbound, &a, sizeof(a)), 0);
	assert_int_equal(a.port, 1);
	b.remote_port = a.port;
	assert_int_equal(event_op(EVTCHNOP_bind_interdomain, &b, sizeof(b)), 0);
	assert_int_equal(b.local_port, 2);
	assert_int_equal(event_op(EVTCHNOP_send, &b.local_port, 4), 0);
	assert_true(event_port_pending(one, a.port));
	s.port = a.port;
	assert_int_equal(event_op(EVTCHNOP_status, &s, sizeof(s)), 0);
	assert_int_equal(s.u.interdomain.port, b.local_port);
	assert_int_equal(event_op(EVTCHNOP_close, &b.local_port, 4), 0);
	assert_int_equal(event_op(EVTCHNOP_close, &b.local_port, 4), -EINVAL);
}

static void bad_addresses_and_unknown_commands_fail(void **state)
{
	static const u32 refused[] = {
		EVTCHNOP_bind_pirq,
		EVTCHNOP_init_control,
		EVTCHNOP_expand_array,
		EVTCHNOP_set_priority,
		14,
		~0U,
	};
	static const u32 grant_refused[] = {
		GNTTABOP_dump_table,        GNTTABOP_transfer,
		GNTTABOP_unmap_and_replace, GNTTABOP_set_version,
		GNTTABOP_get_status_frames, GNTTABOP_swap_grant_ref,
		GNTTABOP_cache_flush,       13,
	};

	(void)state;
	for (u32 cmd = 0; cmd <= 10; cmd++) {
		if (cmd != EVTCHNOP_bind_pirq)
			assert_int_equal(
				hc_event_channel_op(cmd, 16, 0, 0, 0, 0),
				-EFAULT);
	}
	for (int i = 0; i < 6; i++)
		assert_int_equal(
			hc_event_channel_op(refused[i], WINDOW, 0, 0, 0, 0),
			-ENOSYS);
	for (int i = 0; i < 8; i++)
		assert_int_equal(
			hc_grant_table_op(grant_refused[i], WINDOW, 1, 0, 0, 0),
			-ENOSYS);
	assert_int_equal(hc_sched_op(SCHEDOP_poll, 16, 0, 0, 0, 0), -EFAULT);
	assert_int_equal(hc_sched_op(SCHEDOP_shutdown, 16, 0, 0, 0, 0),
			 -EFAULT);
	assert_int_equal(hc_sched_op(SCHEDOP_watchdog, WINDOW, 0, 0, 0, 0),
			 -ENOSYS);
	assert_int_equal(one->state, DOMAIN_RUNNING);
}

/* ---- blocking and polling ---- */

static void a_block_sleeps_unless_something_is_pending(void **state)
{
	(void)state;
	v->arch.info->evtchn_upcall_mask = 1;
	assert_int_equal(hc_sched_op(SCHEDOP_block, 0, 0, 0, 0, 0), 0);
	assert_true(v->blocked);
	assert_int_equal(v->arch.info->evtchn_upcall_mask, 0);
	v->blocked = false;
	v->arch.info->evtchn_upcall_pending = 1;
	assert_int_equal(hc_sched_op(SCHEDOP_block, 0, 0, 0, 0, 0), 0);
	assert_false(v->blocked);
}

static long poll_ports(const u32 *ports, u32 count, u64 timeout_ns)
{
	struct sched_poll op = {
		.nr_ports = count,
		.timeout = timeout_ns,
	};

	op.ports.p = (evtchn_port_t *)(WINDOW + 64);
	memcpy(window + 64, ports, count * sizeof(u32));
	return sched(SCHEDOP_poll, &op, sizeof(op));
}

static void a_poll_ends_with_its_masked_port(void **state)
{
	u32 port = ipi(), other = ipi();

	(void)state;
	assert_int_equal(poll_ports(&port, 1, 0), 0);
	assert_true(v->blocked);
	assert_int_equal(event_send(one, other), 0);
	assert_true(v->blocked);
	assert_int_equal(event_send(one, port), 0);
	assert_false(v->blocked);
	/* Pending already: it does not sleep at all. */
	assert_int_equal(poll_ports(&port, 1, 0), 0);
	assert_false(v->blocked);
	/* Nor later for a port it polled once. */
	one->shared_info->evtchn_pending[0] = 0;
	v->blocked = true;
	assert_int_equal(event_send(one, port), 0);
	assert_true(v->blocked);
}

static void a_poll_of_many_ends_with_any(void **state)
{
	u32 ports[128];

	(void)state;
	for (int i = 0; i < 128; i++)
		ports[i] = ipi();
	assert_int_equal(poll_ports(ports, 128, 0), 0);
	assert_true(v->blocked);
	assert_int_equal(event_send(one, ports[77]), 0);
	assert_false(v->blocked);
	assert_int_equal(poll_ports(ports, 128, 0), 0);
	assert_false(v->blocked);
}

static void a_poll_ends_at_its_time(void **state)
{
	u32 port = ipi();

	(void)state;
	assert_int_equal(poll_ports(&port, 1, 5000), 0);
	assert_true(v->blocked);
	host_clock_ns = 5000;
	timer_run();
	assert_false(v->blocked);
	/* A time that has passed, and an event that could be delivered. */
	assert_int_equal(poll_ports(&port, 1, 4000), 0);
	assert_false(v->blocked);
	v->arch.info->evtchn_upcall_pending = 1;
	assert_int_equal(poll_ports(&port, 1, 0), 0);
	assert_false(v->blocked);
	/* Events are off: only the port counts. */
	v->arch.info->evtchn_upcall_mask = 1;
	assert_int_equal(poll_ports(&port, 1, 9000), 0);
	assert_true(v->blocked);
	/* The next block takes the old timer with it. */
	assert_int_equal(hc_sched_op(SCHEDOP_block, 0, 0, 0, 0, 0), 0);
	assert_false(timer_queued(&v->poll_timer));
}

static void bad_polls_are_refused(void **state)
{
	u32 ports[129] = { 0 };

	(void)state;
	for (int i = 0; i < 129; i++)
		ports[i] = 1;
	assert_int_equal(poll_ports(ports, 129, 0), -EINVAL);
	ports[5] = EVENT_PORTS;
	assert_int_equal(poll_ports(ports, 6, 0), -EINVAL);
	ports[5] = 0;
	assert_int_equal(poll_ports(ports, 6, 0), -EINVAL);
	assert_false(v->blocked);
	assert_false(timer_queued(&v->poll_timer));
}

static void yield_and_shutdown_reach_the_domain(void **state)
{
	struct sched_shutdown s = { .reason = SHUTDOWN_MAX + 1 };
	struct sched_remote_shutdown r = {
		.domain_id = 0,
		.reason = SHUTDOWN_crash,
	};
	unsigned int yields = fake_yields;

	(void)state;
	assert_int_equal(hc_sched_op(SCHEDOP_yield, 0, 0, 0, 0, 0), 0);
	assert_int_equal(fake_yields, yields + 1);
	assert_int_equal(sched(SCHEDOP_shutdown, &s, sizeof(s)), -EINVAL);
	assert_int_equal(sched(SCHEDOP_remote_shutdown, &r, sizeof(r)), -EPERM);
	assert_int_equal(zero->state, DOMAIN_RUNNING);
	s.reason = SHUTDOWN_reboot;
	assert_int_equal(sched(SCHEDOP_shutdown_code, &s, sizeof(s)), 0);
	assert_int_equal(one->state, DOMAIN_RUNNING);
	assert_int_equal(one->shutdown_code, SHUTDOWN_reboot);
	s.reason = SHUTDOWN_suspend;
	assert_int_equal(sched(SCHEDOP_shutdown, &s, sizeof(s)), 0);
	assert_int_equal(one->state, DOMAIN_SHUT_DOWN);
	assert_int_equal(one->shutdown_code, SHUTDOWN_suspend);
	one->state = DOMAIN_RUNNING;
	fake_become(zero, 0);
	r.domain_id = 5;
	assert_int_equal(sched(SCHEDOP_remote_shutdown, &r, sizeof(r)), -ESRCH);
	r.domain_id = 1;
	assert_int_equal(sched(SCHEDOP_remote_shutdown, &r, sizeof(r)), 0);
	assert_int_equal(one->shutdown_code, SHUTDOWN_crash);
}

static void set_timer_sets_and_cancels(void **state)
{
	struct evtchn_bind_virq op = { .virq = VIRQ_TIMER };

	(void)state;
	assert_int_equal(event_op(EVTCHNOP_bind_virq, &op, sizeof(op)), 0);
	assert_int_equal(hc_set_timer_op(3000, 0, 0, 0, 0, 0), 0);
	assert_true(timer_queued(&v->singleshot));
	assert_int_equal(hc_set_timer_op(0, 0, 0, 0, 0, 0), 0);
	assert_false(timer_queued(&v->singleshot));
	assert_int_equal(hc_set_timer_op(1, 0, 0, 0, 0, 0), 0);
	assert_true(event_port_pending(one, op.port));
}

/* ---- grants ---- */

static void the_table_is_set_up_and_described(void **state)
{
	struct gnttab_query_size q = { .dom = DOMID_SELF };
	struct gnttab_setup_table s = { .dom = DOMID_SELF, .nr_frames = 3 };
	struct gnttab_get_version ver = { .dom = DOMID_SELF };
	u64 *list = (u64 *)(window + 256);

	(void)state;
	s.frame_list.p = (xen_pfn_t *)(WINDOW + 256);
	memcpy(window, &s, sizeof(s));
	assert_int_equal(
		hc_grant_table_op(GNTTABOP_setup_table, WINDOW, 1, 0, 0, 0), 0);
	memcpy(&s, window, sizeof(s));
	assert_int_equal(s.status, GNTST_okay);
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(list[i], grant_frame_mfn(one, i));
	assert_int_equal(list[3], 0);

	memcpy(window, &q, sizeof(q));
	assert_int_equal(
		hc_grant_table_op(GNTTABOP_query_size, WINDOW, 1, 0, 0, 0), 0);
	memcpy(&q, window, sizeof(q));
	assert_int_equal(q.nr_frames, 3);
	assert_int_equal(q.max_nr_frames, GRANT_MAX_FRAMES);
	memcpy(window, &ver, sizeof(ver));
	assert_int_equal(
		hc_grant_table_op(GNTTABOP_get_version, WINDOW, 1, 0, 0, 0), 0);
	memcpy(&ver, window, sizeof(ver));
	assert_int_equal(ver.version, 1);

	s.nr_frames = GRANT_MAX_FRAMES + 1;
	memcpy(window, &s, sizeof(s));
	assert_int_equal(
		hc_grant_table_op(GNTTABOP_setup_table, WINDOW, 1, 0, 0, 0), 0);
	memcpy(&s, window, sizeof(s));
	assert_int_equal(s.status, GNTST_general_error);
	/* Another domain's table is Domain 0's business. */
	s.dom = 0;
	s.nr_frames = 1;
	memcpy(window, &s, sizeof(s));
	assert_int_equal(
		hc_grant_table_op(GNTTABOP_setup_table, WINDOW, 1, 0, 0, 0), 0);
	memcpy(&s, window, sizeof(s));
	assert_int_equal(s.status, GNTST_permission_denied);
	assert_int_equal(
		hc_grant_table_op(GNTTABOP_setup_table, WINDOW, 2, 0, 0, 0),
		-EINVAL);
}

static void long_batches_restart_where_they_stopped(void **state)
{
	static struct gnttab_copy ops[1300];
	u64 a = fake_frame(one), b = fake_frame(one);
	u64 addr = WINDOW, left = 1300;
	u8 *src = mfn_to_virt(a), *dst = mfn_to_virt(b);
	unsigned int per_call =
		(HYPERCALL_BUDGET + COST_GRANT - 1) / COST_GRANT;
	unsigned int calls = 0;
	long rc;

	(void)state;
	for (u32 i = 0; i < 1300; i++) {
		src[i] = (u8)(i * 13 + 1);
		ops[i] = (struct gnttab_copy){
			.source = { .u.gmfn = a,
				    .domid = DOMID_SELF,
				    .offset = (u16)i },
			.dest = { .u.gmfn = b,
				  .domid = DOMID_SELF,
				  .offset = (u16)i },
			.len = 1,
			.status = 7,
		};
	}
	assert_true(sizeof(ops) <= sizeof(window));
	memcpy(window, ops, sizeof(ops));
	do {
		rc = hc_grant_table_op(GNTTABOP_copy, addr, left, 0, 0, 0);
		calls++;
		if (rc != -ERESTART)
			break;
		assert_true(v->arch.regs.rdx < left);
		addr = v->arch.regs.rsi;
		left = v->arch.regs.rdx;
	} while (calls < 1300);
	assert_int_equal(rc, 0);
	/* Each call takes elements until the budget is used up. */
	assert_int_equal(calls, (1300 + per_call - 1) / per_call);
	memcpy(ops, window, sizeof(ops));
	for (u32 i = 0; i < 1300; i++)
		assert_int_equal(ops[i].status, GNTST_okay);
	assert_memory_equal(src, dst, 1300);
}

static void a_batch_stops_at_the_end_of_memory(void **state)
{
	struct gnttab_copy op = { .len = 0 };
	u64 last = WINDOW + sizeof(window) - sizeof(op);

	(void)state;
	memcpy(window + sizeof(window) - sizeof(op), &op, sizeof(op));
	assert_int_equal(hc_grant_table_op(GNTTABOP_copy, last, 2, 0, 0, 0),
			 -EFAULT);
	assert_int_equal(hc_grant_table_op(GNTTABOP_copy, last, 0, 0, 0, 0), 0);
	assert_int_equal(
		hc_grant_table_op(GNTTABOP_unmap_grant_ref, last, 5, 0, 0, 0),
		-EFAULT);
	assert_int_equal(
		hc_grant_table_op(GNTTABOP_map_grant_ref, ~0UL, 5, 0, 0, 0),
		-EFAULT);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arguments_travel_both_ways),
		TEST(bad_addresses_and_unknown_commands_fail),
		TEST(a_block_sleeps_unless_something_is_pending),
		TEST(a_poll_ends_with_its_masked_port),
		TEST(a_poll_of_many_ends_with_any),
		TEST(a_poll_ends_at_its_time),
		TEST(bad_polls_are_refused),
		TEST(yield_and_shutdown_reach_the_domain),
		TEST(set_timer_sets_and_cancels),
		TEST(the_table_is_set_up_and_described),
		TEST(long_batches_restart_where_they_stopped),
		TEST(a_batch_stops_at_the_end_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
