/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event channels, 2-level ABI, ports 1..4095. Structures of the ABI have been
 * copied in by hypercall/. Errors are the ABI's negative errno. One lock per
 * domain (RANK_EVENT); two domains' by address. The caller is the current
 * domain where no domain is passed.
 *
 * A domain found by id stays valid until the CPU leaves the hypervisor; its
 * owner.dying makes every new port fail, so event_domain_exit after setting
 * it leaves a domain that no port of another points to.
 */
#ifndef HV_EVENT_H
#define HV_EVENT_H

#include <hv/domain.h>

#include <xen/event_channel.h>

#define EVENT_PORTS 4096

/* The domain id of the hypervisor's own device back ends: a port that a
 * domain leaves unbound for it can be bound by event_backend_bind only. */
#define DOMID_BACKEND 0x7f00

int event_domain_init(struct domain *d) MUST_CHECK;
/* Closes every port and frees what they took; idempotent. Used
 * at tear-down and by EVTCHNOP_reset. -ERESTART: *budget used up, call again.
 */
int event_domain_exit(struct domain *d, int *budget) MUST_CHECK;
/* After exit, when nobody can reach d any more, and before d is freed. */
void event_domain_free(struct domain *d);

int event_alloc_unbound(struct evtchn_alloc_unbound *op) MUST_CHECK;
int event_bind_interdomain(struct evtchn_bind_interdomain *op) MUST_CHECK;
int event_bind_virq(struct evtchn_bind_virq *op) MUST_CHECK;
int event_bind_ipi(struct evtchn_bind_ipi *op) MUST_CHECK;
int event_close(struct domain *d, u32 port) MUST_CHECK;
int event_send(struct domain *d, u32 port) MUST_CHECK;
int event_status(struct evtchn_status *op) MUST_CHECK;
int event_bind_vcpu(struct domain *d, u32 port, u32 vcpu) MUST_CHECK;
int event_unmask(struct domain *d, u32 port) MUST_CHECK;
int event_reset(u16 domid, int *budget) MUST_CHECK;

/* For the builder: a port of d unbound for remote. */
int event_alloc_unbound_for(struct domain *d, u16 remote, u32 *port) MUST_CHECK;

/* Raises a per-vCPU (timer, debug) or global VIRQ; unbound ones are dropped.
 * Any CPU, no event lock held. */
void event_virq_vcpu(struct vcpu *v, u32 virq);
void event_virq_global(struct domain *d, u32 virq);

/* SCHEDOP_poll: true when the port is pending. */
bool event_port_pending(const struct domain *d, u32 port);
/* While it polls, v is kicked when a port it polls becomes pending although
 * masked: `port`, or any when 0. The caller checks the ports after begin. */
void event_poll_begin(struct vcpu *v, u32 port);
void event_poll_end(struct vcpu *v);

/* After vcpu_info moved: nothing pending may be lost. */
void event_vcpu_info_moved(struct vcpu *v);

/*
 * The end of a port inside the hypervisor. notify runs for each send of the
 * guest, with the domain's event lock held: it may only queue work. Fields
 * are the event room's.
 */
struct event_backend {
	void (*notify)(struct event_backend *b);
	struct domain *domain;
	u32 port; /* 0: not bound, or closed by the guest; event lock */
};

/* -EINVAL: the port is not unbound for DOMID_BACKEND. */
int event_backend_bind(struct event_backend *b, struct domain *d, u32 port,
		       void (*notify)(struct event_backend *b)) MUST_CHECK;
/* After return notify neither runs nor will run. No-op when not bound. */
void event_backend_unbind(struct event_backend *b);
/* Raises the guest's port; dropped when the guest has closed it. */
void event_backend_send(struct event_backend *b);

#endif
