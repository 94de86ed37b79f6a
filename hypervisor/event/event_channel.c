/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations on event channels (contract in hv/event.h). A channel
 * between two domains is a pair of ports that name each other; both change
 * only with both locks held, so either lock alone keeps the pair together.
 */
#include <hv/errno.h>
#include <hv/mm.h>

#include "event_table.h"

/* The domain that the caller may act for; NULL: *rc says why not. */
static struct domain *target(u16 domid, int *rc)
{
	struct domain *d = current_domain();

	if (domid == DOMID_SELF || domid == d->id)
		return d;
	if (!d->privileged) {
		*rc = -EPERM;
		return NULL;
	}
	d = domain_find(domid);
	if (!d)
		*rc = -ESRCH;
	return d;
}

int event_alloc_unbound_for(struct domain *d, u16 remote, u32 *port)
{
	struct event_port *p;
	int rc;

	spin_lock(&d->events->lock);
	rc = event_port_alloc(d, port, &p);
	if (!rc) {
		__atomic_store_n(&p->state, PORT_UNBOUND, __ATOMIC_RELAXED);
		p->remote_domid = remote;
	}
	spin_unlock(&d->events->lock);
	return rc;
}

int event_alloc_unbound(struct evtchn_alloc_unbound *op)
{
	u16 remote = op->remote_dom;
	struct domain *d;
	int rc = 0;

	d = target(op->dom, &rc);
	if (!d)
		return rc;
	if (remote == DOMID_SELF)
		remote = current_domain()->id;
	return event_alloc_unbound_for(d, remote, &op->port);
}

int event_bind_interdomain(struct evtchn_bind_interdomain *op)
{
	struct domain *d = current_domain();
	struct domain *r =
		op->remote_dom == DOMID_SELF ? d : domain_find(op->remote_dom);
	struct event_port *local, *remote;
	struct vcpu *kick = NULL;
	u32 port;
	int rc;

	if (!r)
		return -ESRCH;
	spin_lock_both(&d->events->lock, &r->events->lock);
	/* Checked before the allocation: nothing to undo. */
	remote = event_port(r->events, op->remote_port);
	if (!remote || remote->state != PORT_UNBOUND ||
	    remote->remote_domid != d->id) {
		rc = -EINVAL;
		goto out;
	}
	rc = event_port_alloc(d, &port, &local);
	if (rc)
		goto out;
	__atomic_store_n(&local->state, PORT_INTERDOMAIN, __ATOMIC_RELAXED);
	local->remote_domid = r->id;
	local->remote_port = op->remote_port;
	local->peer = r;
	__atomic_store_n(&remote->state, PORT_INTERDOMAIN, __ATOMIC_RELAXED);
	remote->remote_port = port;
	remote->peer = d;
	/* The other end may have sent while nobody was bound. */
	kick = event_set_pending(d, port, local);
	op->local_port = port;
out:
	spin_unlock_both(&d->events->lock, &r->events->lock);
	event_kick(kick);
	return rc;
}

int event_bind_ipi(struct evtchn_bind_ipi *op)
{
	struct domain *d = current_domain();
	struct event_port *p;
	int rc;

	if (op->vcpu >= d->vcpu_count)
		return -ENOENT;
	spin_lock(&d->events->lock);
	rc = event_port_alloc(d, &op->port, &p);
	if (!rc) {
		__atomic_store_n(&p->state, PORT_IPI, __ATOMIC_RELAXED);
		p->vcpu = (u8)op->vcpu;
	}
	spin_unlock(&d->events->lock);
	return rc;
}

/* Unties an open port that is not PORT_INTERDOMAIN, or whose peer's lock is
 * held too, and frees it. */
static void close_locked(struct domain *d, u32 port, struct event_port *p)
{
	struct event_port *remote;

	switch (p->state) {
	case PORT_INTERDOMAIN:
		remote = event_port(p->peer->events, p->remote_port);
		__atomic_store_n(&remote->state, PORT_UNBOUND,
				 __ATOMIC_RELAXED);
		remote->remote_domid = d->id;
		remote->peer = NULL;
		break;
	case PORT_BACKEND:
		p->backend->port = 0;
		break;
	case PORT_VIRQ:
		for (u32 i = 0; i < d->vcpu_count; i++) {
			u16 *bound = &d->vcpus[i]->virq_port[p->virq];

			if (*bound == port)
				*bound = 0;
		}
		break;
	default:
		break;
	}
	event_port_free(d, port, p);
}

int event_close(struct domain *d, u32 port)
{
	struct spinlock *mine = &d->events->lock;
	struct event_port *p;
	struct domain *peer = d; /* whose lock is held besides d's */
	int rc = 0;

	/* The peer is known only under d's lock, and its lock may have to be
	 * taken first: then look again. */
	for (;;) {
		struct domain *found = d;

		spin_lock_both(mine, &peer->events->lock);
		p = event_port(d->events, port);
		if (p && p->state == PORT_INTERDOMAIN)
			found = p->peer;
		if (found == d || found == peer)
			break;
		spin_unlock_both(mine, &peer->events->lock);
		peer = found;
	}
	if (!p || p->state == PORT_FREE)
		rc = -EINVAL;
	else
		close_locked(d, port, p);
	spin_unlock_both(mine, &peer->events->lock);
	return rc;
}

int event_send(struct domain *d, u32 port)
{
	struct event_table *t = d->events;
	struct vcpu *kick = NULL;
	struct event_port *p;
	int rc = 0;

	spin_lock(&t->lock);
	p = event_port(t, port);
	switch (p ? p->state : PORT_FREE) {
	case PORT_INTERDOMAIN:
		kick = event_set_pending(
			p->peer, p->remote_port,
			event_port(p->peer->events, p->remote_port));
		break;
	case PORT_IPI:
		kick = event_set_pending(d, port, p);
		break;
	case PORT_BACKEND:
		p->backend->notify(p->backend);
		break;
	case PORT_UNBOUND:
		/* Nobody is there to hear it, which is no error. */
		break;
	default:
		rc = -EINVAL;
		break;
	}
	spin_unlock(&t->lock);
	event_kick(kick);
	return rc;
}

static void describe(const struct event_port *p, struct evtchn_status *op)
{
	op->vcpu = p->vcpu;
	switch (p->state) {
	case PORT_UNBOUND:
		op->status = EVTCHNSTAT_unbound;
		op->u.unbound.dom = p->remote_domid;
		break;
	case PORT_INTERDOMAIN:
		op->status = EVTCHNSTAT_interdomain;
		op->u.interdomain.dom = p->peer->id;
		op->u.interdomain.port = p->remote_port;
		break;
	case PORT_BACKEND:
		op->status = EVTCHNSTAT_interdomain;
		op->u.interdomain.dom = DOMID_BACKEND;
		op->u.interdomain.port = 0;
		break;
	case PORT_VIRQ:
		op->status = EVTCHNSTAT_virq;
		op->u.virq = p->virq;
		break;
	case PORT_IPI:
		op->status = EVTCHNSTAT_ipi;
		break;
	default:
		op->status = EVTCHNSTAT_closed;
		break;
	}
}

int event_status(struct evtchn_status *op)
{
	struct event_port *p;
	struct domain *d;
	int rc = 0;

	d = target(op->dom, &rc);
	if (!d)
		return rc;
	if (op->port >= EVENT_PORTS)
		return -EINVAL;
	spin_lock(&d->events->lock);
	p = event_port(d->events, op->port);
	if (p) {
		describe(p, op);
	} else {
		op->status = EVTCHNSTAT_closed;
		op->vcpu = 0;
	}
	spin_unlock(&d->events->lock);
	return 0;
}

int event_bind_vcpu(struct domain *d, u32 port, u32 vcpu)
{
	struct event_port *p;
	int rc = 0;

	if (vcpu >= d->vcpu_count)
		return -ENOENT;
	spin_lock(&d->events->lock);
	p = event_port(d->events, port);
	switch (p ? p->state : PORT_FREE) {
	case PORT_VIRQ:
		if (!virq_is_global(p->virq)) {
			rc = -EINVAL;
			break;
		}
		WRITE_ONCE(p->vcpu, (u8)vcpu);
		break;
	case PORT_UNBOUND:
	case PORT_INTERDOMAIN:
	case PORT_BACKEND:
		WRITE_ONCE(p->vcpu, (u8)vcpu);
		break;
	default:
		rc = -EINVAL;
		break;
	}
	spin_unlock(&d->events->lock);
	return rc;
}

int event_unmask(struct domain *d, u32 port)
{
	struct shared_info *s = d->shared_info;
	struct vcpu *kick = NULL;
	struct event_port *p;
	u64 bit = 1UL << (port % 64);
	int rc = 0;

	spin_lock(&d->events->lock);
	p = event_port(d->events, port);
	if (!p || p->state == PORT_FREE)
		rc = -EINVAL;
	else if ((__atomic_fetch_and(&s->evtchn_mask[port / 64], ~bit,
				     __ATOMIC_SEQ_CST) &
		  bit) &&
		 event_port_pending(d, port))
		kick = event_deliver(d, port, p);
	spin_unlock(&d->events->lock);
	event_kick(kick);
	return rc;
}

int event_reset(u16 domid, int *budget)
{
	struct domain *d;
	int rc = 0;

	d = target(domid, &rc);
	return d ? event_domain_exit(d, budget) : rc;
}
