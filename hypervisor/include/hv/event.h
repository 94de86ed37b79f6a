/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event channels, 2-level ABI, 4096 ports (guest-abi 10). Structures of the
 * ABI have been copied in by hypercall/. Errors are the ABI's negative errno.
 * One lock per domain (RANK_EVENT); two domains' by address.
 */
#ifndef HV_EVENT_H
#define HV_EVENT_H

#include <hv/domain.h>

#include <xen/event_channel.h>

#define EVENT_PORTS 4096

int event_domain_init(struct domain *d) MUST_CHECK;
/* Closes every port; idempotent. Used at tear-down and by EVTCHNOP_reset. */
void event_domain_exit(struct domain *d);

int event_alloc_unbound(struct evtchn_alloc_unbound *op) MUST_CHECK;
int event_bind_interdomain(struct evtchn_bind_interdomain *op) MUST_CHECK;
int event_bind_virq(struct evtchn_bind_virq *op) MUST_CHECK;
int event_bind_ipi(struct evtchn_bind_ipi *op) MUST_CHECK;
int event_close(struct domain *d, u32 port) MUST_CHECK;
int event_send(struct domain *d, u32 port) MUST_CHECK;
int event_status(struct evtchn_status *op) MUST_CHECK;
int event_bind_vcpu(struct domain *d, u32 port, u32 vcpu) MUST_CHECK;
int event_unmask(struct domain *d, u32 port) MUST_CHECK;
int event_reset(struct domain *d) MUST_CHECK;

/* Raises a per-vCPU (timer, debug) or global VIRQ; unbound ones are dropped.
 * Any CPU, no event lock held. */
void event_virq_vcpu(struct vcpu *v, u32 virq);
void event_virq_global(struct domain *d, u32 virq);

/* SCHEDOP_poll: true when one of the ports is pending. */
bool event_port_pending(struct domain *d, u32 port);

/* After vcpu_info moved: nothing pending may be lost. */
void event_vcpu_info_moved(struct vcpu *v);

#endif
