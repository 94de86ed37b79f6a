/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A domain's ports, private to the event room. The table lies in the
 * rest of struct domain's page and holds the first ports itself; others come in
 * pages allocated with the first port in them and charged to the domain.
 * Everything is guarded by the table's lock; when a port is PORT_INTERDOMAIN,
 * its lock also keeps the remote domain's port, and so its page, from going
 * away.
 */
#ifndef EVENT_TABLE_H
#define EVENT_TABLE_H

#include <hv/event.h>

enum port_state {
	PORT_FREE = 0,
	PORT_UNBOUND,     /* remote_domid may bind it */
	PORT_INTERDOMAIN, /* peer, remote_port */
	PORT_BACKEND,     /* backend */
	PORT_VIRQ,        /* virq */
	PORT_IPI,
};

struct event_port {
	u8 state; /* written under the lock, atomically: a reset peeks */
	u8 vcpu;  /* which vCPU is notified; read without lock */
	u16 remote_domid;
	union {
		u32 remote_port;
		u32 virq;
	};
	union {
		struct domain *peer;
		struct event_backend *backend;
	};
};

_Static_assert(sizeof(struct event_port) == 16, "ports fill pages");

#define EVENT_INLINE_PORTS 80U
#define EVENT_PAGE_PORTS 256U
#define EVENT_PAGES 16U

struct event_table {
	struct spinlock lock;
	u32 lowest_free; /* no lower port is free */
	u32 polling;     /* mask of vCPUs in SCHEDOP_poll; atomic, lock-free */
	struct event_port *pages[EVENT_PAGES];
	struct event_port ports[EVENT_INLINE_PORTS];
};

_Static_assert(sizeof(struct event_table) <= DOMAIN_EVENT_BYTES,
	       "fits the page of its domain");
_Static_assert(EVENT_INLINE_PORTS + EVENT_PAGES * EVENT_PAGE_PORTS >=
		       EVENT_PORTS,
	       "every port has a place");
_Static_assert(DOMAIN_MAX_VCPUS <= 32, "the polling mask");

/* NULL: out of range, port 0, or nothing was ever allocated around it. */
struct event_port *event_port(const struct event_table *t, u32 port);
/* The lowest free port, cleared, still PORT_FREE; 0 or -errno. */
int event_port_alloc(struct domain *d, u32 *port, struct event_port **p)
	MUST_CHECK;
void event_port_free(struct domain *d, u32 port, struct event_port *p);
/* Makes port pending for the vCPU that p names. The lock that keeps p open is
 * held: d's, or that of the peer that p is bound to. Returns whom to kick once
 * it is released (event_kick), since a kicked vCPU may want it next. */
struct vcpu *event_set_pending(struct domain *d, u32 port,
			       const struct event_port *p) MUST_CHECK;
/* Tells the vCPU that p names to look at port, which is pending and not
 * masked. Result as above. */
struct vcpu *event_deliver(struct domain *d, u32 port,
			   const struct event_port *p) MUST_CHECK;

static inline void event_kick(struct vcpu *v)
{
	if (v)
		vcpu_kick(v);
}

/* Bound once per domain instead of once per vCPU. */
bool virq_is_global(u32 virq);

#endif
