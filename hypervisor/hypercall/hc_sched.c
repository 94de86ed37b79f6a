/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_op and set_timer_op. Blocking: the vCPU is marked first, then the
 * condition is looked at again; whoever changes the condition looks at the
 * mark afterwards, so no wake-up is lost. vcpu_kick takes the mark back.
 */
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/guest_access.h>
#include <hv/hypercall.h>
#include <hv/vcpu_timer.h>

#include <arch/clock.h>

#include <xen/sched.h>

#define POLL_PORTS_MAX 128

/* A poll that ended for another reason than its port or timer leaves them. */
static void end_last_poll(struct vcpu *v)
{
	event_poll_end(v);
	if (timer_queued(&v->poll_timer))
		timer_stop(&v->poll_timer);
}

static long block(void)
{
	struct vcpu *v = current_vcpu();
	struct vcpu_info *info = v->arch.info;

	end_last_poll(v);
	WRITE_ONCE(info->evtchn_upcall_mask, 0);
	vcpu_block_current();
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (READ_ONCE(info->evtchn_upcall_pending))
		vcpu_kick(v);
	return 0;
}

static bool poll_over(const struct vcpu *v, const u32 *ports, u32 count)
{
	const struct vcpu_info *info = v->arch.info;

	for (u32 i = 0; i < count; i++) {
		if (event_port_pending(v->domain, ports[i]))
			return true;
	}
	return READ_ONCE(info->evtchn_upcall_pending) &&
	       !READ_ONCE(info->evtchn_upcall_mask);
}

static long poll(u64 arg)
{
	struct vcpu *v = current_vcpu();
	u32 ports[POLL_PORTS_MAX];
	struct sched_poll op;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	if (op.nr_ports > POLL_PORTS_MAX)
		return -EINVAL;
	if (guest_copy_in(ports, (u64)op.ports.p, op.nr_ports * sizeof(u32)))
		return -EFAULT;
	for (u32 i = 0; i < op.nr_ports; i++) {
		if (ports[i] == 0 || ports[i] >= EVENT_PORTS)
			return -EINVAL;
	}
	end_last_poll(v);
	if (op.timeout && op.timeout <= clock_now_ns())
		return 0;

	event_poll_begin(v, op.nr_ports == 1 ? ports[0] : 0);
	if (op.timeout)
		timer_set(&v->poll_timer, op.timeout);
	vcpu_block_current();
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (poll_over(v, ports, op.nr_ports)) {
		end_last_poll(v);
		vcpu_kick(v);
	}
	return 0;
}

static long shut_down(u64 arg, bool now)
{
	struct domain *d = current_domain();
	struct sched_shutdown op;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	if (op.reason > SHUTDOWN_MAX)
		return -EINVAL;
	if (now)
		domain_shutdown(d, op.reason);
	else
		WRITE_ONCE(d->shutdown_code, op.reason);
	return 0;
}

static long remote_shutdown(u64 arg)
{
	struct sched_remote_shutdown op;
	struct domain *d;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	if (!current_domain()->privileged)
		return -EPERM;
	if (op.reason > SHUTDOWN_MAX)
		return -EINVAL;
	d = domain_find(op.domain_id);
	if (!d)
		return -ESRCH;
	domain_shutdown(d, op.reason);
	return 0;
}

long hc_sched_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6)
{
	(void)a3, (void)a4, (void)a5, (void)a6;
	switch ((u32)cmd) {
	case SCHEDOP_yield:
		vcpu_yield_current();
		return 0;
	case SCHEDOP_block:
		return block();
	case SCHEDOP_poll:
		return poll(arg);
	case SCHEDOP_shutdown:
		return shut_down(arg, true);
	case SCHEDOP_shutdown_code:
		return shut_down(arg, false);
	case SCHEDOP_remote_shutdown:
		return remote_shutdown(arg);
	default:
		/* Among them watchdog and pin_override: no such service. */
		return -ENOSYS;
	}
}

long hc_set_timer_op(u64 timeout_ns, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct vcpu *v = current_vcpu();

	(void)a2, (void)a3, (void)a4, (void)a5, (void)a6;
	if (timeout_ns)
		vcpu_singleshot_set(v, timeout_ns);
	else
		timer_stop(&v->singleshot);
	return 0;
}
