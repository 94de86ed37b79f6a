/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where ports live and how an event becomes pending (contract in
 * event_table.h). shared_info and vcpu_info are the guest's to scribble on:
 * each word is changed by one atomic operation and nothing read from them is
 * used as an index.
 */
#include "event_table.h"

#include <hv/errno.h>
#include <hv/mm.h>

/* Of the budget of event_domain_exit, whose unit is a page-table entry. */
#define CLOSE_COST 3

struct event_port *event_port(const struct event_table *t, u32 port)
{
	struct event_port *page;

	if (port == 0 || port >= EVENT_PORTS)
		return NULL;
	if (port < EVENT_INLINE_PORTS)
		return (struct event_port *)&t->ports[port];
	port -= EVENT_INLINE_PORTS;
	page = t->pages[port / EVENT_PAGE_PORTS];
	return page ? &page[port % EVENT_PAGE_PORTS] : NULL;
}

int event_port_alloc(struct domain *d, u32 *port, struct event_port **out)
{
	struct event_table *t = d->events;
	struct event_port *p = NULL;
	u32 n;

	if (READ_ONCE(d->owner.dying))
		return -ESRCH;
	/* Every port names the vCPU that hears it. */
	if (!READ_ONCE(d->vcpu_count))
		return -EINVAL;
	for (n = t->lowest_free; n < EVENT_PORTS; n++) {
		p = event_port(t, n);
		if (!p || p->state == PORT_FREE)
			break;
	}
	if (n == EVENT_PORTS)
		return -ENOSPC;
	if (!p) {
		u32 i = (n - EVENT_INLINE_PORTS) / EVENT_PAGE_PORTS;

		t->pages[i] = state_page_alloc(&d->owner);
		if (!t->pages[i])
			return -ENOMEM;
		p = event_port(t, n);
	}
	t->lowest_free = n;
	*p = (struct event_port){ .state = PORT_FREE };
	*port = n;
	*out = p;
	return 0;
}

void event_port_free(struct domain *d, u32 port, struct event_port *p)
{
	struct event_table *t = d->events;
	u64 bit = 1UL << (port % 64);

	/* The next user of the port starts without the last one's event. */
	__atomic_fetch_and(&d->shared_info->evtchn_pending[port / 64], ~bit,
			   __ATOMIC_RELAXED);
	__atomic_store_n(&p->state, PORT_FREE, __ATOMIC_RELAXED);
	p->peer = NULL;
	t->lowest_free = MIN(t->lowest_free, port);
}

static void wake_pollers(struct domain *d, u32 port)
{
	u32 mask = __atomic_load_n(&d->events->polling, __ATOMIC_RELAXED);

	for (; mask; mask &= mask - 1) {
		struct vcpu *v = d->vcpus[__builtin_ctz(mask)];
		u32 polled = READ_ONCE(v->poll_port);

		if (polled == 0 || polled == port) {
			event_poll_end(v);
			vcpu_kick(v);
		}
	}
}

struct vcpu *event_deliver(struct domain *d, u32 port,
			   const struct event_port *p)
{
	struct vcpu *v = d->vcpus[READ_ONCE(p->vcpu)];
	struct vcpu_info *info = READ_ONCE(v->arch.info);
	u64 selector = 1UL << (port / 64);

	if (__atomic_fetch_or(&info->evtchn_pending_sel, selector,
			      __ATOMIC_SEQ_CST) &
	    selector)
		return NULL;
	/* Last: the guest clears it before it reads the selector. */
	__atomic_store_n(&info->evtchn_upcall_pending, 1, __ATOMIC_SEQ_CST);
	return v;
}

struct vcpu *event_set_pending(struct domain *d, u32 port,
			       const struct event_port *p)
{
	struct shared_info *s = d->shared_info;
	struct vcpu *v = NULL;
	u64 bit = 1UL << (port % 64);

	if (__atomic_fetch_or(&s->evtchn_pending[port / 64], bit,
			      __ATOMIC_SEQ_CST) &
	    bit)
		return NULL;
	if (!(READ_ONCE(s->evtchn_mask[port / 64]) & bit))
		v = event_deliver(d, port, p);
	/* Against event_poll_begin: it sets its bit, then looks at pending. */
	if (unlikely(READ_ONCE(d->events->polling)))
		wake_pollers(d, port);
	return v;
}

bool event_port_pending(const struct domain *d, u32 port)
{
	u64 bit = 1UL << (port % 64);

	return port < EVENT_PORTS &&
	       READ_ONCE(d->shared_info->evtchn_pending[port / 64]) & bit;
}

void event_poll_begin(struct vcpu *v, u32 port)
{
	WRITE_ONCE(v->poll_port, port);
	__atomic_fetch_or(&v->domain->events->polling, 1U << v->id,
			  __ATOMIC_SEQ_CST);
}

void event_poll_end(struct vcpu *v)
{
	__atomic_fetch_and(&v->domain->events->polling, ~(1U << v->id),
			   __ATOMIC_SEQ_CST);
}

void event_vcpu_info_moved(struct vcpu *v)
{
	struct vcpu_info *info = v->arch.info;

	__atomic_store_n(&info->evtchn_pending_sel, ~0UL, __ATOMIC_SEQ_CST);
	__atomic_store_n(&info->evtchn_upcall_pending, 1, __ATOMIC_SEQ_CST);
	vcpu_kick(v);
}

int event_domain_init(struct domain *d)
{
	struct event_table *t = domain_event_part(d);

	spin_init(&t->lock, RANK_EVENT);
	t->lowest_free = 1;
	d->events = t;
	return 0;
}

int event_domain_exit(struct domain *d, int *budget)
{
	struct event_table *t = d->events;
	bool in_use[EVENT_PAGES] = { false };

	if (!t)
		return 0;
	for (u32 port = 1; port < EVENT_PORTS; port++) {
		const struct event_port *p;

		if (port >= EVENT_INLINE_PORTS &&
		    !READ_ONCE(t->pages[(port - EVENT_INLINE_PORTS) /
					EVENT_PAGE_PORTS])) {
			port += EVENT_PAGE_PORTS - 1 -
				(port - EVENT_INLINE_PORTS) % EVENT_PAGE_PORTS;
			continue;
		}
		p = event_port(t, port);
		if (__atomic_load_n(&p->state, __ATOMIC_RELAXED) == PORT_FREE)
			continue;
		if (*budget <= 0)
			return -ERESTART;
		*budget -= CLOSE_COST;
		if (event_close(d, port))
			continue; /* another vCPU was faster */
	}
	/* Other vCPUs may bind again while EVTCHNOP_reset is at work. */
	spin_lock(&t->lock);
	for (u32 port = EVENT_INLINE_PORTS; port < EVENT_PORTS; port++) {
		const struct event_port *p = event_port(t, port);

		if (p && p->state != PORT_FREE)
			in_use[(port - EVENT_INLINE_PORTS) / EVENT_PAGE_PORTS] =
				true;
	}
	for (u32 i = 0; i < EVENT_PAGES; i++) {
		if (t->pages[i] && !in_use[i]) {
			state_page_free(&d->owner, t->pages[i]);
			t->pages[i] = NULL;
		}
	}
	spin_unlock(&t->lock);
	return 0;
}

void event_domain_free(struct domain *d)
{
	d->events = NULL;
}
