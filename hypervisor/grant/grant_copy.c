/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GNTTABOP_copy (contract in hv/grant.h): both pages are pinned like for a
 * map, then copied between through the direct map. Without a grant a side
 * names a machine frame of the caller itself.
 */
#include <hv/grant.h>
#include <hv/mm.h>
#include <hv/string.h>

#include "grant_table.h"

struct copy_side {
	struct domain *granter; /* NULL: the caller's own frame */
	struct frame *frame;
	bool write;
};

static int side_get(struct domain *d, const struct gnttab_copy_ptr *ptr,
		    bool by_ref, bool write, struct copy_side *side)
{
	struct frame *f;

	side->granter = NULL;
	side->write = write;
	if (by_ref) {
		side->granter = domain_find(ptr->domid);
		if (!side->granter)
			return GNTST_bad_domain;
		return grant_acquire(side->granter, d->id, ptr->u.ref, write,
				     &side->frame);
	}
	if (ptr->domid != DOMID_SELF && ptr->domid != d->id)
		return GNTST_permission_denied;
	f = frame_of_mfn(ptr->u.gmfn);
	if (!f)
		return GNTST_bad_page;
	if (write ? frame_get_writable(f, d->owner.id) != 0
		  : !frame_get(f, d->owner.id))
		return GNTST_bad_page;
	side->frame = f;
	return GNTST_okay;
}

static void side_put(const struct copy_side *side, u32 ref)
{
	if (side->granter)
		grant_release(side->granter, ref, side->write, side->frame);
	else if (side->write)
		frame_put_writable(side->frame);
	else
		frame_put(side->frame);
}

static int copy(struct domain *d, const struct gnttab_copy *op)
{
	struct copy_side src, dst;
	int rc;

	if (op->source.offset + op->len > PAGE_SIZE ||
	    op->dest.offset + op->len > PAGE_SIZE)
		return GNTST_bad_copy_arg;
	rc = side_get(d, &op->source, op->flags & GNTCOPY_source_gref, false,
		      &src);
	if (rc)
		return rc;
	rc = side_get(d, &op->dest, op->flags & GNTCOPY_dest_gref, true, &dst);
	if (!rc) {
		/* Both may be the same page. */
		memmove((u8 *)mfn_to_virt(frame_mfn(dst.frame)) +
				op->dest.offset,
			(u8 *)mfn_to_virt(frame_mfn(src.frame)) +
				op->source.offset,
			op->len);
		side_put(&dst, op->dest.u.ref);
	}
	side_put(&src, op->source.u.ref);
	return rc;
}

void grant_copy(struct domain *d, struct gnttab_copy *op)
{
	op->status = (int16_t)copy(d, op);
}
