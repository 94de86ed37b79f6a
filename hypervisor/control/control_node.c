/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control operations that tell about the node (contract in xeno/node.h). Each
 * takes a bounded time, whatever the size of the machine.
 */
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/meter.h>
#include <hv/mm.h>

#include <arch/clock.h>
#include <arch/counters.h>

#include <xeno/node.h>

#include "control_ops.h"

_Static_assert(XENO_MAX_CPUS == MAX_CPUS, "node.h names our limit");
_Static_assert(XENO_MAX_VCPUS == DOMAIN_MAX_VCPUS, "node.h names our limit");
_Static_assert(XENO_DOMAIN_SELF == DOMID_SELF, "node.h names the ABI's value");

/* Frames counted per call: some 13 instructions for each, without interrupts.
 */
#define FRAMES_PER_CALL 8192

int control_cpu_counters(void *arg)
{
	struct xeno_cpu_counters *c = arg;
	struct cpu_counters counters;

	if (c->mbz)
		return -EINVAL;
	if (!cpu_counters_read(c->cpu, &counters))
		return -ENOENT;
	c->cpu_count = cpu_count;
	c->online = counters.online;
	c->entries = counters.entries;
	c->page_table_loads = counters.cr3_loads;
	c->copied_bytes = counters.copied_bytes;
	return 0;
}

int control_meters(void *arg)
{
	struct meter_cpu_books per_cpu[MAX_CPUS];
	struct xeno_meters *m = arg;
	struct meter_books b;

	meter_balance(&b, per_cpu);
	m->elapsed_ns = b.elapsed_ns;
	m->sum_ns = b.sum_ns;
	m->idle_ns = b.idle_ns;
	m->irq_ns = b.irq_ns;
	m->sched_ns = b.sched_ns;
	m->boot_ns = b.boot_ns;
	m->domains_ns = b.domains_ns;
	for (unsigned int i = 0; i < MAX_CPUS; i++) {
		m->cpu[i].elapsed_ns = per_cpu[i].elapsed_ns;
		m->cpu[i].sum_ns = per_cpu[i].sum_ns;
	}
	return 0;
}

int control_domain_meter(void *arg)
{
	struct xeno_domain_meter *m = arg;
	struct domain *d;

	if (m->mbz)
		return -EINVAL;
	d = m->domain_id <= DOMID_SELF ? domain_find((u16)m->domain_id) : NULL;
	if (!d)
		return -ESRCH;
	m->id = d->id;
	m->vcpu_count = d->vcpu_count;
	spin_lock(&d->owner.lock);
	m->owned_pages = d->owner.pages;
	m->max_pages = d->owner.max_pages;
	/* Its owner's count leaves out the page that the owner is in. */
	m->state_pages = d->owner.state_pages + 1;
	spin_unlock(&d->owner.lock);
	m->shared_pages = 1 + grant_frame_count(d);
	m->state_bytes = m->state_pages * PAGE_SIZE +
			 (u64)d->vcpu_count * VCPU_WINDOW_BYTES;
	for (unsigned int i = 0; i < DOMAIN_MAX_VCPUS; i++)
		m->vcpu_cpu_ns[i] = 0;
	for (unsigned int i = 0; i < d->vcpu_count; i++)
		m->vcpu_cpu_ns[i] =
			meter_read(&d->vcpus[i]->meter, clock_now_ns());
	return 0;
}

int control_frames(void *arg)
{
	struct xeno_frames *f = arg;
	u64 mfn = f->first_mfn, end;

	if (mfn >= frame_max_mfn)
		return -EINVAL;
	end = MIN(mfn + FRAMES_PER_CALL, frame_max_mfn);
	f->domains = f->hypervisor = f->unowned = 0;
	for (; mfn < end; mfn++) {
		const struct frame *frame = &frame_table[mfn];
		u16 owner_id;

		if (!(READ_ONCE(frame->flags) & FRAME_FLAG_RAM))
			continue;
		owner_id = READ_ONCE(frame->owner_id);
		if (owner_id == OWNER_HV)
			f->hypervisor++;
		else if (owner_id == OWNER_NONE)
			f->unowned++;
		else
			f->domains++;
	}
	f->next_mfn = end < frame_max_mfn ? end : 0;
	f->total = frame_total_count();
	f->free = frame_free_count();
	return 0;
}

int control_clock(void *arg)
{
	struct xeno_clock *c = arg;

	c->now_ns = clock_now_ns();
	return 0;
}
