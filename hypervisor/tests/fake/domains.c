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
#include <arch/pagetable.h>

struct domain *domain_table[DOMAIN_MAX];
struct domain *domain0;

unsigned int fake_yields;

static u64 kicks[FAKE_DOMAINS][DOMAIN_MAX_VCPUS];
static u64 free_at_start;

struct domain *domain_find(u16 domid)
{
	if (domid == DOMID_SELF)
		return current_domain();
	return domid < DOMAIN_MAX ? domain_table[domid] : NULL;
}

void vcpu_kick(struct vcpu *v)
{
	v->blocked = false;
	__atomic_fetch_add(&kicks[v->domain->id][v->id], 1, __ATOMIC_SEQ_CST);
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

u64 fake_kicks(const struct vcpu *v)
{
	return kicks[v->domain->id][v->id];
}

void fake_kicks_clear(void)
{
	for (int d = 0; d < FAKE_DOMAINS; d++)
		for (int v = 0; v < DOMAIN_MAX_VCPUS; v++)
			kicks[d][v] = 0;
}

void fake_machine_init(u64 frames, unsigned int cpus)
{
	/* Once per program: the allocator keeps what it was given. */
	if (!host_memory) {
		host_machine_init(frames, cpus);
		/* Frame 0 stays out: 0 means "no frame" in some places. */
		frame_alloc_add(1, frames);
	}
	free_at_start = frame_free_count();
	fake_kicks_clear();
}

void fake_machine_exit(void)
{
	CHECK(frame_free_count() == free_at_start);
	CHECK(host_locks_held == 0);
}

void fake_become(struct domain *d, u32 vcpu)
{
	host_current_vcpu = d->vcpus[vcpu];
}

struct domain *fake_domain_create(u16 id, u32 vcpus, bool privileged)
{
	struct domain *d = calloc(1, sizeof(*d));
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
	free(d);
	return true;
}

u64 fake_frame(struct domain *d)
{
	struct frame *f;

	CHECK(!frame_owner_alloc(&d->owner, 0, &f));
	return frame_mfn(f);
}

u64 fake_tables(struct domain *d)
{
	u64 mfn[5];
	int budget = 1 << 20;

	for (unsigned int level = 1; level <= 4; level++) {
		u64 *table;

		mfn[level] = fake_frame(d);
		table = mfn_to_virt(mfn[level]);
		if (level > 1)
			table[pt_index(FAKE_VA, level)] =
				mfn[level - 1] << PAGE_SHIFT | PTE_P | PTE_RW |
				PTE_US;
	}
	CHECK(!mmu_pin(&d->owner, mfn[4], 4, &budget));
	for (u32 i = 0; i < d->vcpu_count; i++)
		d->vcpus[i]->arch.kernel_cr3 = mfn[4] << PAGE_SHIFT;
	return mfn[1] << PAGE_SHIFT;
}
