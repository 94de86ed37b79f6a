// SPDX-License-Identifier: Apache-2.0
/* Control operations on one domain (contract in xeno/domain.h). */
#include <hv/domain_meter.h>
#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <xeno/domain.h>

#include "control_ops.h"

static struct domain *domain_of(u32 domain_id)
{
	return domain_id <= DOMID_SELF ? domain_find((u16)domain_id) : NULL;
}

int control_domain_info(void *arg)
{
	struct xeno_domain_info *i = arg;
	struct domain *d;

	if (i->mbz)
		return -EINVAL;
	d = domain_of(i->domain_id);
	if (!d)
		return -ESRCH;
	i->state = READ_ONCE(d->state);
	i->shutdown_code = READ_ONCE(d->shut_down) ? d->shutdown_code : 0;
	i->paused = READ_ONCE(d->pause_count) != 0;
	i->pad = 0;
	i->created_ns = d->created_ns;
	memcpy(i->crash_reason, d->crash_reason, sizeof(i->crash_reason));
	i->crash_reason[sizeof(i->crash_reason) - 1] = '\0';
	return 0;
}

int control_meter_page(void *arg)
{
	struct xeno_meter_page_where *w = arg;
	struct domain *d;

	if (w->mbz)
		return -EINVAL;
	d = domain_of(w->domain_id);
	if (!d)
		return -ESRCH;
	w->mfn = virt_to_mfn(d->meter_page);
	return 0;
}

/* ---- memory ---- */

static int read_page(struct domain *d, struct frame *f, u64 buffer)
{
	int rc;

	if (!frame_get(f, d->owner.id))
		return -EINVAL;
	rc = guest_copy_out(buffer, mfn_to_virt(frame_mfn(f)), PAGE_SIZE);
	frame_put(f);
	return rc;
}

static int write_page(struct domain *d, struct frame *f, u64 buffer)
{
	int rc = frame_get_writable(f, d->owner.id);

	if (rc)
		return rc;
	rc = guest_copy_in(mfn_to_virt(frame_mfn(f)), buffer, PAGE_SIZE);
	frame_put_writable(f);
	return rc;
}

static int copy_page(struct domain *d, const struct xeno_domain_memory *m,
		     u64 i)
{
	u64 mfn, buffer = m->buffer + i * PAGE_SIZE;
	struct frame *f;

	if (guest_copy_in(&mfn, m->mfns + i * sizeof(mfn), sizeof(mfn)))
		return -EFAULT;
	f = frame_of_mfn(mfn);
	/* Shared info and the like are not its memory. */
	if (!f || (READ_ONCE(f->flags) & FRAME_FLAG_SHARED))
		return -EINVAL;
	return m->direction == XENO_DOMAIN_MEMORY_WRITE
		       ? write_page(d, f, buffer)
		       : read_page(d, f, buffer);
}

int control_domain_memory(void *arg)
{
	struct xeno_domain_memory *m = arg;
	struct domain *d;
	u64 i;
	int rc;

	if (m->mbz || m->count > XENO_DOMAIN_MEMORY_PAGES_MAX ||
	    m->direction > XENO_DOMAIN_MEMORY_WRITE || m->buffer % PAGE_SIZE)
		return -EINVAL;
	d = domain_of(m->domain_id);
	if (!d)
		return -ESRCH;
	if (m->direction == XENO_DOMAIN_MEMORY_WRITE &&
	    READ_ONCE(d->state) != DOMAIN_BUILDING)
		return -EPERM;
	for (i = 0; i < m->count; i++) {
		rc = copy_page(d, m, i);
		if (rc && !i)
			return rc;
		if (rc)
			break;
	}
	m->done = i;
	return 0;
}

/* ---- scheduling ---- */

int control_sched_get(void *arg)
{
	struct xeno_sched *s = arg;
	const struct sched_group *g;
	struct domain *d;

	if (s->mbz)
		return -EINVAL;
	d = domain_of(s->domain_id);
	if (!d)
		return -ESRCH;
	g = &d->group;
	s->weight = g->params.weight;
	s->cap_permille = READ_ONCE(g->cap_permille);
	s->warp_ns = g->params.warp_ns;
	s->warp_limit_ns = g->params.warp_limit_ns;
	s->unwarp_min_ns = g->params.unwarp_min_ns;
	return 0;
}

int control_sched_set(void *arg)
{
	const struct xeno_sched *s = arg;
	const struct sched_params p = {
		.weight = s->weight,
		.warp_ns = s->warp_ns,
		.warp_limit_ns = s->warp_limit_ns,
		.unwarp_min_ns = s->unwarp_min_ns,
	};
	struct domain *d;
	int rc;

	if (s->mbz || !sched_params_valid(&p))
		return -EINVAL;
	d = domain_of(s->domain_id);
	if (!d)
		return -ESRCH;
	rc = sched_set_cap(&d->group, s->cap_permille);
	if (rc)
		return rc;
	d->group.params = p;
	for (u32 i = 0; !rc && i < d->vcpu_count; i++)
		rc = sched_set_params(&d->vcpus[i]->sched, &p);
	return rc;
}
