/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_channel_op: copies arguments in and results out. An operation whose
 * result cannot be copied out is undone, as far as it made a port.
 */
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/guest_access.h>
#include <hv/hypercall.h>

static long alloc_unbound(u64 arg)
{
	struct evtchn_alloc_unbound op;
	struct domain *d;
	int rc;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	rc = event_alloc_unbound(&op);
	if (rc)
		return rc;
	if (!guest_copy_out(arg, &op, sizeof(op)))
		return 0;
	d = domain_find(op.dom);
	if (d)
		rc = event_close(d, op.port);
	return rc ? rc : -EFAULT;
}

/* The copy of a new port to the guest failed. */
static long give_back(u32 port)
{
	int rc = event_close(current_domain(), port);

	return rc ? rc : -EFAULT;
}

static long bind_interdomain(u64 arg)
{
	struct evtchn_bind_interdomain op;
	int rc;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	rc = event_bind_interdomain(&op);
	if (!rc && guest_copy_out(arg, &op, sizeof(op)))
		return give_back(op.local_port);
	return rc;
}

static long bind_virq(u64 arg)
{
	struct evtchn_bind_virq op;
	int rc;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	rc = event_bind_virq(&op);
	if (!rc && guest_copy_out(arg, &op, sizeof(op)))
		return give_back(op.port);
	return rc;
}

static long bind_ipi(u64 arg)
{
	struct evtchn_bind_ipi op;
	int rc;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	rc = event_bind_ipi(&op);
	if (!rc && guest_copy_out(arg, &op, sizeof(op)))
		return give_back(op.port);
	return rc;
}

static long status(u64 arg)
{
	struct evtchn_status op;
	int rc;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	rc = event_status(&op);
	if (!rc && guest_copy_out(arg, &op, sizeof(op)))
		return -EFAULT;
	return rc;
}

static long bind_vcpu(u64 arg)
{
	struct evtchn_bind_vcpu op;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	return event_bind_vcpu(current_domain(), op.port, op.vcpu);
}

static long reset(u64 arg)
{
	int budget = HYPERCALL_BUDGET;
	struct evtchn_reset op;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	return event_reset(op.dom, &budget);
}

/* close, send and unmask take nothing but a port. */
static long on_port(u64 arg, int (*fn)(struct domain *d, u32 port))
{
	u32 port;

	if (guest_copy_in(&port, arg, sizeof(port)))
		return -EFAULT;
	return fn(current_domain(), port);
}

long hc_event_channel_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6)
{
	(void)a3, (void)a4, (void)a5, (void)a6;
	switch ((u32)cmd) {
	case EVTCHNOP_send:
		return on_port(arg, event_send);
	case EVTCHNOP_unmask:
		return on_port(arg, event_unmask);
	case EVTCHNOP_close:
		return on_port(arg, event_close);
	case EVTCHNOP_alloc_unbound:
		return alloc_unbound(arg);
	case EVTCHNOP_bind_interdomain:
		return bind_interdomain(arg);
	case EVTCHNOP_bind_virq:
		return bind_virq(arg);
	case EVTCHNOP_bind_ipi:
		return bind_ipi(arg);
	case EVTCHNOP_status:
		return status(arg);
	case EVTCHNOP_bind_vcpu:
		return bind_vcpu(arg);
	case EVTCHNOP_reset:
		return reset(arg);
	default:
		/* Physical IRQs belong to the hypervisor; the FIFO ABI is not
		 * offered, and guests fall back to this one. */
		return -ENOSYS;
	}
}
