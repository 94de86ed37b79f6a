/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations of the standard domctl that we have. Each gets the
 * hypervisor's copy of the structure, with values straight from the caller, and
 * the domain it is about (never NULL, never gone), with the control lock held.
 * 0: the copy goes back to the caller.
 */
#ifndef DOMCTL_OPS_H
#define DOMCTL_OPS_H

#include <hv/domain.h>

#include <xen/domctl.h>

typedef int domctl_fn(struct domain *d, struct xen_domctl *op);

/* domctl_domain.c; createdomain and destroydomain get no domain. */
domctl_fn domctl_create, domctl_destroy, domctl_pause, domctl_unpause,
	domctl_resume, domctl_max_mem, domctl_max_vcpus, domctl_handle,
	domctl_accept, domctl_set_width, domctl_get_width, domctl_tsc,
	domctl_get_tsc;
/* domctl_vcpu.c */
domctl_fn domctl_set_context, domctl_get_context, domctl_vcpu_info,
	domctl_set_affinity, domctl_get_affinity;

/* domctl_info.c */
domctl_fn domctl_info;
/* The domain with the least id >= first, or NULL. */
struct domain *domain_from(u32 first);
void domain_describe(struct domain *d, struct xen_domctl_getdomaininfo *info);

#endif
