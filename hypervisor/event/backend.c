/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports whose other end is a device back end of the hypervisor (contract in
 * hv/event.h). The guest sees a channel to DOMID_BACKEND.
 */
#include <hv/errno.h>

#include "event_table.h"

int event_backend_bind(struct event_backend *b, struct domain *d, u32 port,
		       void (*notify)(struct event_backend *b))
{
	struct event_port *p;
	int rc = -EINVAL;

	spin_lock(&d->events->lock);
	p = event_port(d->events, port);
	if (p && p->state == PORT_UNBOUND && p->remote_domid == DOMID_BACKEND) {
		*b = (struct event_backend){
			.notify = notify,
			.domain = d,
			.port = port,
		};
		__atomic_store_n(&p->state, PORT_BACKEND, __ATOMIC_RELAXED);
		p->backend = b;
		rc = 0;
	}
	spin_unlock(&d->events->lock);
	return rc;
}

void event_backend_unbind(struct event_backend *b)
{
	struct event_table *t;
	struct event_port *p;

	if (!b->domain)
		return;
	t = b->domain->events;
	spin_lock(&t->lock);
	if (b->port) {
		p = event_port(t, b->port);
		__atomic_store_n(&p->state, PORT_UNBOUND, __ATOMIC_RELAXED);
		p->remote_domid = DOMID_BACKEND;
		p->backend = NULL;
		b->port = 0;
	}
	spin_unlock(&t->lock);
}

void event_backend_send(struct event_backend *b)
{
	struct event_table *t = b->domain->events;
	struct vcpu *kick = NULL;

	spin_lock(&t->lock);
	if (b->port)
		kick = event_set_pending(b->domain, b->port,
					 event_port(t, b->port));
	spin_unlock(&t->lock);
	event_kick(kick);
}
