// SPDX-License-Identifier: Apache-2.0
/*
 * Creation of VBDs. One is under way at a time; the steps are short, and the
 * caller repeats the whole operation until it is done, which is when the new
 * VBD has been compared with every other one. Another creation in between
 * makes the first start again. All under block_lock.
 */
#include <hv/disk.h>
#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/log.h>
#include <hv/mm.h>

#include "vbd.h"

_Static_assert(EXTENTS_MAX == XENO_VBD_EXTENTS_MAX, "vbd.h names our limit");

/* Extents copied, sorted or compared by one call. */
#define STEP_EXTENTS 2048
#define COPY_CHUNK 64
#define COST_COPY 4

static struct {
	struct vbd *vbd; /* NULL: nothing is under way */
	u64 address;     /* of its extents in the caller's memory */
	u32 count;       /* that the caller named */
	u32 copied;
	u32 sort_width;  /* 0: sorted */
	struct list *at; /* in vbd_list: the next to compare with */
} creation;

static u16 sort_scratch[EXTENTS_MAX];

void vbd_free(struct vbd *v)
{
	struct frame_owner *owner = &v->domain->owner;

	for (u32 i = 0; i < EXTENT_PAGES; i++) {
		if (v->map.pages[i] && v->map.pages[i] != v->inline_extents)
			state_page_free(owner, v->map.pages[i]);
	}
	if (v->map.order && v->map.order != v->inline_order)
		state_page_free(owner, v->map.order);
	state_page_free(owner, v);
}

void vbd_create_forget(const struct vbd *v)
{
	if (creation.vbd && creation.at == &v->link)
		creation.at = v->link.next;
}

static void abandon(void)
{
	if (creation.vbd)
		vbd_free(creation.vbd);
	creation.vbd = NULL;
}

void vbd_create_abandon(const struct domain *d)
{
	if (creation.vbd && creation.vbd->domain == d)
		abandon();
}

static bool map_alloc(struct vbd *v, u32 extents)
{
	struct frame_owner *owner = &v->domain->owner;
	struct extent_map *m = &v->map;

	m->capacity = extents;
	if (extents <= VBD_INLINE_EXTENTS) {
		m->pages[0] = v->inline_extents;
		m->order = v->inline_order;
		return true;
	}
	for (u32 i = 0; i * EXTENTS_PER_PAGE < extents; i++) {
		m->pages[i] = state_page_alloc(owner);
		if (!m->pages[i])
			return false;
	}
	m->order = state_page_alloc(owner);
	return m->order != NULL;
}

static int state_init(struct domain *d)
{
	if (d->block)
		return 0;
	d->block = state_page_alloc(&d->owner);
	if (!d->block)
		return -ENOMEM;
	for (u32 i = 0; i < DISKS_MAX; i++)
		disk_share_init(&d->block->shares[i]);
	return 0;
}

static int begin(struct domain *d, const struct xeno_vbd_create *c)
{
	struct vbd *v;
	int rc = state_init(d);

	if (rc)
		return rc;
	if (d->block->count == XENO_VBDS_PER_DOMAIN)
		return -ENOSPC;
	v = state_page_alloc(&d->owner);
	if (!v)
		return -ENOMEM;
	v->domain = d;
	v->id = c->vbd;
	v->flags = c->flags;
	list_init(&v->link);
	spin_init(&v->meter_lock, RANK_VBD_METER);
	if (!map_alloc(v, c->extent_count)) {
		vbd_free(v);
		return -ENOMEM;
	}
	creation.vbd = v;
	creation.address = c->extents;
	creation.count = c->extent_count;
	creation.copied = 0;
	creation.sort_width = 1;
	creation.at = vbd_list.next;
	return 0;
}

static bool continues(const struct domain *d, const struct xeno_vbd_create *c)
{
	const struct vbd *v = creation.vbd;

	return v && v->domain == d && v->id == c->vbd && v->flags == c->flags &&
	       creation.address == c->extents &&
	       creation.count == c->extent_count;
}

static int add_extent(struct vbd *v, const struct xeno_vbd_extent *e)
{
	struct disk *disk = disk_find(e->disk);

	if (e->mbz)
		return -EINVAL;
	if (!disk)
		return -ENOENT;
	if (!e->sectors || e->sectors > disk->sectors ||
	    e->first_sector > disk->sectors - e->sectors)
		return -EINVAL;
	if (disk->flags & DISK_READ_ONLY && !(v->flags & XENO_VBD_READ_ONLY))
		return -EROFS;
	disk_queue_init(disk->id);
	if (disk->flags & DISK_HAS_FLUSH)
		v->flush_disks |= 1U << disk->id;
	return extent_map_add(&v->map, disk->id, e->first_sector, e->sectors);
}

static int copy_some(int *steps)
{
	struct xeno_vbd_extent chunk[COPY_CHUNK];

	while (creation.copied<creation.count && * steps> 0) {
		u32 n = MIN(creation.count - creation.copied, COPY_CHUNK);
		int rc = guest_copy_in(chunk,
				       creation.address +
					       creation.copied * sizeof(*chunk),
				       n * sizeof(*chunk));

		for (u32 i = 0; !rc && i < n; i++)
			rc = add_extent(creation.vbd, &chunk[i]);
		if (rc)
			return rc;
		creation.copied += n;
		*steps -= (int)n * COST_COPY;
	}
	return 0;
}

static void sort_some(int *steps)
{
	struct extent_map *m = &creation.vbd->map;

	while (creation.sort_width && *steps > 0) {
		creation.sort_width = extent_map_sort_step(
			m, creation.sort_width, sort_scratch);
		*steps -= (int)m->count;
	}
}

/* Whether the two may not exist together. */
static bool collide(const struct vbd *a, const struct vbd *b)
{
	if (!a->domain->id || !b->domain->id)
		return false;
	if (a->flags & b->flags & XENO_VBD_READ_ONLY)
		return false;
	return extent_map_overlap(&a->map, &b->map);
}

static int compare_some(int *steps)
{
	while (creation.at != &vbd_list && *steps > 0) {
		struct vbd *other = container_of(creation.at, struct vbd, link);

		if (collide(creation.vbd, other))
			return -EBUSY;
		*steps -= (int)(8 + creation.vbd->map.count + other->map.count);
		creation.at = creation.at->next;
	}
	return 0;
}

/* 0: done; -ERESTART: call again. */
static int step(void)
{
	int steps = STEP_EXTENTS;
	int rc = copy_some(&steps);

	if (rc)
		return rc;
	sort_some(&steps);
	if (creation.copied < creation.count || creation.sort_width)
		return -ERESTART;
	rc = compare_some(&steps);
	if (rc)
		return rc;
	return creation.at == &vbd_list ? 0 : -ERESTART;
}

static u64 publish(void)
{
	struct vbd *v = creation.vbd;
	struct block_state *b = v->domain->block;
	u32 i = b->count++;

	/* There are as many entries as VBDs. */
	v->meter = domain_meter_vbd_get(v->domain, v->id);
	if (!v->meter)
		panic("no meter entry for a VBD of domain %u", v->domain->id);
	for (; i && b->vbds[i - 1]->id > v->id; i--)
		b->vbds[i] = b->vbds[i - 1];
	b->vbds[i] = v;
	list_add_tail(&vbd_list, &v->link);
	creation.vbd = NULL;
	return v->map.sectors;
}

static bool exists(const struct domain *d, u32 id)
{
	for (u32 i = 0; d->block && i < d->block->count; i++) {
		if (d->block->vbds[i]->id == id)
			return true;
	}
	return false;
}

int block_vbd_create(struct domain *d, struct xeno_vbd_create *c)
{
	int rc = 0;

	if (c->flags & ~(u32)XENO_VBD_READ_ONLY || !c->extent_count ||
	    c->extent_count > XENO_VBD_EXTENTS_MAX)
		return -EINVAL;
	spin_lock(&block_lock);
	if (!continues(d, c)) {
		abandon();
		rc = exists(d, c->vbd) ? -EEXIST : begin(d, c);
	}
	if (!rc) {
		rc = step();
		if (!rc)
			c->sectors = publish();
		else if (rc != -ERESTART)
			abandon();
	}
	spin_unlock(&block_lock);
	return rc;
}
