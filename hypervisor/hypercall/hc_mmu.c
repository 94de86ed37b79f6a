// SPDX-License-Identifier: Apache-2.0
/*
 * Hypercalls on page tables: mmu_update, update_va_mapping (also for foreign
 * frames) and mmuext_op. What they ask for is done by mm/; here are the ABI's
 * structures, the choice of domains, and restarts.
 *
 * A restart leaves the rest of the list in the argument registers, with
 * MMU_UPDATE_PREEMPTED set in the count, and the number of elements done so far
 * where the guest wants it; being the guest's, it only ever goes back there.
 * Tables whose last reference an element dropped are drained before the next
 * element, and before the guest gets its answer.
 */
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/hypercall.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/context.h>
#include <arch/pagetable.h>
#include <arch/tlb.h>
#include <arch/uaccess.h>

#include <xen/xen.h>

#define UPDATES_PER_COPY 8

/* In the count: this is the rest of a call that was restarted. */
#define MMU_UPDATE_PREEMPTED (1U << 31)

/* ---- lists of elements ---- */

struct mmu_list {
	u64 va;      /* of the first element */
	u64 done_va; /* where the guest wants the count; 0: nowhere */
	u32 count;
	u32 done_before; /* in earlier parts of a restarted call */
};

static inline u32 list_done_before(u64 count, u64 done_va)
{
	u32 done = 0;

	if ((count & MMU_UPDATE_PREEMPTED) && done_va &&
	    guest_copy_in(&done, done_va, sizeof(done)))
		done = 0;
	return done;
}

/* Ends or interrupts a list of which i elements (of size_bytes) are done. */
static inline long list_finish(const struct mmu_list *l, u32 i, u32 size_bytes,
			       long rc)
{
	u32 done = l->done_before + i;

	if (l->done_va && guest_copy_out(l->done_va, &done, sizeof(done)) &&
	    !rc)
		rc = -EFAULT;
	if (unlikely(rc == -ERESTART)) {
		struct guest_regs *regs = &current_vcpu()->arch.regs;

		regs->rdi = l->va + (u64)i * size_bytes;
		regs->rsi = (l->count - i) | MMU_UPDATE_PREEMPTED;
	}
	return rc;
}

static int drain(struct frame_owner *o, int *budget)
{
	int rc;

	if (likely(!READ_ONCE(o->drain_mfn)))
		return 0;
	spin_lock(&o->mmu_lock);
	rc = frame_drain_locked(o, budget);
	spin_unlock(&o->mmu_lock);
	return rc;
}

/* ---- whose tables, whose frames ---- */

/* NULL: no such domain, or not for this caller (*rc says). */
static struct frame_owner *owner_of(u16 domid, int *rc)
{
	struct domain *me = current_domain(), *d;

	if (likely(domid == DOMID_SELF) || domid == me->id)
		return &me->owner;
	*rc = -EPERM;
	if (!me->privileged)
		return NULL;
	*rc = -ESRCH;
	d = domain_find(domid);
	return d ? &d->owner : NULL;
}

/* Bits 0..15: owner of the frames to map; 16..31: owner of the tables plus
 * one, or 0 for the caller. */
static int owners_of(u32 domid, struct frame_owner **tables,
		     struct frame_owner **frames)
{
	u16 table_domid = (u16)(domid >> 16);
	int rc = 0;

	*tables = owner_of(table_domid ? (u16)(table_domid - 1) : DOMID_SELF,
			   &rc);
	*frames = *tables;
	if (*tables && (u16)domid != DOMID_SELF)
		*frames = owner_of((u16)domid, &rc);
	else if (*tables && table_domid)
		*frames = &current_domain()->owner;
	return *tables && *frames ? 0 : rc;
}

/* ---- mmu_update ---- */

/* The guest fills tables that are not in use yet by the same call: then the
 * frame is ordinary memory and the entry a plain word of it. */
static int write_unused_table(struct frame_owner *o, struct frame *f, u64 ma,
			      u64 val, bool preserve_ad)
{
	u64 *word = maddr_to_virt(ma);
	int rc = frame_get_writable(f, o->id);

	if (rc)
		return rc;
	if (preserve_ad)
		val |= READ_ONCE(*word) & (PTE_A | PTE_D);
	WRITE_ONCE(*word, val);
	frame_put_writable(f);
	return 0;
}

/* A glance to choose the way, which then looks properly. */
static inline bool is_live_table(u64 ref)
{
	return (ref & FRAME_VALIDATED) && frame_type(ref) >= FRAME_L1 &&
	       frame_type(ref) <= FRAME_L4;
}

static int update_one(struct frame_owner *tables, struct frame_owner *frames,
		      const struct mmu_update *req, int *budget)
{
	u64 ma = req->ptr & ~3UL;
	struct frame *f = frame_of_mfn(ma >> PAGE_SHIFT);
	unsigned int type = req->ptr & 3;
	u64 ref;
	int rc;

	/* NO_TRANSLATE is the usual one: no guest has translated memory. */
	if (unlikely(!f || (req->ptr & 4)))
		return -EINVAL;
	if (unlikely(type == MMU_MACHPHYS_UPDATE)) {
		--*budget;
		return m2p_update(frames, ma >> PAGE_SHIFT, req->val);
	}
	ref = READ_ONCE(f->ref);
	if (!is_live_table(ref)) {
		--*budget;
		return write_unused_table(tables, f, ma, req->val,
					  type == MMU_PT_UPDATE_PRESERVE_AD);
	}
	if (likely(frame_type(ref) == FRAME_L1)) {
		--*budget;
		return mmu_update_l1(tables, frames, ma, req->val,
				     type == MMU_PT_UPDATE_PRESERVE_AD);
	}
	spin_lock(&tables->mmu_lock);
	rc = mmu_update_locked(tables, frames, ma, req->val,
			       type == MMU_PT_UPDATE_PRESERVE_AD, NULL, budget);
	spin_unlock(&tables->mmu_lock);
	return rc;
}

static NOINLINE long update_list(u64 reqs, u64 count, u64 done_va, u32 domid)
{
	struct mmu_update batch[UPDATES_PER_COPY];
	struct mmu_list l = {
		.va = reqs,
		.count = (u32)count & ~MMU_UPDATE_PREEMPTED,
		.done_va = done_va,
	};
	struct frame_owner *tables, *frames;
	int budget = HYPERCALL_BUDGET;
	u32 i = 0;
	int rc;

	l.done_before = list_done_before(count, done_va);
	rc = owners_of(domid, &tables, &frames);
	if (!rc)
		rc = drain(tables, &budget);
	while (!rc && i < l.count) {
		u32 n = MIN(l.count - i, UPDATES_PER_COPY), k;

		if (guest_copy_in(batch, l.va + (u64)i * sizeof(batch[0]),
				  n * sizeof(batch[0])))
			rc = -EFAULT;
		for (k = 0; k < n && !rc; k++) {
			rc = budget > 0 ? update_one(tables, frames, &batch[k],
						     &budget)
					: -ERESTART;
			if (rc)
				break;
			i++;
			rc = drain(tables, &budget);
		}
	}
	return list_finish(&l, i, sizeof(batch[0]), rc);
}

/*
 * One plain update of a level-1 entry of the caller's own: what stock kernels
 * ask for nearly always. If it is anything else nothing was done, and the
 * general way reads the request again and trusts nothing seen here.
 */
static long update_single(u64 req)
{
	struct frame_owner *mine = &current_domain()->owner;
	u64 ptr, val;

	if (!guest_read_u64(req, &ptr) && !guest_read_u64(req + 8, &val) &&
	    likely(!READ_ONCE(mine->drain_mfn)) &&
	    likely(mmu_update_own_l1(mine, ptr, val)))
		return 0;
	return update_list(req, 1, 0, DOMID_SELF);
}

long hc_mmu_update(u64 reqs, u64 count, u64 done_va, u64 domid, u64 a5, u64 a6)
{
	(void)a5;
	(void)a6;
	if (likely((u32)count == 1 && !done_va && (u32)domid == DOMID_SELF))
		return update_single(reqs);
	return update_list(reqs, count, done_va, (u32)domid);
}

/* ---- update_va_mapping ---- */

/* The set of vCPUs at mask_va: whether it names others than the current one,
 * and whether it names that. */
static int mask_read(u64 mask_va, bool *self, bool *others)
{
	const struct vcpu *v = current_vcpu();
	u32 count = v->domain->vcpu_count;
	u8 mask[(DOMAIN_MAX_VCPUS + 7) / 8] = { 0 };
	u32 i;

	*self = *others = false;
	if (guest_copy_in(mask, mask_va, (count + 7) / 8))
		return -EFAULT;
	for (i = 0; i < count; i++) {
		if (!(mask[i / 8] >> (i % 8) & 1))
			continue;
		if (i == v->id)
			*self = true;
		else
			*others = true;
	}
	return 0;
}

static void flush_everywhere(bool page, u64 va)
{
	struct frame_owner *o = &current_domain()->owner;
	u64 cpus_mask = __atomic_load_n(&o->dirty_cpus, __ATOMIC_ACQUIRE);

	if (page)
		tlb_flush_page_mask(cpus_mask, va);
	else
		tlb_flush_mask(cpus_mask);
}

static void flush_here(bool page, u64 va)
{
	if (page)
		tlb_flush_page_local(va);
	else
		tlb_flush_local();
}

/* Where the other vCPUs run is not followed: every CPU that may hold
 * translations of the domain flushes. */
static int flush_vcpus(u64 mask_va, bool page, u64 va)
{
	bool self, others;
	int rc = mask_read(mask_va, &self, &others);

	if (rc)
		return rc;
	if (others)
		flush_everywhere(page, va);
	else if (self)
		flush_here(page, va);
	return 0;
}

static int flush_after_update(u64 va, u64 flags)
{
	bool page = (flags & UVMF_FLUSHTYPE_MASK) == UVMF_INVLPG;
	u64 where = flags & ~UVMF_FLUSHTYPE_MASK;

	if ((flags & UVMF_FLUSHTYPE_MASK) == UVMF_NONE)
		return 0;
	if ((flags & UVMF_FLUSHTYPE_MASK) == UVMF_FLUSHTYPE_MASK)
		return -EINVAL;
	if (where == UVMF_ALL)
		flush_everywhere(page, va);
	else if (where == UVMF_LOCAL)
		flush_here(page, va);
	else
		return flush_vcpus(where, page, va);
	return 0;
}

static long update_va_mapping(struct frame_owner *frames, u64 va, u64 val,
			      u64 flags)
{
	const struct vcpu *v = current_vcpu();
	struct frame_owner *mine = &v->domain->owner;
	u64 ma = page_table_l1e(v->arch.kernel_cr3 >> PAGE_SHIFT, va);
	int rc = -EINVAL;

	/* The first of the two cannot say what is wrong. */
	if (ma && !(frames == mine && mmu_update_own_l1(mine, ma, val)))
		rc = mmu_update_l1(mine, frames, ma, val, false);
	else if (ma)
		rc = 0;
	return rc ? rc : flush_after_update(va, flags);
}

long hc_update_va_mapping(u64 va, u64 val, u64 flags, u64 a4, u64 a5, u64 a6)
{
	(void)a4;
	(void)a5;
	(void)a6;
	return update_va_mapping(&current_domain()->owner, va, val, flags);
}

long hc_update_va_mapping_otherdomain(u64 va, u64 val, u64 flags, u64 domid,
				      u64 a5, u64 a6)
{
	int rc = 0;
	struct frame_owner *frames = owner_of((u16)domid, &rc);

	(void)a5;
	(void)a6;
	return frames ? update_va_mapping(frames, va, val, flags) : rc;
}

/* ---- mmuext_op ---- */

/* Replaces one of the current vCPU's tables, *cr3, by the L4 in frame mfn (0:
 * none). */
static int base_switch(u64 *cr3, u64 mfn, int *budget)
{
	struct vcpu *v = current_vcpu();
	struct frame_owner *o = &v->domain->owner;
	u64 old = *cr3 >> PAGE_SHIFT;
	struct frame *f = NULL;
	int rc = 0;

	if (mfn) {
		f = frame_of_mfn(mfn);
		if (!f)
			return -EINVAL;
	}
	spin_lock(&o->mmu_lock);
	if (f)
		rc = frame_get_table_locked(o, f, FRAME_L4, budget);
	if (!rc) {
		*cr3 = mfn << PAGE_SHIFT;
		if (cr3 == &v->arch.kernel_cr3)
			vcpu_load_kernel_cr3(v);
		if (old)
			frame_put_table_locked(o, &frame_table[old], budget);
	}
	spin_unlock(&o->mmu_lock);
	return rc;
}

static void ldt_put(const u32 *mfns, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		frame_put_segdesc(&frame_table[mfns[i]]);
}

/* The descriptor pages that map the LDT at va. */
static int ldt_get(struct vcpu *v, u64 va, u32 pages, u32 *mfns)
{
	u64 l4_mfn = v->arch.kernel_cr3 >> PAGE_SHIFT;
	struct frame_owner *o = &v->domain->owner;
	struct frame *f;
	u32 i;
	int rc = 0;

	for (i = 0; i < pages; i++) {
		rc = page_table_get_frame(o, l4_mfn, va + i * PAGE_SIZE, false,
					  &f);
		if (rc)
			break;
		rc = frame_get_segdesc(o, f);
		frame_put(f);
		if (rc)
			break;
		mfns[i] = (u32)frame_mfn(f);
	}
	if (i == pages)
		return 0;
	ldt_put(mfns, i);
	return rc;
}

static int ldt_set(u64 va, u32 entries)
{
	struct vcpu *v = current_vcpu();
	u32 old_pages = (v->arch.ldt_entries + 511) / 512;
	u32 pages = (entries + 511) / 512;
	u32 old[ARRAY_SIZE(v->arch.ldt_frames_mfn)];
	u32 mfns[ARRAY_SIZE(v->arch.ldt_frames_mfn)] = { 0 };
	int rc;

	if (entries > ARRAY_SIZE(mfns) * 512 || (va & ~PAGE_MASK))
		return -EINVAL;
	rc = ldt_get(v, va, pages, mfns);
	if (rc)
		return rc;
	memcpy(old, v->arch.ldt_frames_mfn, sizeof(old));
	memcpy(v->arch.ldt_frames_mfn, mfns, sizeof(mfns));
	v->arch.ldt_va = entries ? va : 0;
	v->arch.ldt_entries = entries;
	if (pages || old_pages)
		vcpu_load_ldt(v);
	ldt_put(old, old_pages);
	return 0;
}

static int page_clear(struct frame_owner *o, u64 mfn)
{
	struct frame *f = frame_of_mfn(mfn);
	int rc = f ? frame_get_writable(f, o->id) : -EINVAL;

	if (rc)
		return rc;
	memset(mfn_to_virt(mfn), 0, PAGE_SIZE);
	frame_put_writable(f);
	return 0;
}

static int page_copy(struct frame_owner *o, u64 mfn, u64 src_mfn)
{
	struct frame *f = frame_of_mfn(mfn), *src = frame_of_mfn(src_mfn);
	int rc;

	if (!f || !src || !frame_get(src, o->id))
		return -EINVAL;
	rc = frame_get_writable(f, o->id);
	if (!rc) {
		memmove(mfn_to_virt(mfn), mfn_to_virt(src_mfn), PAGE_SIZE);
		frame_put_writable(f);
	}
	frame_put(src);
	return rc;
}

static int ext_one(struct frame_owner *o, const struct mmuext_op *op,
		   int *budget)
{
	struct arch_vcpu *arch = &current_vcpu()->arch;
	u64 va = op->arg1.linear_addr, mfn = op->arg1.mfn;
	bool page = op->cmd == MMUEXT_INVLPG_LOCAL ||
		    op->cmd == MMUEXT_INVLPG_MULTI ||
		    op->cmd == MMUEXT_INVLPG_ALL;

	--*budget;
	switch (op->cmd) {
	case MMUEXT_PIN_L1_TABLE:
	case MMUEXT_PIN_L2_TABLE:
	case MMUEXT_PIN_L3_TABLE:
	case MMUEXT_PIN_L4_TABLE:
		return mmu_pin(o, mfn, op->cmd - MMUEXT_PIN_L1_TABLE + 1,
			       budget);
	case MMUEXT_UNPIN_TABLE:
		return mmu_unpin(o, mfn, budget);
	case MMUEXT_NEW_BASEPTR:
		return mfn ? base_switch(&arch->kernel_cr3, mfn, budget)
			   : -EINVAL;
	case MMUEXT_NEW_USER_BASEPTR:
		return base_switch(&arch->user_cr3, mfn, budget);
	case MMUEXT_INVLPG_LOCAL:
	case MMUEXT_TLB_FLUSH_LOCAL:
		flush_here(page, va);
		return 0;
	case MMUEXT_INVLPG_MULTI:
	case MMUEXT_TLB_FLUSH_MULTI:
		return flush_vcpus((u64)op->arg2.vcpumask.p, page, va);
	case MMUEXT_INVLPG_ALL:
	case MMUEXT_TLB_FLUSH_ALL:
		flush_everywhere(page, va);
		return 0;
	case MMUEXT_SET_LDT:
		*budget -= (int)(op->arg2.nr_ents / 512) * COST_DESCRIPTORS;
		return ldt_set(va, op->arg2.nr_ents);
	case MMUEXT_CLEAR_PAGE:
		*budget -= COST_PAGE;
		return page_clear(o, mfn);
	case MMUEXT_COPY_PAGE:
		*budget -= COST_PAGE;
		return page_copy(o, mfn, op->arg2.src_mfn);
	default:
		return -ENOSYS;
	}
}

/*
 * NEW_BASEPTR and NEW_USER_BASEPTR in one list: a switch between processes.
 * False: something else, or not as simple as usual; the general code then
 * finds either of them done or not.
 */
static bool switch_process(u64 ops_va)
{
	struct vcpu *v = current_vcpu();
	struct frame_owner *o = &v->domain->owner;
	u64 cmd, user_cmd, mfn, user_mfn;

	if (guest_read_u64(ops_va, &cmd) || guest_read_u64(ops_va + 8, &mfn) ||
	    guest_read_u64(ops_va + sizeof(struct mmuext_op), &user_cmd) ||
	    guest_read_u64(ops_va + sizeof(struct mmuext_op) + 8, &user_mfn))
		return false;
	if ((u32)cmd != MMUEXT_NEW_BASEPTR ||
	    (u32)user_cmd != MMUEXT_NEW_USER_BASEPTR || !mfn ||
	    READ_ONCE(o->drain_mfn))
		return false;
	if (!mmu_switch_base(o, v->arch.user_cr3 >> PAGE_SHIFT, user_mfn))
		return false;
	v->arch.user_cr3 = user_mfn << PAGE_SHIFT;
	/* The old kernel table's reference goes only after CR3 has left it,
	 * which is safe as it is not the last one. */
	if (!mmu_switch_base(o, v->arch.kernel_cr3 >> PAGE_SHIFT, mfn))
		return false;
	v->arch.kernel_cr3 = mfn << PAGE_SHIFT;
	vcpu_load_kernel_cr3(v);
	return true;
}

/* The fields are read once each, as they are. */
static inline int ext_read(struct mmuext_op *op, u64 va)
{
	u64 cmd, arg1, arg2;

	_Static_assert(sizeof(*op) == 24 &&
			       offsetof(struct mmuext_op, arg1) == 8 &&
			       offsetof(struct mmuext_op, arg2) == 16,
		       "ext_read");
	if (guest_read_u64(va, &cmd) || guest_read_u64(va + 8, &arg1) ||
	    guest_read_u64(va + 16, &arg2))
		return -EFAULT;
	op->cmd = (u32)cmd;
	op->arg1.mfn = arg1;
	op->arg2.vcpumask.p = (void *)arg2;
	return 0;
}

static NOINLINE long ext_list(u64 ops, u64 count, u64 done_va, u64 domid)
{
	struct mmu_list l = {
		.va = ops,
		.count = (u32)count & ~MMU_UPDATE_PREEMPTED,
		.done_va = done_va,
	};
	struct frame_owner *mine = &current_domain()->owner, *o;
	int budget = HYPERCALL_BUDGET;
	struct mmuext_op op;
	int rc = 0;
	u32 i = 0;

	l.done_before = list_done_before(count, done_va);
	o = owner_of((u16)domid, &rc);
	if (!o)
		return list_finish(&l, 0, sizeof(op), rc);
	/* Base pointers are the caller's whatever domid says. */
	rc = drain(mine, &budget);
	if (!rc)
		rc = drain(o, &budget);
	while (!rc && i < l.count) {
		if (ext_read(&op, l.va + (u64)i * sizeof(op)))
			rc = -EFAULT;
		else
			rc = budget > 0 ? ext_one(o, &op, &budget) : -ERESTART;
		if (rc)
			break;
		i++;
		rc = drain(mine, &budget);
		if (!rc && o != mine)
			rc = drain(o, &budget);
	}
	return list_finish(&l, i, sizeof(op), rc);
}

/* A list of one for the caller itself, with nothing left from before. */
static long ext_single(u64 ops)
{
	struct mmu_list l = { .va = ops, .count = 1 };
	struct frame_owner *mine = &current_domain()->owner;
	int budget = HYPERCALL_BUDGET, rc;
	struct mmuext_op op;
	u32 done = 0;

	if (ext_read(&op, ops))
		return -EFAULT;
	rc = ext_one(mine, &op, &budget);
	if (!rc) {
		done = 1;
		rc = drain(mine, &budget);
	}
	return likely(!rc) ? 0 : list_finish(&l, done, sizeof(op), rc);
}

long hc_mmuext_op(u64 ops, u64 count, u64 done_va, u64 domid, u64 a5, u64 a6)
{
	(void)a5;
	(void)a6;
	if (likely((u16)domid == DOMID_SELF && !done_va &&
		   !READ_ONCE(current_domain()->owner.drain_mfn))) {
		if (count == 1)
			return ext_single(ops);
		if (count == 2 && switch_process(ops))
			return 0;
	}
	return ext_list(ops, count, done_va, domid);
}
