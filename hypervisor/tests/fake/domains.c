// SPDX-License-Identifier: Apache-2.0
/* See domains.h. */
#include "domains.h"

#include <stdlib.h>

#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/mm.h>

#include <arch/host_machine.h>

struct domain *domain_table[DOMAIN_MAX];
struct domain *domain0;

struct domain *domain_find(u16 domid)
{
	if (domid == DOMID_SELF)
		return current_domain();
	return domid < DOMAIN_MAX ? domain_table[domid] : NULL;
}

void vcpu_kick(struct vcpu *v)
{
	v->blocked = false;
	fake_kicked(v);
}

void vcpu_block_current(void)
{
	current_vcpu()->blocked = true;
}

void vcpu_yield_current(void)
{
	fake_yields++;
}

void domain_shutdown(struct domain *d, u32 code)
{
	d->state = DOMAIN_SHUT_DOWN;
	d->shutdown_code = code;
}

struct domain *fake_domain_create(u16 id, u32 vcpus, bool privileged)
{
	struct domain *d = calloc(1, PAGE_SIZE);
	struct frame *f;

	CHECK(d && id < FAKE_DOMAINS && !domain_table[id]);
	d->id = id;
	d->privileged = privileged;
	d->state = DOMAIN_RUNNING;
	d->vcpu_count = vcpus;
	spin_init(&d->lock, RANK_DOMAIN_LIST);
	frame_owner_init(&d->owner, id, 1024);
	CHECK(!frame_owner_alloc(&d->owner, FRAME_FLAG_SHARED, &f));
	d->shared_info = mfn_to_virt(frame_mfn(f));
	d->meter_page = calloc(1, PAGE_SIZE);
	CHECK(d->meter_page);
	for (u32 i = 0; i < vcpus; i++) {
		struct vcpu *v = calloc(1, sizeof(*v));

		CHECK(v);
		v->domain = d;
		v->id = i;
		v->arch.info = &d->shared_info->vcpu_info[i];
		d->vcpus[i] = v;
	}
	CHECK(!event_domain_init(d) && !grant_domain_init(d));
	domain_table[id] = d;
	return d;
}

bool fake_domain_destroy(struct domain *d)
{
	struct frame *shared = frame_of_mfn(virt_to_mfn(d->shared_info));
	int budget = 1 << 20;
	int rc;

	d->owner.dying = true;
	CHECK(!event_domain_exit(d, &budget));
	CHECK(!grant_domain_exit(d, &budget));
	do
		rc = frame_owner_destroy(&d->owner, 64);
	while (rc == -ERESTART);
	domain_table[d->id] = NULL;
	if (rc || grant_domain_free(d))
		return false;
	event_domain_free(d);
	CHECK(!frame_owner_release_shared(&d->owner, shared));
	CHECK(d->owner.state_pages == 0 && d->owner.pages == 0);
	for (u32 i = 0; i < d->vcpu_count; i++)
		free(d->vcpus[i]);
	free(d->meter_page);
	free(d);
	return true;
}
