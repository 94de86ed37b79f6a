/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blkfront.c - a block front end (contract in blkfront.h).
 */
#include "blkfront.h"

#include <xeno/abi.h>

#define RING_POOL_PAGES 32U

u8 blk_data[BLK_PAGES][4096] __attribute__((aligned(4096)));
static u8 rings[RING_POOL_PAGES][4096] __attribute__((aligned(4096)));
static u32 rings_used;

static long control(void *arg, u32 op, u32 size)
{
	struct xeno_envelope *head = arg;

	*head = (struct xeno_envelope){ 1, op, size, 0 };
	return hypercall(XENO_HYPERVISOR_CONTROL, arg);
}

void blk_begin(void)
{
	struct xeno_disk_info i = { .disk = 0 };
	long rc = control(&i, XENO_OP_DISK_INFO, sizeof(i));

	if (rc == -XEN_ENOSYS)
		skip("no control hypercall");
	check_eq(rc, 0);
	for (u32 p = 0; p < BLK_PAGES; p++)
		blk_grant(BLK_DATA_REF + p, blk_data[p], 0);
}

void blk_grant(u32 ref, const void *page, u16 flags)
{
	struct grant_entry_v1 *e = &grant_table()[ref];

	__atomic_store_n(&e->flags, 0, __ATOMIC_SEQ_CST);
	e->domid = XENO_DOMAIN_BACKEND;
	e->frame = (u32)va_to_mfn(page);
	__atomic_store_n(&e->flags, GTF_permit_access | flags,
			 __ATOMIC_SEQ_CST);
}

long blk_create(u32 vbd, u32 flags, const struct xeno_vbd_extent *extents,
		u32 count)
{
	struct xeno_vbd_create c = {
		.vbd = vbd,
		.flags = flags,
		.extent_count = count,
		.extents = HC_ARG(extents),
	};

	return control(&c, XENO_OP_VBD_CREATE, sizeof(c));
}

long blk_connect(struct blkfront *f, u32 vbd, u32 queue, u32 ring_pages)
{
	struct xeno_vbd_connect c = {
		.vbd = vbd,
		.queue = queue,
		.ring_pages = ring_pages,
	};
	long port = alloc_unbound(DOMID_SELF, XENO_DOMAIN_BACKEND);

	check(port > 0, "no port: %ld", port);
	check(rings_used + ring_pages <= RING_POOL_PAGES, "no ring pages left");
	*f = (struct blkfront){
		.vbd = vbd,
		.queue = queue,
		.port = (u32)port,
		.ring_pages = ring_pages,
		.entries = 1,
		.sring = (void *)rings[rings_used],
		.first_ref = BLK_RING_REF + rings_used,
	};
	while (64 + f->entries * 2 * 112 <= ring_pages * PAGE_SIZE)
		f->entries *= 2;
	f->sring->req_event = f->sring->rsp_event = 1;
	for (u32 i = 0; i < ring_pages; i++) {
		c.ring_refs[i] = f->first_ref + i;
		blk_grant(f->first_ref + i, rings[rings_used + i], 0);
	}
	rings_used += ring_pages;
	c.port = f->port;
	return control(&c, XENO_OP_VBD_CONNECT, sizeof(c));
}

void blk_forget(const struct blkfront *f)
{
	check_eq(f->first_ref + f->ring_pages, BLK_RING_REF + rings_used);
	rings_used -= f->ring_pages;
	memset(f->sring, 0, f->ring_pages * PAGE_SIZE);
}

static long name(u32 vbd, u32 op)
{
	struct xeno_vbd_name n = { .vbd = vbd };
	long rc;

	do
		rc = control(&n, op, sizeof(n));
	while (rc == -XEN_EAGAIN);
	return rc;
}

long blk_disconnect(u32 vbd)
{
	return name(vbd, XENO_OP_VBD_DISCONNECT);
}

long blk_destroy(u32 vbd)
{
	return name(vbd, XENO_OP_VBD_DESTROY);
}

struct xeno_vbd_info blk_info(u32 vbd)
{
	struct xeno_vbd_info i = { .vbd = vbd };

	check_eq(control(&i, XENO_OP_VBD_INFO, sizeof(i)), 0);
	return i;
}

struct xeno_disk_info blk_disk(u32 disk)
{
	struct xeno_disk_info i = { .disk = disk };

	check_eq(control(&i, XENO_OP_DISK_INFO, sizeof(i)), 0);
	return i;
}

struct blkif_request blk_request(u8 op, u64 id, u64 sector, u32 first_page,
				 u32 pages)
{
	struct blkif_request r;

	memset(&r, 0, sizeof(r));
	r.operation = op;
	r.nr_segments = (u8)pages;
	r.id = id;
	r.sector_number = sector;
	for (u32 i = 0; i < pages && i < ARRAY_SIZE(r.seg); i++) {
		r.seg[i].gref = BLK_DATA_REF + first_page + i;
		r.seg[i].last_sect = 7;
	}
	return r;
}

void blk_put(struct blkfront *f, const struct blkif_request *r)
{
	f->sring->ring[f->req_prod++ & (f->entries - 1)].req = *r;
}

void blk_push(struct blkfront *f)
{
	u32 old = f->sring->req_prod;

	__atomic_store_n(&f->sring->req_prod, f->req_prod, __ATOMIC_SEQ_CST);
	if (f->req_prod - READ_ONCE(f->sring->req_event) < f->req_prod - old)
		check_eq(send_event(f->port), 0);
}

struct blkif_response blk_get(struct blkfront *f)
{
	u64 end_ns = now_ns() + MS(10000);
	struct blkif_response rsp;

	__atomic_store_n(&f->sring->rsp_event, f->rsp_cons + 1,
			 __ATOMIC_SEQ_CST);
	while (READ_ONCE(f->sring->rsp_prod) == f->rsp_cons &&
	       now_ns() < end_ns) {
		check_eq(poll_port(f->port, end_ns), 0);
		clear_event(f->port);
	}
	/* A clock that counts instructions leaps to the next timer when the
	 * machine idles, however long the host's disk takes: so do not idle. */
	check(spin_until(READ_ONCE(f->sring->rsp_prod) != f->rsp_cons,
			 MS(10000)),
	      "no response");
	rsp = f->sring->ring[f->rsp_cons++ & (f->entries - 1)].rsp;
	return rsp;
}

int blk_do(struct blkfront *f, const struct blkif_request *r)
{
	struct blkif_response rsp;

	blk_put(f, r);
	blk_push(f);
	rsp = blk_get(f);
	check_eq(rsp.id, r->id);
	return rsp.status;
}
