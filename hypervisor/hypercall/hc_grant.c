/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grant_table_op: arrays are walked element by element, each copied in once.
 * When HYPERCALL_BUDGET is used up the call is restarted with the arguments
 * that describe the rest; like all arguments they are checked again.
 */
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/guest_access.h>
#include <hv/hypercall.h>

/* Of HYPERCALL_BUDGET, for the worst way of copying: backwards. */
#define COPY_BYTES_PER_UNIT 256

/* The rest of the array begins at arg. */
static long restart(u64 arg, u32 left)
{
	struct guest_regs *regs = &current_vcpu()->arch.regs;

	regs->rsi = arg;
	regs->rdx = left;
	return -ERESTART;
}

/*
 * Has act() work on the array, `batch` elements at a time in the buffer ops;
 * it returns what they cost. undo() takes back one batch whose results the
 * guest could not be given. Inlined, so that nothing is called indirectly.
 */
static inline __attribute__((always_inline)) long
walk(u64 arg, u32 count, void *ops, size_t size, u32 batch,
     int (*act)(struct domain *d, void *ops, u32 n),
     void (*undo)(struct domain *d, void *ops))
{
	struct domain *d = current_domain();
	int budget = HYPERCALL_BUDGET;
	u32 n;

	for (u32 left = count; left; left -= n, arg += n * size) {
		if (budget <= 0)
			return restart(arg, left);
		n = MIN(left, batch);
		if (guest_copy_in(ops, arg, n * size))
			return -EFAULT;
		budget -= act(d, ops, n);
		if (guest_copy_out(arg, ops, n * size)) {
			if (undo)
				undo(d, ops);
			return -EFAULT;
		}
	}
	return 0;
}

static int map_one(struct domain *d, void *ops, u32 n)
{
	(void)n;
	grant_map(d, ops);
	return COST_GRANT;
}

/* The guest cannot know the handle. */
static void map_undo(struct domain *d, void *ops)
{
	struct gnttab_map_grant_ref *op = ops;
	struct gnttab_unmap_grant_ref undo = {
		.host_addr = op->host_addr,
		.handle = op->handle,
	};

	if (op->status == GNTST_okay)
		grant_unmap(d, &undo, 1);
}

static long map(u64 arg, u32 count)
{
	struct gnttab_map_grant_ref op;

	return walk(arg, count, &op, sizeof(op), 1, map_one, map_undo);
}

static int unmap_batch(struct domain *d, void *ops, u32 n)
{
	grant_unmap(d, ops, n);
	return (int)n * COST_GRANT;
}

static long unmap(u64 arg, u32 count)
{
	struct gnttab_unmap_grant_ref ops[GRANT_UNMAP_BATCH];

	return walk(arg, count, ops, sizeof(ops[0]), GRANT_UNMAP_BATCH,
		    unmap_batch, NULL);
}

static int copy_one(struct domain *d, void *ops, u32 n)
{
	struct gnttab_copy *op = ops;
	int cost = COST_GRANT + op->len / COPY_BYTES_PER_UNIT;

	(void)n;
	grant_copy(d, op);
	return cost;
}

static long copy(u64 arg, u32 count)
{
	struct gnttab_copy op;

	return walk(arg, count, &op, sizeof(op), 1, copy_one, NULL);
}

/* The domain an operation on tables is about; NULL: *status says why not. */
static struct domain *target(u16 domid, int16_t *status)
{
	struct domain *d = current_domain();

	if (domid == DOMID_SELF || domid == d->id)
		return d;
	if (!d->privileged) {
		*status = GNTST_permission_denied;
		return NULL;
	}
	d = domain_find(domid);
	if (!d)
		*status = GNTST_bad_domain;
	return d;
}

static long setup_table(u64 arg, u32 count)
{
	struct gnttab_setup_table op;
	struct domain *d;

	if (count != 1)
		return -EINVAL;
	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	op.status = GNTST_okay;
	d = target(op.dom, &op.status);
	if (d && grant_setup(d, op.nr_frames))
		op.status = GNTST_general_error;
	for (u32 i = 0; op.status == GNTST_okay && i < op.nr_frames; i++) {
		u64 mfn = grant_frame_mfn(d, i);

		if (guest_copy_out((u64)op.frame_list.p + i * sizeof(mfn), &mfn,
				   sizeof(mfn)))
			op.status = GNTST_bad_virt_addr;
	}
	return guest_copy_out(arg, &op, sizeof(op)) ? -EFAULT : 0;
}

static long query_size(u64 arg, u32 count)
{
	struct gnttab_query_size op;
	struct domain *d;

	if (count != 1)
		return -EINVAL;
	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	op.status = GNTST_okay;
	d = target(op.dom, &op.status);
	if (d) {
		op.nr_frames = grant_frame_count(d);
		op.max_nr_frames = GRANT_MAX_FRAMES;
	}
	return guest_copy_out(arg, &op, sizeof(op)) ? -EFAULT : 0;
}

static long get_version(u64 arg, u32 count)
{
	struct gnttab_get_version op;
	int16_t status = GNTST_okay;

	if (count != 1)
		return -EINVAL;
	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	if (!target(op.dom, &status))
		return status == GNTST_bad_domain ? -ESRCH : -EPERM;
	op.version = 1;
	return guest_copy_out(arg, &op, sizeof(op)) ? -EFAULT : 0;
}

long hc_grant_table_op(u64 cmd, u64 arg, u64 count, u64 a4, u64 a5, u64 a6)
{
	(void)a4, (void)a5, (void)a6;
	switch ((u32)cmd) {
	case GNTTABOP_map_grant_ref:
		return map(arg, (u32)count);
	case GNTTABOP_unmap_grant_ref:
		return unmap(arg, (u32)count);
	case GNTTABOP_copy:
		return copy(arg, (u32)count);
	case GNTTABOP_setup_table:
		return setup_table(arg, (u32)count);
	case GNTTABOP_query_size:
		return query_size(arg, (u32)count);
	case GNTTABOP_get_version:
		return get_version(arg, (u32)count);
	default:
		/* Version 1 only: set_version, status frames and swapping do
		 * not exist; transfer would move a frame with its history. */
		return -ENOSYS;
	}
}
