// SPDX-License-Identifier: Apache-2.0
/*
 * VBDs of domains: finding, connecting, taking apart (contract in hv/block.h).
 * Creation is in vbd_create.c.
 */
#include "vbd.h"

#include <hv/errno.h>
#include <hv/mm.h>

#include <arch/clock.h>

/* How long a caller may be kept until it hears that a disk does not answer. */
#define CLOSING_PATIENCE_NS 1000000000UL

struct spinlock block_lock = SPINLOCK_INIT(RANK_BLOCK);
struct list vbd_list = { &vbd_list, &vbd_list };

/* The index of the first VBD of d whose number is not below id. */
static u32 lower_bound(const struct block_state *b, u32 id)
{
	u32 i = 0;

	while (i < b->count && b->vbds[i]->id < id)
		i++;
	return i;
}

static struct vbd *find(const struct domain *d, u32 id)
{
	const struct block_state *b = d->block;
	u32 i;

	if (!b)
		return NULL;
	i = lower_bound(b, id);
	return i < b->count && b->vbds[i]->id == id ? b->vbds[i] : NULL;
}

static void add(struct vbd_counters *sum, const struct vbd_counters *c)
{
	for (int op = 0; op < DISK_OPS; op++) {
		sum->requests[op] += READ_ONCE(c->requests[op]);
		sum->bytes[op] += READ_ONCE(c->bytes[op]);
	}
	sum->errors += READ_ONCE(c->errors);
	sum->refused += READ_ONCE(c->refused);
}

int block_vbd_connect(struct domain *d, const struct xeno_vbd_connect *c)
{
	struct vbd *v;
	int rc = -ENOENT;

	spin_lock(&block_lock);
	v = find(d, c->vbd);
	if (v && c->queue < XENO_VBD_QUEUES_MAX)
		rc = v->queues[c->queue]
			     ? -EBUSY
			     : vbd_queue_connect(v, c, &v->queues[c->queue]);
	spin_unlock(&block_lock);
	return rc;
}

static int disconnect(struct vbd *v)
{
	int rc = 0;

	for (u32 i = 0; i < XENO_VBD_QUEUES_MAX; i++) {
		if (v->queues[i])
			vbd_queue_close(v->queues[i]);
	}
	for (u32 i = 0; i < XENO_VBD_QUEUES_MAX; i++) {
		struct vbd_queue *q = v->queues[i];

		if (!q)
			continue;
		if (!vbd_queue_drained(q)) {
			rc = -ERESTART;
			continue;
		}
		add(&v->past, &q->counters);
		vbd_queue_free(q);
		v->queues[i] = NULL;
	}
	return rc;
}

/* Lets the caller wait, but not for ever. */
static int disconnect_patiently(struct vbd *v)
{
	u64 now_ns = clock_now_ns();

	if (!disconnect(v)) {
		v->closing_since_ns = 0;
		return 0;
	}
	if (!v->closing_since_ns)
		v->closing_since_ns = now_ns;
	return now_ns - v->closing_since_ns < CLOSING_PATIENCE_NS ? -ERESTART
								  : -EAGAIN;
}

static void destroy(struct vbd *v)
{
	struct block_state *b = v->domain->block;
	u32 i = lower_bound(b, v->id);

	vbd_create_forget(v);
	domain_meter_vbd_put(v->meter);
	list_del(&v->link);
	b->count--;
	for (; i < b->count; i++)
		b->vbds[i] = b->vbds[i + 1];
	vbd_free(v);
}

int block_vbd_disconnect(struct domain *d, u32 id)
{
	struct vbd *v;
	int rc = -ENOENT;

	spin_lock(&block_lock);
	v = find(d, id);
	if (v)
		rc = disconnect_patiently(v);
	spin_unlock(&block_lock);
	return rc;
}

int block_vbd_destroy(struct domain *d, u32 id)
{
	struct vbd *v;
	int rc = -ENOENT;

	spin_lock(&block_lock);
	v = find(d, id);
	if (v)
		rc = disconnect_patiently(v);
	if (!rc)
		destroy(v);
	spin_unlock(&block_lock);
	return rc;
}

static void tell(const struct vbd *v, struct xeno_vbd_info *info)
{
	struct vbd_counters sum = v->past;

	info->id = v->id;
	info->flags = v->flags;
	info->sectors = v->map.sectors;
	info->connected_queues = 0;
	info->in_flight = 0;
	for (u32 i = 0; i < XENO_VBD_QUEUES_MAX; i++) {
		if (!v->queues[i])
			continue;
		info->connected_queues++;
		info->in_flight += READ_ONCE(v->queues[i]->in_flight);
		add(&sum, &v->queues[i]->counters);
	}
	for (int op = 0; op < DISK_OPS; op++) {
		info->requests[op] = sum.requests[op];
		info->bytes[op] = sum.bytes[op];
	}
	info->errors = sum.errors;
	info->refused = sum.refused;
}

int block_vbd_info(struct domain *d, struct xeno_vbd_info *info)
{
	const struct block_state *b;
	int rc = -ENOENT;
	u32 i;

	spin_lock(&block_lock);
	b = d->block;
	if (b && !(info->next && info->vbd == ~0U)) {
		i = lower_bound(b, info->vbd + (info->next ? 1 : 0));
		if (i < b->count &&
		    (info->next || b->vbds[i]->id == info->vbd)) {
			tell(b->vbds[i], info);
			rc = 0;
		}
	}
	spin_unlock(&block_lock);
	return rc;
}

int block_domain_exit(struct domain *d, int *budget)
{
	int rc = 0;

	spin_lock(&block_lock);
	vbd_create_abandon(d);
	/* All at once stop asking their disks. */
	for (u32 i = 0; d->block && i < d->block->count; i++) {
		if (disconnect(d->block->vbds[i]))
			rc = -ERESTART;
	}
	while (!rc && d->block && d->block->count) {
		if (--*budget < 0)
			rc = -ERESTART;
		else
			destroy(d->block->vbds[d->block->count - 1]);
	}
	if (!rc && d->block) {
		state_page_free(&d->owner, d->block);
		d->block = NULL;
	}
	spin_unlock(&block_lock);
	return rc;
}
