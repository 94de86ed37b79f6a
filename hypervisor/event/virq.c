/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual interrupts (contract in hv/event.h). v->virq_port, guarded by the
 * domain's event lock, leads from a VIRQ to its port; a global one is kept
 * with vCPU 0, wherever its port is delivered.
 */
#include <hv/errno.h>

#include <xeno/vcpu_ext.h>

#include "event_table.h"

bool virq_is_global(u32 virq)
{
	switch (virq) {
	case VIRQ_TIMER:
	case VIRQ_DEBUG:
	case VIRQ_XENOPROF:
	case VIRQ_XENPMU:
	case XENO_VIRQ_VIRTUAL_TIMER:
		return false;
	default:
		return true;
	}
}

int event_bind_virq(struct evtchn_bind_virq *op)
{
	struct domain *d = current_domain();
	struct event_port *p;
	u16 *bound;
	int rc;

	if (op->virq >= NR_VIRQS)
		return -EINVAL;
	if (virq_is_global(op->virq) && op->vcpu != 0)
		return -EINVAL;
	if (op->vcpu >= d->vcpu_count)
		return -ENOENT;
	bound = &d->vcpus[op->vcpu]->virq_port[op->virq];
	spin_lock(&d->events->lock);
	rc = *bound ? -EEXIST : event_port_alloc(d, &op->port, &p);
	if (!rc) {
		__atomic_store_n(&p->state, PORT_VIRQ, __ATOMIC_RELAXED);
		p->vcpu = (u8)op->vcpu;
		p->virq = op->virq;
		*bound = (u16)op->port;
	}
	spin_unlock(&d->events->lock);
	return rc;
}

static void raise_virq(struct vcpu *keeper, u32 virq)
{
	struct domain *d = keeper->domain;
	struct event_table *t = d->events;
	struct vcpu *kick = NULL;
	u32 port;

	spin_lock(&t->lock);
	port = keeper->virq_port[virq];
	if (port)
		kick = event_set_pending(d, port, event_port(t, port));
	spin_unlock(&t->lock);
	event_kick(kick);
}

void event_virq_vcpu(struct vcpu *v, u32 virq)
{
	raise_virq(v, virq);
}

void event_virq_global(struct domain *d, u32 virq)
{
	raise_virq(d->vcpus[0], virq);
}
