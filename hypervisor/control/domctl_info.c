// SPDX-License-Identifier: Apache-2.0
/* domctl: what is known about domains. */
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/meter.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/clock.h>

#include "domctl_ops.h"

struct domain *domain_from(u32 first)
{
	struct domain *d = NULL;

	for (; !d && first < DOMAIN_MAX; first++)
		d = domain_find((u16)first);
	return d;
}

static u32 run_flags(const struct domain *d)
{
	bool running = false, waiting = true;

	for (u32 i = 0; i < d->vcpu_count; i++) {
		const struct vcpu *v = d->vcpus[i];

		if (READ_ONCE(v->down))
			continue;
		if (READ_ONCE(v->sched.state) == SCHED_RUNNING)
			running = true;
		if (!READ_ONCE(v->blocked))
			waiting = false;
	}
	return (running ? XEN_DOMINF_running : 0) |
	       (waiting ? XEN_DOMINF_blocked : 0);
}

static u32 flags_of(const struct domain *d)
{
	u32 flags = run_flags(d);

	if (READ_ONCE(d->state) == DOMAIN_DYING)
		flags |= XEN_DOMINF_dying;
	if (READ_ONCE(d->pause_count))
		flags |= XEN_DOMINF_paused;
	if (READ_ONCE(d->shut_down))
		flags |= XEN_DOMINF_shutdown |
			 (d->shutdown_code & XEN_DOMINF_shutdownmask)
				 << XEN_DOMINF_shutdownshift;
	return flags;
}

void domain_describe(struct domain *d, struct xen_domctl_getdomaininfo *info)
{
	u64 now_ns = clock_now_ns();

	memset(info, 0, sizeof(*info));
	info->domain = d->id;
	info->flags = flags_of(d);
	info->max_vcpu_id = XEN_INVALID_MAX_VCPU_ID;
	for (u32 i = 0; i < d->vcpu_count; i++) {
		info->cpu_time += meter_read(&d->vcpus[i]->meter, now_ns);
		info->nr_online_vcpus += !READ_ONCE(d->vcpus[i]->down);
		info->max_vcpu_id = i;
	}
	spin_lock(&d->owner.lock);
	info->tot_pages = d->owner.pages;
	info->max_pages = d->owner.max_pages;
	spin_unlock(&d->owner.lock);
	info->shared_info_frame = virt_to_mfn(d->shared_info);
	memcpy(info->handle, d->handle, sizeof(info->handle));
}

int domctl_info(struct domain *unused, struct xen_domctl *op)
{
	struct domain *d = domain_from(op->domain);

	(void)unused;
	if (!d)
		return -ESRCH;
	domain_describe(d, &op->u.getdomaininfo);
	op->domain = d->id;
	return 0;
}
