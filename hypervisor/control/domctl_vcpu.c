// SPDX-License-Identifier: Apache-2.0
/* domctl: single vCPUs. A context can be set once, while the vCPU has none. */
#include <hv/errno.h>
#include <hv/frame.h>
#include <hv/guest_access.h>
#include <hv/meter.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/clock.h>
#include <arch/context.h>
#include <arch/cpu.h>

#include "domctl_ops.h"

/* A guest context is bigger than a page and too big for the stack. */
#define CONTEXT_ORDER 1

static struct vcpu *vcpu_of(struct domain *d, u32 id)
{
	return id < d->vcpu_count ? d->vcpus[id] : NULL;
}

static int set_context(struct vcpu *v, const struct vcpu_guest_context *ctx)
{
	int rc = vcpu_initialise_from(v, ctx);

	if (rc)
		return rc;
	spin_lock(&v->domain->lock);
	v->initialised = true;
	v->down = !(ctx->flags & VGCF_online);
	spin_unlock(&v->domain->lock);
	return 0;
}

int domctl_set_context(struct domain *d, struct xen_domctl *op)
{
	struct vcpu *v = vcpu_of(d, op->u.vcpucontext.vcpu);
	struct vcpu_guest_context *ctx;
	struct frame *f;
	int rc;

	if (!v)
		return -ESRCH;
	if (d->state != DOMAIN_BUILDING || v->initialised)
		return -EBUSY;
	f = frame_alloc(CONTEXT_ORDER);
	if (!f)
		return -ENOMEM;
	ctx = mfn_to_virt(frame_mfn(f));
	rc = guest_copy_in(ctx, (u64)op->u.vcpucontext.ctxt.p, sizeof(*ctx));
	if (!rc)
		rc = set_context(v, ctx);
	frame_free(f, CONTEXT_ORDER);
	return rc;
}

int domctl_get_context(struct domain *d, struct xen_domctl *op)
{
	struct vcpu *v = vcpu_of(d, op->u.vcpucontext.vcpu);
	struct vcpu_guest_context *ctx;
	struct frame *f;
	int rc;

	if (!v)
		return -ESRCH;
	if (!v->initialised)
		return -ENODATA;
	/* The registers of one that runs are in a CPU. */
	if (!READ_ONCE(d->pause_count) && d->state == DOMAIN_RUNNING)
		return -EBUSY;
	if (!domain_stopped(d))
		return -ERESTART;
	f = frame_alloc(CONTEXT_ORDER);
	if (!f)
		return -ENOMEM;
	ctx = mfn_to_virt(frame_mfn(f));
	vcpu_describe(v, ctx);
	rc = guest_copy_out((u64)op->u.vcpucontext.ctxt.p, ctx, sizeof(*ctx));
	frame_free(f, CONTEXT_ORDER);
	return rc;
}

int domctl_vcpu_info(struct domain *d, struct xen_domctl *op)
{
	struct xen_domctl_getvcpuinfo *info = &op->u.getvcpuinfo;
	struct vcpu *v = vcpu_of(d, info->vcpu);

	if (!v)
		return -ESRCH;
	info->online = !READ_ONCE(v->down);
	info->blocked = READ_ONCE(v->blocked);
	info->running = READ_ONCE(v->sched.state) == SCHED_RUNNING;
	info->cpu_time = meter_read(&v->meter, clock_now_ns());
	info->cpu = v->sched.cpu;
	return 0;
}

/* ---- affinity ---- */

static u64 online_cpus(void)
{
	return ~0UL >> (64 - cpu_count);
}

static int bitmap_get(const struct xenctl_bitmap *map, u64 *mask)
{
	u32 bytes = MIN((map->nr_bits + 7) / 8, (u32)sizeof(*mask));

	*mask = 0;
	if (guest_copy_in(mask, (u64)map->bitmap.p, bytes))
		return -EFAULT;
	if (map->nr_bits < 64)
		*mask &= (1UL << map->nr_bits) - 1;
	return 0;
}

/* Every byte that the caller has room for is written. */
static int bitmap_put(const struct xenctl_bitmap *map, u64 mask)
{
	u32 bytes = MIN((map->nr_bits + 7) / 8, 1024U), i;

	if (map->nr_bits < 64)
		mask &= (1UL << map->nr_bits) - 1;
	for (i = 0; i < bytes; i += sizeof(mask)) {
		if (guest_copy_out((u64)map->bitmap.p + i, &mask,
				   MIN(bytes - i, (u32)sizeof(mask))))
			return -EFAULT;
		mask = 0;
	}
	return 0;
}

/* A preference for CPUs is accepted and not followed: one queue serves all. */
int domctl_set_affinity(struct domain *d, struct xen_domctl *op)
{
	struct xen_domctl_vcpuaffinity *a = &op->u.vcpuaffinity;
	struct vcpu *v = vcpu_of(d, a->vcpu);
	u64 hard;
	int rc;

	if (!v)
		return -ESRCH;
	if (!(a->flags & (XEN_VCPUAFFINITY_HARD | XEN_VCPUAFFINITY_SOFT)))
		return -EINVAL;
	if (a->flags & XEN_VCPUAFFINITY_HARD) {
		rc = bitmap_get(&a->cpumap_hard, &hard);
		if (!rc)
			rc = sched_set_affinity(&v->sched, hard);
		if (!rc)
			rc = bitmap_put(&a->cpumap_hard, hard & online_cpus());
		if (rc)
			return rc;
	}
	if (a->flags & XEN_VCPUAFFINITY_SOFT)
		return bitmap_put(&a->cpumap_soft,
				  READ_ONCE(v->sched.affinity) & online_cpus());
	return 0;
}

int domctl_get_affinity(struct domain *d, struct xen_domctl *op)
{
	struct xen_domctl_vcpuaffinity *a = &op->u.vcpuaffinity;
	struct vcpu *v = vcpu_of(d, a->vcpu);
	int rc = 0;

	if (!v)
		return -ESRCH;
	if (!(a->flags & (XEN_VCPUAFFINITY_HARD | XEN_VCPUAFFINITY_SOFT)))
		return -EINVAL;
	if (a->flags & XEN_VCPUAFFINITY_HARD)
		rc = bitmap_put(&a->cpumap_hard, READ_ONCE(v->sched.affinity));
	if (!rc && (a->flags & XEN_VCPUAFFINITY_SOFT))
		rc = bitmap_put(&a->cpumap_soft, ~0UL);
	return rc;
}
