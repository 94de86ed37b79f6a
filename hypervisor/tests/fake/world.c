// SPDX-License-Identifier: Apache-2.0
/* See domains.h: what is the same whether the domains are fakes or real. */
#include <hv/log.h>
#include <hv/mm.h>

#include <arch/host_machine.h>
#include <arch/pagetable.h>

#include "domains.h"

unsigned int fake_yields;

static u64 kicks[FAKE_DOMAINS][DOMAIN_MAX_VCPUS];
static u64 free_at_start;

void fake_kicked(const struct vcpu *v)
{
	if (v->domain->id < FAKE_DOMAINS)
		__atomic_fetch_add(&kicks[v->domain->id][v->id], 1,
				   __ATOMIC_SEQ_CST);
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
