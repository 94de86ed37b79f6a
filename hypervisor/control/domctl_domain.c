// SPDX-License-Identifier: Apache-2.0
/* domctl: domains as a whole. What we do not have (other word sizes, emulated
 * devices, scaled TSCs) is refused; what changes nothing for a guest of ours is
 * accepted. */
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <xeno/abi.h>

#include "control_ops.h"
#include "domctl_ops.h"
#include "lifecycle.h"

#define KIB_PER_PAGE (PAGE_SIZE / 1024)
/* Of the budget: a page of state and a window of descriptors. */
#define COST_VCPU 60

/* A free id after the one given out last, so that a number is not soon
 * someone else's; 0: none. */
static u16 free_id(void)
{
	static u16 last;

	for (unsigned int i = 1; i < DOMAIN_MAX; i++) {
		u16 id = (u16)((last + i - 1) % (DOMAIN_MAX - 1) + 1);

		if (!domain_table[id]) {
			last = id;
			return id;
		}
	}
	return 0;
}

int domctl_create(struct domain *unused, struct xen_domctl *op)
{
	const struct xen_domctl_createdomain *c = &op->u.createdomain;
	struct domain *d;
	u16 id = op->domain;
	int err;

	(void)unused;
	if ((c->flags & ~XEN_DOMCTL_CDF_xs_domain) || c->iommu_opts ||
	    c->arch.emulation_flags || c->arch.misc_flags || c->vmtrace_size ||
	    c->cpupool_id || !c->max_vcpus || c->max_vcpus > DOMAIN_MAX_VCPUS ||
	    c->max_grant_frames > GRANT_MAX_FRAMES)
		return -EINVAL;
	if (!id || id >= DOMID_FIRST_RESERVED)
		id = free_id();
	if (!id)
		return -ENOSPC;
	err = domain_create(id, false, 0, 0, &d);
	if (err)
		return err;
	d->pause_count = 1;
	d->max_vcpus = c->max_vcpus;
	memcpy(d->handle, c->handle, sizeof(d->handle));
	op->domain = id;
	return 0;
}

int domctl_destroy(struct domain *unused, struct xen_domctl *op)
{
	struct domain *d = lifecycle_find(op->domain);
	int budget = CONTROL_BUDGET;

	(void)unused;
	if (!d) {
		d = domain_find(op->domain);
		if (!d)
			return -ESRCH;
		return d->zombie ? 0 : -EINVAL;
	}
	if (d->privileged)
		return -EINVAL;
	return lifecycle_destroy(d, &budget);
}

/* Answers when none of its vCPUs is on a CPU any more. */
int domctl_pause(struct domain *d, struct xen_domctl *op)
{
	(void)op;
	if (d == current_domain())
		return -EINVAL;
	if (!d->pausing)
		domain_pause(d);
	d->pausing = !domain_stopped(d);
	return d->pausing ? -ERESTART : 0;
}

int domctl_unpause(struct domain *d, struct xen_domctl *op)
{
	(void)op;
	if (!READ_ONCE(d->pause_count))
		return -EINVAL;
	if (d->state == DOMAIN_BUILDING &&
	    !(d->vcpu_count && d->vcpus[0]->initialised))
		return -EINVAL;
	domain_unpause(d);
	return 0;
}

/* After a suspend that was not carried out. */
int domctl_resume(struct domain *d, struct xen_domctl *op)
{
	(void)op;
	if (d == current_domain())
		return -EINVAL;
	return domain_resume(d);
}

int domctl_max_mem(struct domain *d, struct xen_domctl *op)
{
	u64 pages = op->u.max_mem.max_memkb / KIB_PER_PAGE;

	spin_lock(&d->owner.lock);
	d->owner.max_pages = MIN(pages, frame_max_mfn);
	spin_unlock(&d->owner.lock);
	return 0;
}

int domctl_max_vcpus(struct domain *d, struct xen_domctl *op)
{
	u32 max = op->u.max_vcpus.max;
	int budget = CONTROL_BUDGET, err;

	if (d == current_domain() || max != d->max_vcpus ||
	    d->state != DOMAIN_BUILDING)
		return -EINVAL;
	while (d->vcpu_count < max) {
		if (budget <= 0)
			return -ERESTART;
		budget -= COST_VCPU;
		err = domain_add_vcpu(d);
		if (err)
			return err;
	}
	return 0;
}

int domctl_handle(struct domain *d, struct xen_domctl *op)
{
	memcpy(d->handle, op->u.setdomainhandle.handle, sizeof(d->handle));
	return 0;
}

int domctl_accept(struct domain *d, struct xen_domctl *op)
{
	(void)d, (void)op;
	return 0;
}

int domctl_set_width(struct domain *d, struct xen_domctl *op)
{
	(void)d;
	return op->u.address_size.size == 64 ? 0 : -EINVAL;
}

int domctl_get_width(struct domain *d, struct xen_domctl *op)
{
	(void)d;
	op->u.address_size.size = 64;
	return 0;
}

/* Every guest reads the machine's own TSC, which is what both of these are. */
#define TSC_DEFAULT 0
#define TSC_NATIVE 2

int domctl_tsc(struct domain *d, struct xen_domctl *op)
{
	(void)d;
	return op->u.tsc_info.tsc_mode == TSC_DEFAULT ||
			       op->u.tsc_info.tsc_mode == TSC_NATIVE
		       ? 0
		       : -EINVAL;
}

int domctl_get_tsc(struct domain *d, struct xen_domctl *op)
{
	(void)d;
	memset(&op->u.tsc_info, 0, sizeof(op->u.tsc_info));
	op->u.tsc_info.tsc_mode = TSC_NATIVE;
	return 0;
}
