// SPDX-License-Identifier: Apache-2.0
/*
 * memory_op: a domain's reservation (balloon, exchange) and what it may know
 * of the memory map.
 *
 * A restart of the operations on lists of extents keeps the number of extents
 * done in the command's bits above MEMOP_CMD_BITS; the exchange keeps it in
 * the guest's structure. Both come back as hostile input like any other.
 */
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/guest_access.h>
#include <hv/hypercall.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <xen/memory.h>

#define MEMOP_CMD_BITS 6
#define MEMOP_CMD_MASK ((1UL << MEMOP_CMD_BITS) - 1)

/* Largest extent a guest may name: bounds the work on one element. Clients
 * of this interface cope with a limit, as it is configurable elsewhere. */
#define EXTENT_ORDER_MAX 8
#define EXCHANGE_ORDER_MAX 7

#define M2P_TABLE_END 0xffff804000000000UL

struct e820_entry {
	u64 address, size_bytes;
	u32 type;
} PACKED;

#define E820_RAM 1

/* ---- domains ---- */

static int domain_of(u16 domid, struct domain **d)
{
	struct domain *me = current_domain();

	*d = me;
	if (domid == DOMID_SELF || domid == me->id)
		return 0;
	if (!me->privileged)
		return -EPERM;
	*d = domain_find(domid);
	return *d ? 0 : -ESRCH;
}

/* ---- lists of extents ---- */

/* The first machine address that frames may not have; 0: any. */
static u64 limit_of(const struct xen_memory_reservation *r)
{
	unsigned int bits = XENMEMF_get_address_bits(r->mem_flags);

	return bits && bits < 52 ? 1UL << bits : 0;
}

static u64 extent_va(const struct xen_memory_reservation *r, u64 i)
{
	return (u64)r->extent_start.p + i * sizeof(xen_pfn_t);
}

static int extent_decrease(struct domain *d,
			   const struct xen_memory_reservation *r, u64 i)
{
	u64 mfn, k;
	int rc;

	if (guest_copy_in(&mfn, extent_va(r, i), sizeof(mfn)))
		return -EFAULT;
	for (k = 0; k < 1UL << r->extent_order; k++) {
		struct frame *f = frame_of_mfn(mfn + k);

		rc = f ? frame_owner_release(&d->owner, f) : -EINVAL;
		if (rc)
			return rc;
	}
	return 0;
}

/* populate: the list has the PFNs. */
static int extent_increase(struct domain *d,
			   const struct xen_memory_reservation *r, u64 i,
			   bool populate)
{
	u64 pfn = 0, mfn, k;
	struct frame *f;
	int rc;

	if (populate && guest_copy_in(&pfn, extent_va(r, i), sizeof(pfn)))
		return -EFAULT;
	rc = frame_owner_alloc_below(&d->owner, r->extent_order, limit_of(r),
				     &f);
	if (rc)
		return rc;
	mfn = frame_mfn(f);
	for (k = 0; populate && k < 1UL << r->extent_order; k++)
		m2p_set(mfn + k, pfn + k);
	if (r->extent_start.p &&
	    guest_copy_out(extent_va(r, i), &mfn, sizeof(mfn)))
		return -EFAULT;
	return 0;
}

static int extent_one(u64 cmd, struct domain *d,
		      const struct xen_memory_reservation *r, u64 i)
{
	if (cmd == XENMEM_decrease_reservation)
		return extent_decrease(d, r, i);
	return extent_increase(d, r, i, cmd == XENMEM_populate_physmap);
}

/* The ABI's result is the number of extents done, however far that is. */
static long reservation(u64 cmd, u64 start, u64 arg)
{
	struct xen_memory_reservation r;
	int budget = HYPERCALL_BUDGET;
	struct domain *d;
	u64 i;
	int rc;

	if (guest_copy_in(&r, arg, sizeof(r)))
		return -EFAULT;
	if (r.extent_order > EXTENT_ORDER_MAX || start > r.nr_extents ||
	    r.nr_extents > ~0UL >> (MEMOP_CMD_BITS + 1))
		return (long)MIN(start, r.nr_extents);
	rc = domain_of(r.domid, &d);
	if (rc)
		return start ? (long)start : rc;
	for (i = start; i < r.nr_extents; i++) {
		if (budget <= 0) {
			current_vcpu()->arch.regs.rdi =
				cmd | i << MEMOP_CMD_BITS;
			return -ERESTART;
		}
		budget -= (cmd == XENMEM_decrease_reservation ? COST_PAGE_TAKEN
							      : COST_PAGE_GIVEN)
			  << r.extent_order;
		if (extent_one(cmd, d, &r, i))
			break;
	}
	return (long)i;
}

/* ---- exchange ---- */

/* Frames between owners, chained by next_mfn; 0 ends. */
struct chain {
	u32 first_mfn;
};

static void chain_push(struct chain *c, struct frame *f)
{
	f->next_mfn = c->first_mfn;
	c->first_mfn = (u32)frame_mfn(f);
}

static struct frame *chain_pop(struct chain *c)
{
	struct frame *f;

	if (!c->first_mfn)
		return NULL;
	f = &frame_table[c->first_mfn];
	c->first_mfn = f->next_mfn;
	return f;
}

static void chain_give(struct chain *c, struct frame_owner *o)
{
	struct frame *f;

	while ((f = chain_pop(c)))
		frame_owner_give(o, f);
}

static void chain_free(struct chain *c)
{
	struct frame *f;

	while ((f = chain_pop(c))) {
		m2p_set(frame_mfn(f), M2P_INVALID);
		frame_free(f, 0);
	}
}

/* Takes input extents [i, i + n) out of the domain. */
static int exchange_take(struct domain *d,
			 const struct xen_memory_reservation *in, u64 i, u64 n,
			 struct chain *taken)
{
	u64 mfn, k, end = i + n;
	int rc;

	for (; i < end; i++) {
		if (guest_copy_in(&mfn, extent_va(in, i), sizeof(mfn)))
			return -EFAULT;
		for (k = 0; k < 1UL << in->extent_order; k++) {
			struct frame *f = frame_of_mfn(mfn + k);

			rc = f ? frame_owner_steal(&d->owner, f) : -EINVAL;
			if (rc)
				return rc;
			chain_push(taken, f);
		}
	}
	return 0;
}

/* Allocates output extents [i, i + n), with the M2P as the guest wants it: the
 * frames are nobody's yet, so that is easily undone. Pushed so that the last
 * extent comes first, each from its lowest frame up. */
static int exchange_make(const struct xen_memory_reservation *out, u64 i, u64 n,
			 struct chain *made)
{
	u64 limit = limit_of(out), end = i + n;

	for (; i < end; i++) {
		u64 pfn, k = 1UL << out->extent_order;
		struct frame *f;

		if (guest_copy_in(&pfn, extent_va(out, i), sizeof(pfn)))
			return -EFAULT;
		f = frame_alloc_below(out->extent_order, limit ? limit : ~0UL);
		if (!f)
			return -ENOMEM;
		while (k-- > 0) {
			m2p_set(frame_mfn(f) + k, pfn + k);
			chain_push(made, &f[k]);
		}
	}
	return 0;
}

/* Tells the guest the numbers of what exchange_make made. */
static int exchange_tell(const struct xen_memory_reservation *out, u64 i, u64 n,
			 const struct chain *made)
{
	u64 at = i + n, mfn = made->first_mfn, k;

	while (at-- > i) {
		if (guest_copy_out(extent_va(out, at), &mfn, sizeof(mfn)))
			return -EFAULT;
		for (k = 0; k < 1UL << out->extent_order; k++)
			mfn = frame_table[mfn].next_mfn;
	}
	return 0;
}

/* One step of 2^order pages, all or nothing; `done`: steps before it. */
static int exchange_step(struct domain *d, const struct xen_memory_exchange *x,
			 unsigned int order, u64 done)
{
	u64 in_n = 1UL << (order - x->in.extent_order);
	u64 out_n = 1UL << (order - x->out.extent_order);
	struct chain taken = { 0 }, made = { 0 };
	int rc;

	rc = exchange_take(d, &x->in, done * in_n, in_n, &taken);
	if (!rc)
		rc = exchange_make(&x->out, done * out_n, out_n, &made);
	if (!rc)
		rc = exchange_tell(&x->out, done * out_n, out_n, &made);
	if (rc) {
		chain_free(&made);
		chain_give(&taken, &d->owner);
		return rc;
	}
	chain_give(&made, &d->owner);
	chain_free(&taken);
	return 0;
}

static long exchange(u64 arg)
{
	u64 done_va = arg + offsetof(struct xen_memory_exchange, nr_exchanged);
	struct xen_memory_exchange x;
	int budget = HYPERCALL_BUDGET;
	unsigned int order;
	struct domain *d;
	u64 per_step;
	int rc;

	if (guest_copy_in(&x, arg, sizeof(x)))
		return -EFAULT;
	order = MAX(x.in.extent_order, x.out.extent_order);
	if (order > EXCHANGE_ORDER_MAX || x.in.domid != x.out.domid ||
	    x.in.nr_extents > 1UL << 40 || x.out.nr_extents > 1UL << 40 ||
	    x.in.nr_extents << x.in.extent_order !=
		    x.out.nr_extents << x.out.extent_order ||
	    x.nr_exchanged > x.in.nr_extents)
		return -EINVAL;
	per_step = 1UL << (order - x.in.extent_order);
	if (x.in.nr_extents % per_step || x.nr_exchanged % per_step)
		return -EINVAL;
	rc = domain_of(x.in.domid, &d);
	if (!rc && d != current_domain())
		rc = -EPERM; /* only our own running keeps the owner alive */
	while (!rc && x.nr_exchanged < x.in.nr_extents) {
		if (budget <= 0) {
			rc = -ERESTART;
			break;
		}
		budget -= (COST_PAGE_GIVEN + COST_PAGE_TAKEN) << order;
		rc = exchange_step(d, &x, order, x.nr_exchanged / per_step);
		if (!rc)
			x.nr_exchanged += per_step;
	}
	if (guest_copy_out(done_va, &x.nr_exchanged, sizeof(x.nr_exchanged)) &&
	    (!rc || rc == -ERESTART))
		rc = -EFAULT;
	return rc;
}

/* ---- what a domain may know ---- */

static long machphys_mapping(u64 arg)
{
	const struct xen_machphys_mapping m = {
		.v_start = HV_VIRT_START,
		.v_end = M2P_TABLE_END,
		.max_mfn = frame_max_mfn - 1,
	};

	return guest_copy_out(arg, &m, sizeof(m)) ? -EFAULT : 0;
}

/* Up to its limit, so that a guest's balloon can grow there; Domain 0, which
 * nothing limits, sees what it has. */
static u64 pages_shown(const struct domain *d)
{
	return d->privileged || d->owner.max_pages < d->owner.pages
		       ? d->owner.pages
		       : d->owner.max_pages;
}

/* Every domain, Domain 0 too, sees its own memory as one block at 0. */
static long memory_map(u64 arg)
{
	const struct e820_entry ram = {
		.size_bytes = pages_shown(current_domain()) << PAGE_SHIFT,
		.type = E820_RAM,
	};
	struct xen_memory_map map;

	if (guest_copy_in(&map, arg, sizeof(map)))
		return -EFAULT;
	if (map.buffer.p && map.nr_entries < 1)
		return -EINVAL;
	map.nr_entries = 1;
	if ((map.buffer.p &&
	     guest_copy_out((u64)map.buffer.p, &ram, sizeof(ram))) ||
	    guest_copy_out(arg, &map, sizeof(map)))
		return -EFAULT;
	return 0;
}

static long reservation_size(u64 cmd, u64 arg)
{
	struct xen_memory_domain m;
	struct domain *d;
	int rc;

	if (guest_copy_in(&m, arg, sizeof(m)))
		return -EFAULT;
	rc = domain_of(m.domid, &d);
	if (rc)
		return rc;
	return (long)(cmd == XENMEM_current_reservation ? d->owner.pages
							: d->owner.max_pages);
}

/* ---- resources of a domain that Domain 0 maps by frame number ---- */

static long grant_frames(struct domain *d,
			 const struct xen_mem_acquire_resource *r)
{
	if (r->frame > GRANT_MAX_FRAMES ||
	    r->nr_frames > GRANT_MAX_FRAMES - r->frame ||
	    grant_setup(d, (u32)r->frame + r->nr_frames))
		return -EINVAL;
	for (u32 i = 0; i < r->nr_frames; i++) {
		u64 mfn = grant_frame_mfn(d, (u32)r->frame + i);

		if (guest_copy_out((u64)r->frame_list.p + i * sizeof(mfn), &mfn,
				   sizeof(mfn)))
			return -EFAULT;
	}
	return 0;
}

static long acquire_resource(u64 arg)
{
	struct xen_mem_acquire_resource r;
	struct domain *d;

	if (!current_domain()->privileged)
		return -EPERM;
	if (guest_copy_in(&r, arg, sizeof(r)))
		return -EFAULT;
	if (r.pad)
		return -EINVAL;
	d = domain_find(r.domid);
	if (!d)
		return -ESRCH;
	if (r.type != XENMEM_resource_grant_table)
		return -EOPNOTSUPP;
	if (r.id != XENMEM_resource_grant_table_id_shared)
		return -EINVAL;
	if (r.nr_frames)
		return grant_frames(d, &r);
	if (r.frame_list.p)
		return -EINVAL;
	r.nr_frames = GRANT_MAX_FRAMES;
	return guest_copy_out(arg, &r, sizeof(r)) ? -EFAULT : 0;
}

long hc_memory_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6)
{
	u64 start = cmd >> MEMOP_CMD_BITS;

	(void)a3;
	(void)a4;
	(void)a5;
	(void)a6;
	cmd &= MEMOP_CMD_MASK;
	switch (cmd) {
	case XENMEM_increase_reservation:
	case XENMEM_decrease_reservation:
	case XENMEM_populate_physmap:
		return reservation(cmd, start, arg);
	case XENMEM_exchange:
		return exchange(arg);
	case XENMEM_maximum_ram_page:
		return (long)(frame_max_mfn - 1);
	case XENMEM_current_reservation:
	case XENMEM_maximum_reservation:
		return reservation_size(cmd, arg);
	case XENMEM_machphys_mapping:
		return machphys_mapping(arg);
	case XENMEM_machine_memory_map:
		if (!current_domain()->privileged)
			return -EPERM;
		return memory_map(arg);
	case XENMEM_memory_map:
		return memory_map(arg);
	case XENMEM_acquire_resource:
		return acquire_resource(arg);
	default:
		return -ENOSYS;
	}
}
