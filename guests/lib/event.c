/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c - two-level event channels.
 */
#include "xt.h"

volatile u32 event_count[MAX_PORTS];

static bool test_bit(const xen_ulong_t *map, u32 bit)
{
	return READ_ONCE(map[bit / 64]) >> (bit % 64) & 1;
}

bool event_pending(u32 port)
{
	return test_bit(shared_info->evtchn_pending, port);
}

bool event_masked(u32 port)
{
	return test_bit(shared_info->evtchn_mask, port);
}

void mask_event(u32 port)
{
	__atomic_fetch_or(&shared_info->evtchn_mask[port / 64],
			  1UL << (port % 64), __ATOMIC_SEQ_CST);
}

void unmask_event(u32 port)
{
	struct evtchn_unmask arg = { .port = port };

	check_eq(event_op(EVTCHNOP_unmask, &arg), 0);
}

void clear_event(u32 port)
{
	__atomic_fetch_and(&shared_info->evtchn_pending[port / 64],
			   ~(1UL << (port % 64)), __ATOMIC_SEQ_CST);
}

void event_upcall(void)
{
	struct vcpu_info *vi = this_cpu()->vi;
	xen_ulong_t words;

	WRITE_ONCE(vi->evtchn_upcall_pending, 0);
	words = __atomic_exchange_n(&vi->evtchn_pending_sel, 0,
				    __ATOMIC_SEQ_CST);
	for (; words; words &= words - 1) {
		u32 w = (u32)__builtin_ctzl(words);
		xen_ulong_t bits = READ_ONCE(shared_info->evtchn_pending[w]) &
				   ~READ_ONCE(shared_info->evtchn_mask[w]);

		for (; bits; bits &= bits - 1) {
			u32 port = w * 64 + (u32)__builtin_ctzl(bits);

			clear_event(port);
			event_count[port]++;
		}
	}
}

void events_on(void)
{
	struct vcpu_info *vi = this_cpu()->vi;

	WRITE_ONCE(vi->evtchn_upcall_mask, 0);
	barrier();
	if (READ_ONCE(vi->evtchn_upcall_pending))
		xen_version(XENVER_version, NULL);
}

void events_off(void)
{
	WRITE_ONCE(this_cpu()->vi->evtchn_upcall_mask, 1);
	barrier();
}

long send_event(u32 port)
{
	struct evtchn_send arg = { .port = port };

	return event_op(EVTCHNOP_send, &arg);
}

long close_event(u32 port)
{
	struct evtchn_close arg = { .port = port };

	return event_op(EVTCHNOP_close, &arg);
}

long bind_virq(u32 virq, u32 vcpu)
{
	struct evtchn_bind_virq arg = { .virq = virq, .vcpu = vcpu };
	long rc = event_op(EVTCHNOP_bind_virq, &arg);

	return rc ? rc : (long)arg.port;
}

long bind_ipi(u32 vcpu)
{
	struct evtchn_bind_ipi arg = { .vcpu = vcpu };
	long rc = event_op(EVTCHNOP_bind_ipi, &arg);

	return rc ? rc : (long)arg.port;
}

long alloc_unbound(u32 domid, u32 remote)
{
	struct evtchn_alloc_unbound arg = {
		.dom = (domid_t)domid,
		.remote_dom = (domid_t)remote,
	};
	long rc = event_op(EVTCHNOP_alloc_unbound, &arg);

	return rc ? rc : (long)arg.port;
}

long bind_interdomain(u32 domid, u32 remote_port)
{
	struct evtchn_bind_interdomain arg = {
		.remote_dom = (domid_t)domid,
		.remote_port = remote_port,
	};
	long rc = event_op(EVTCHNOP_bind_interdomain, &arg);

	return rc ? rc : (long)arg.local_port;
}

long poll_port(u32 port, u64 deadline_ns)
{
	evtchn_port_t ports[1] = { port };
	struct sched_poll arg = { .nr_ports = 1, .timeout = deadline_ns };

	set_xen_guest_handle(arg.ports, ports);
	return sched_op(SCHEDOP_poll, &arg);
}

long set_singleshot(u64 deadline_ns)
{
	struct vcpu_set_singleshot_timer arg = {
		.timeout_abs_ns = deadline_ns,
	};

	return vcpu_op(VCPUOP_set_singleshot_timer, this_cpu()->id, &arg);
}
