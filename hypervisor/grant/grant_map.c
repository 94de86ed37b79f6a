/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mapper's side (contract in hv/grant.h). A map takes a handle, a pin of
 * the granter's entry and, through the level-1 entry it sets, what any
 * mapping takes. The handle remembers that entry's machine address.
 *
 * Invariant: every level-1 entry of d that maps a granted frame is the one of
 * a live handle for that frame, since only grant_map can set it and nothing
 * can copy it. So a handle may go once its entry no longer maps the frame,
 * and the pin with it once no CPU caches the translation.
 */
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/mm.h>

#include <arch/pagetable.h>
#include <arch/tlb.h>

#include "grant_table.h"

static struct maptrack *maptrack_of(const struct grant_table *t, u32 handle)
{
	if (handle >= t->maptrack_pages * MAPTRACK_PER_PAGE)
		return NULL;
	return &t->maptrack[handle / MAPTRACK_PER_PAGE]
			   [handle % MAPTRACK_PER_PAGE];
}

/* Adds a page of free handles; lock held. */
static bool maptrack_grow(struct domain *d)
{
	struct grant_table *t = d->grants;
	u32 base = t->maptrack_pages * MAPTRACK_PER_PAGE;
	struct maptrack *page;

	if (!t->maptrack)
		t->maptrack = state_page_alloc(&d->owner);
	if (!t->maptrack || t->maptrack_pages == MAPTRACK_PAGES)
		return false;
	page = state_page_alloc(&d->owner);
	if (!page)
		return false;
	for (u32 i = 0; i < MAPTRACK_PER_PAGE; i++)
		page[i].ref = base + i + 1;
	page[MAPTRACK_PER_PAGE - 1].ref = t->maptrack_free;
	t->maptrack[t->maptrack_pages++] = page;
	t->maptrack_free = base;
	return true;
}

/* A handle in state MAPTRACK_BUSY, or MAPTRACK_NONE. */
static u32 handle_get(struct domain *d, struct maptrack **out)
{
	struct grant_table *t = d->grants;
	u32 handle = MAPTRACK_NONE;

	spin_lock(&t->lock);
	if (t->maptrack_free != MAPTRACK_NONE || maptrack_grow(d)) {
		handle = t->maptrack_free;
		*out = maptrack_of(t, handle);
		t->maptrack_free = (*out)->ref;
		(*out)->state = MAPTRACK_BUSY;
	}
	spin_unlock(&t->lock);
	return handle;
}

static void handle_put(struct domain *d, u32 handle, struct maptrack *m)
{
	struct grant_table *t = d->grants;

	spin_lock(&t->lock);
	*m = (struct maptrack){
		.state = MAPTRACK_FREE,
		.ref = t->maptrack_free,
	};
	t->maptrack_free = handle;
	spin_unlock(&t->lock);
}

static void handle_publish(struct domain *d, struct maptrack *m)
{
	spin_lock(&d->grants->lock);
	m->state = MAPTRACK_LIVE;
	spin_unlock(&d->grants->lock);
}

/* Machine address of the level-1 entry that a map names; 0: none. */
static u64 named_pte(const struct gnttab_map_grant_ref *op)
{
	u64 va = op->host_addr;

	if (op->flags & GNTMAP_contains_pte)
		return va % sizeof(u64) ? 0 : va;
	if (va % PAGE_SIZE || (va >= HV_VIRT_START && va < HV_VIRT_END))
		return 0;
	return page_table_l1e(current_vcpu()->arch.kernel_cr3 >> PAGE_SHIFT,
			      va);
}

static u64 pte_for(const struct gnttab_map_grant_ref *op, u64 mfn)
{
	u64 avail =
		(op->flags >> _GNTMAP_guest_avail0) * (PTE_AVAIL & -PTE_AVAIL);

	return mfn << PAGE_SHIFT | PTE_P | PTE_US | PTE_A | PTE_D |
	       (op->flags & GNTMAP_readonly ? 0 : PTE_RW) | (avail & PTE_AVAIL);
}

/* Everything but the handle. */
static int map_with(struct domain *d, struct gnttab_map_grant_ref *op,
		    struct domain *granter, struct maptrack *m)
{
	bool write = !(op->flags & GNTMAP_readonly);
	struct frame *f;
	u64 ma;
	int rc;

	rc = grant_acquire(granter, d->id, op->ref, write, &f);
	if (rc)
		return rc;
	ma = named_pte(op);
	if (!ma || mmu_update_l1(&d->owner, &granter->owner, ma,
				 pte_for(op, frame_mfn(f)), false)) {
		grant_release(granter, op->ref, write, f);
		return GNTST_bad_virt_addr;
	}
	m->granter = granter;
	m->pte_ma = ma;
	m->host_addr = op->host_addr;
	m->ref = op->ref;
	m->mfn = (u32)frame_mfn(f);
	m->write = write;
	return GNTST_okay;
}

void grant_map(struct domain *d, struct gnttab_map_grant_ref *op)
{
	struct maptrack *m = NULL;
	struct domain *granter;
	u32 handle;

	/* Devices are the hypervisor's: no mapping for them exists. */
	if ((op->flags & (GNTMAP_host_map | GNTMAP_device_map)) !=
	    GNTMAP_host_map) {
		op->status = GNTST_general_error;
		return;
	}
	granter = domain_find(op->dom);
	if (!granter) {
		op->status = GNTST_bad_domain;
		return;
	}
	handle = handle_get(d, &m);
	if (handle == MAPTRACK_NONE) {
		op->status = GNTST_no_space;
		return;
	}
	op->status = (int16_t)map_with(d, op, granter, m);
	if (op->status) {
		handle_put(d, handle, m);
		return;
	}
	op->handle = handle;
	op->dev_bus_addr = (u64)m->mfn << PAGE_SHIFT;
	handle_publish(d, m);
}

/* Takes the level-1 entry away if it still maps the frame. */
static int zap(struct domain *d, const struct maptrack *m)
{
	u64 pte = READ_ONCE(*(u64 *)maddr_to_virt(m->pte_ma));

	if (!(pte & PTE_P) || pte_mfn(pte) != m->mfn)
		return GNTST_okay;
	/* It refuses what is no page table of d any more; then the entry
	 * above was other data, and the handle stays to be on the safe side. */
	if (mmu_update_l1(&d->owner, &d->owner, m->pte_ma, 0, false))
		return GNTST_general_error;
	return GNTST_okay;
}

/* Up to the flush. NULL: nothing is left to do, op->status says why. */
static struct maptrack *unmap_begin(struct domain *d,
				    struct gnttab_unmap_grant_ref *op)
{
	struct grant_table *t = d->grants;
	struct maptrack *m;

	op->status = GNTST_okay;
	/* There are no device mappings, so dev_bus_addr names nothing. */
	if (!op->host_addr)
		return NULL;
	spin_lock(&t->lock);
	m = maptrack_of(t, op->handle);
	if (!m || m->state != MAPTRACK_LIVE)
		op->status = GNTST_bad_handle;
	else if (m->host_addr != op->host_addr)
		op->status = GNTST_bad_virt_addr;
	else
		m->state = MAPTRACK_BUSY;
	spin_unlock(&t->lock);
	if (op->status)
		return NULL;
	op->status = (int16_t)zap(d, m);
	if (op->status) {
		handle_publish(d, m);
		return NULL;
	}
	return m;
}

static void unmap_finish(struct domain *d, u32 handle, struct maptrack *m)
{
	grant_release(m->granter, m->ref, m->write, frame_of_mfn(m->mfn));
	handle_put(d, handle, m);
}

void grant_unmap(struct domain *d, struct gnttab_unmap_grant_ref *ops,
		 u32 count)
{
	struct maptrack *begun[GRANT_UNMAP_BATCH];
	bool any = false;

	for (u32 i = 0; i < count; i++) {
		begun[i] = unmap_begin(d, &ops[i]);
		any = any || begun[i];
	}
	if (any)
		tlb_flush_mask(__atomic_load_n(&d->owner.dirty_cpus,
					       __ATOMIC_SEQ_CST));
	for (u32 i = 0; i < count; i++) {
		if (begun[i])
			unmap_finish(d, ops[i].handle, begun[i]);
	}
}

int grant_domain_exit(struct domain *d, int *budget)
{
	struct grant_table *t = d->grants;
	u32 end;

	if (!t)
		return 0;
	if (!t->exit_handle)
		tlb_flush_mask(__atomic_load_n(&d->owner.dirty_cpus,
					       __ATOMIC_SEQ_CST));
	/* Its level-1 entries keep their own references until its page tables
	 * go; no CPU uses them any more. */
	end = t->maptrack_pages * MAPTRACK_PER_PAGE;
	for (; t->exit_handle < end; t->exit_handle++) {
		struct maptrack *m = maptrack_of(t, t->exit_handle);

		if (m->state != MAPTRACK_LIVE)
			continue;
		if (--*budget < 0)
			return -ERESTART;
		unmap_finish(d, t->exit_handle, m);
	}
	return 0;
}
