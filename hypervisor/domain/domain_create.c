// SPDX-License-Identifier: Apache-2.0
/*
 * What a domain is made of, made and unmade: one page for struct domain, its
 * event channels and grant state, one of shared info, one of meters, one per
 * vCPU. The steps of tear-down that come before domain_free are the control
 * room's.
 */
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/runstate.h>
#include <hv/string.h>
#include <hv/vcpu_timer.h>

#include <arch/clock.h>
#include <arch/context.h>
#include <arch/guest_time.h>

#include <xeno/meter_page.h>

_Static_assert(sizeof(struct domain) <= PAGE_SIZE, "a domain is one page");

static int create_shared_info(struct domain *d)
{
	struct frame *f;
	int err = frame_owner_alloc(&d->owner, FRAME_FLAG_SHARED, &f);

	if (err)
		return err;
	m2p_set(frame_mfn(f), M2P_INVALID);
	d->shared_info = mfn_to_virt(frame_mfn(f));
	memset(d->shared_info->evtchn_mask, 0xff,
	       sizeof(d->shared_info->evtchn_mask));
	guest_wallclock_set(d, clock_wall_ns_at_boot());
	return 0;
}

static int create_meter_page(struct domain *d)
{
	struct frame *f;
	int err = frame_owner_alloc(&d->owner, FRAME_FLAG_SHARED, &f);

	if (err)
		return err;
	if (frame_get_readonly(&d->owner, f))
		panic("a fresh frame is in use");
	d->meter_page = mfn_to_virt(frame_mfn(f));
	d->meter_page->layout = XENO_METER_PAGE_LAYOUT;
	d->meter_page->domain_id = d->id;
	d->meter_page->created_ns = d->created_ns;
	return 0;
}

int domain_add_vcpu(struct domain *d)
{
	u32 id = d->vcpu_count;
	struct vcpu *v;
	int err;

	if (id >= DOMAIN_MAX_VCPUS)
		return -EINVAL;
	v = state_page_alloc(&d->owner);
	if (!v)
		return -ENOMEM;
	v->domain = d;
	v->id = id;
	v->down = true;
	v->poll_port = ~0U;
	vcpu_runstate_init(v, RUNSTATE_offline, clock_now_ns());
	err = vcpu_arch_init(v);
	if (err) {
		state_page_free(&d->owner, v);
		return err;
	}
	v->arch.info = &d->shared_info->vcpu_info[id];
	v->arch.info->evtchn_upcall_mask = 1;
	guest_time_init(v->arch.info);
	vcpu_timers_init(v);
	sched_unit_init(&v->sched, &d->group.params);
	sched_unit_join(&v->sched, &d->group);
	meter_register(&v->meter);
	v->meter.copy = &d->meter_page->cpu_ns[id];
	d->vcpus[id] = v;
	__atomic_store_n(&d->vcpu_count, id + 1, __ATOMIC_RELEASE);
	return 0;
}

/* A domain that nobody has seen. */
static void discard(struct domain *d)
{
	int budget = 1;

	for (u32 i = 0; i < d->vcpu_count; i++)
		(void)!vcpu_arch_exit(d->vcpus[i], &budget);
	if (grant_domain_free(d))
		panic("the grants of a domain that never was are in use");
	event_domain_free(d);
	if (domain_free(d))
		panic("the pages of a domain that never was are mapped");
}

int domain_create(u16 id, bool privileged, unsigned int vcpus, u64 max_pages,
		  struct domain **out)
{
	struct frame *f;
	struct domain *d;
	int err = 0;

	if (id >= DOMAIN_MAX || vcpus > DOMAIN_MAX_VCPUS)
		return -EINVAL;
	if (domain_table[id])
		return -EEXIST;
	f = frame_alloc(0);
	if (!f)
		return -ENOMEM;
	d = mfn_to_virt(frame_mfn(f));
	d->id = id;
	d->privileged = privileged;
	d->max_vcpus = vcpus;
	d->created_ns = clock_now_ns();
	spin_init(&d->lock, RANK_DOMAIN_LIST);
	frame_owner_init(&d->owner, id, max_pages);
	sched_group_init(&d->group);
	err = create_shared_info(d);
	if (!err)
		err = create_meter_page(d);
	if (!err)
		err = event_domain_init(d);
	if (!err)
		err = grant_domain_init(d);
	for (unsigned int i = 0; !err && i < vcpus; i++)
		err = domain_add_vcpu(d);
	if (err) {
		discard(d);
		return err;
	}
	WRITE_ONCE(domain_table[id], d);
	*out = d;
	return 0;
}

int domain_free(struct domain *d)
{
	struct frame *f;

	while (d->vcpu_count) {
		struct vcpu *v = d->vcpus[d->vcpu_count - 1];

		sched_unit_exit(&v->sched);
		meter_forget(&v->meter);
		d->vcpus[--d->vcpu_count] = NULL;
		state_page_free(&d->owner, v);
	}
	if (d->shared_info) {
		f = frame_of_mfn(virt_to_mfn(d->shared_info));
		d->shared_info = NULL;
		frame_owner_abandon_shared(&d->owner, f);
	}
	if (d->meter_page) {
		f = frame_of_mfn(virt_to_mfn(d->meter_page));
		d->meter_page = NULL;
		/* No CPU has written it since its vCPUs stopped. */
		frame_put_segdesc(f);
		frame_owner_abandon_shared(&d->owner, f);
	}
	sched_group_exit(&d->group);
	if (READ_ONCE(d->owner.state_pages))
		return -EBUSY;
	WRITE_ONCE(domain_table[d->id], NULL);
	frame_owner_exit(&d->owner);
	frame_free(&frame_table[virt_to_mfn(d)], 0);
	return 0;
}
