/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does SCHEDOP_poll wait for ports and timeouts as told?
 * Rule:     returns 0 at once for a pending port (masked or not), else at the
 *           timeout; too many ports and bad ports are refused.
 * Source:   guest-abi.md 10, pitfall 14, checklist 34.
 * Expected: pending: under 50 ms; timeout 20 ms kept; 129 ports -EINVAL, bad
 *           pointers -EFAULT.
 */
#include "xt.h"

static evtchn_port_t ports[130];

static long poll(u32 n, const void *list, u64 deadline_ns)
{
	struct sched_poll arg = { .nr_ports = n, .timeout = deadline_ns };

	set_xen_guest_handle(arg.ports, (evtchn_port_t *)list);
	return sched_op(SCHEDOP_poll, &arg);
}

void test_main(void)
{
	u32 port = (u32)bind_ipi(0);
	u64 start = now_ns(), took;

	check_eq(poll_port(port, start + MS(20)), 0);
	took = now_ns() - start;
	check(took >= MS(20) && took < MS(500), "timeout took %lu ns", took);
	mask_event(port);
	check_eq(send_event(port), 0);
	start = now_ns();
	check_eq(poll_port(port, start + MS(1000)), 0);
	check(now_ns() - start < MS(50), "pending masked port: waited");
	check(event_pending(port), "poll consumed the event");
	clear_event(port);
	check_eq(poll(0, ports, now_ns() + MS(5)), 0);
	check_eq(poll(129, ports, 1), -XEN_EINVAL);
	check_eq(poll(~0U, ports, 1), -XEN_EINVAL);
	check_eq(poll(1, (void *)HV_START, 1), -XEN_EFAULT);
	check_eq(poll(1, (void *)NONCANONICAL, 1), -XEN_EFAULT);
	ports[0] = 4096;
	check_eq(poll(1, ports, now_ns() + MS(5)), -XEN_EINVAL);
	ports[0] = ~0U;
	check_eq(poll(1, ports, now_ns() + MS(5)), -XEN_EINVAL);
	check_eq(sched_op(SCHEDOP_poll, (void *)HV_START), -XEN_EFAULT);
	start = now_ns();
	check_eq(poll_port(port, 1), 0);
	check(now_ns() - start < MS(100), "past timeout waited");
	pass("timeout of 20 ms took %lu us", took / 1000);
}
