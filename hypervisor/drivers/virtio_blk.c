// SPDX-License-Identifier: Apache-2.0
/*
 * Virtio disks (virtio 1.1, 5.2) behind the plug of hv/disk.h. A request is one
 * chain: a header, the caller's pages, a status byte. Headers and status bytes
 * lie in pages of ours, one cell per descriptor. When the device is found to
 * lie it is stopped first, and then all its requests fail.
 */
#include <hv/disk.h>
#include <hv/errno.h>
#include <hv/format.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/string.h>
#include <hv/work.h>

#include <arch/clock.h>
#include <arch/cpu.h>

#include "virtio.h"

#define BLK_F_SIZE_MAX (1UL << 1)
#define BLK_F_SEG_MAX (1UL << 2)
#define BLK_F_RO (1UL << 5)
#define BLK_F_BLK_SIZE (1UL << 6)
#define BLK_F_FLUSH (1UL << 9)
#define BLK_F_TOPOLOGY (1UL << 10)
#define BLK_F_DISCARD (1UL << 13)

#define CONFIG_CAPACITY 0
#define CONFIG_SIZE_MAX 8
#define CONFIG_SEG_MAX 12
#define CONFIG_BLK_SIZE 20
#define CONFIG_BLOCK_EXPONENT 24
#define CONFIG_DISCARD_SECTORS 36

#define TYPE_IN 0
#define TYPE_OUT 1
#define TYPE_FLUSH 4
#define TYPE_GET_ID 8
#define TYPE_DISCARD 11

#define STATUS_OK 0
#define STATUS_PENDING 0xff /* no value of the device */

#define SECTOR_BYTES 512UL
#define SECTORS_MAX (1UL << 54)
#define QUEUE_DEPTH 128
#define ID_BYTES 20
#define ID_LIMIT_NS 1000000000UL
/* Requests finished in one run of the work. */
#define ROUND_MAX 32

/* What a request shares with the device besides the caller's pages. */
struct cell {
	struct {
		u32 type, reserved;
		u64 sector;
	} header;
	struct {
		u64 sector;
		u32 sectors, flags;
	} discard;
	u8 status;
	u8 id[ID_BYTES];
	u8 pad[11];
};
_Static_assert(sizeof(struct cell) == 64, "cells do not cross pages");

struct blk {
	struct virtio v;
	struct disk disk;
	struct work work;
	struct cell *cells;
	u16 free_cells[QUEUE_DEPTH]; /* a stack; under v.lock, as are */
	u16 free_count;
	struct list failed; /* requests that never reach the device */
	/* By cell: the request that uses it. */
	struct disk_request *requests[QUEUE_DEPTH];
};

static struct blk *blk_of(struct disk *d)
{
	return container_of(d, struct blk, disk);
}

static u64 maddr_of(const void *p)
{
	return (virt_to_mfn(p) << PAGE_SHIFT) | ((u64)p & ~PAGE_MASK);
}

/* ---- submitting ---- */

static bool fits(const struct blk *b, const struct disk_request *r)
{
	if (b->v.broken || r->segment_count > b->disk.segments_max ||
	    r->sector > b->disk.sectors ||
	    r->sectors > b->disk.sectors - r->sector)
		return false;
	switch (r->op) {
	case DISK_WRITE:
		if (b->disk.flags & DISK_READ_ONLY)
			return false;
		return r->segment_count > 0;
	case DISK_READ:
		return r->segment_count > 0;
	case DISK_FLUSH:
		return (b->disk.flags & DISK_HAS_FLUSH) && !r->segment_count;
	case DISK_DISCARD:
		return (b->disk.flags & DISK_HAS_DISCARD) &&
		       !r->segment_count && r->sectors &&
		       r->sectors <= b->disk.discard_sectors_max;
	default:
		return false;
	}
}

static const u32 type_of[DISK_OPS] = { TYPE_IN, TYPE_OUT, TYPE_FLUSH,
				       TYPE_DISCARD };

/* The token of cell i in the queue; never NULL. */
static void *token_of(struct blk *b, u16 i)
{
	return &b->cells[i];
}

/* Puts header, the buffers in between, and status on the queue. */
static int add(struct blk *b, u16 i, struct virtqueue_buffer *buffers, u32 out,
	       u32 in)
{
	struct cell *c = &b->cells[i];

	c->status = STATUS_PENDING;
	buffers[0].maddr = maddr_of(&c->header);
	buffers[0].bytes = sizeof(c->header);
	buffers[out + in + 1].maddr = maddr_of(&c->status);
	buffers[out + in + 1].bytes = 1;
	return virtqueue_add(&b->v.queues[0], buffers, out + 1, in + 1,
			     token_of(b, i));
}

static int add_request(struct blk *b, u16 i, const struct disk_request *r)
{
	struct virtqueue_buffer buffers[DISK_SEGMENTS_MAX + 2];
	struct cell *c = &b->cells[i];
	u32 count = r->segment_count;

	c->header.type = type_of[r->op];
	c->header.reserved = 0;
	c->header.sector =
		r->op == DISK_READ || r->op == DISK_WRITE ? r->sector : 0;
	for (u32 n = 0; n < count; n++) {
		if (!r->segments[n].bytes ||
		    r->segments[n].bytes > b->disk.segment_bytes_max)
			return -EINVAL;
		buffers[n + 1].maddr = r->segments[n].maddr;
		buffers[n + 1].bytes = r->segments[n].bytes;
	}
	if (r->op == DISK_READ)
		return add(b, i, buffers, 0, count);
	if (r->op == DISK_DISCARD) {
		c->discard.sector = r->sector;
		c->discard.sectors = (u32)r->sectors;
		c->discard.flags = 0;
		buffers[1].maddr = maddr_of(&c->discard);
		buffers[1].bytes = sizeof(c->discard);
		count = 1;
	}
	return add(b, i, buffers, count, 0);
}

static int blk_submit(struct disk *d, struct disk_request *r)
{
	struct blk *b = blk_of(d);
	int err = -EINVAL;
	u16 i;

	spin_lock(&b->v.lock);
	if (likely(fits(b, r))) {
		if (!b->free_count) {
			spin_unlock(&b->v.lock);
			return -EBUSY;
		}
		i = b->free_cells[b->free_count - 1];
		err = add_request(b, i, r);
		if (!err) {
			b->free_count--;
			b->requests[i] = r;
		}
	}
	if (unlikely(err && err != -EBUSY)) {
		list_add_tail(&b->failed, &r->link);
		work_queue(&b->work);
		err = 0;
	}
	spin_unlock(&b->v.lock);
	return err;
}

static void blk_kick(struct disk *d)
{
	struct blk *b = blk_of(d);

	spin_lock(&b->v.lock);
	virtqueue_kick(&b->v.queues[0]);
	spin_unlock(&b->v.lock);
}

static const struct disk_driver blk_driver = { blk_submit, blk_kick };

/* ---- completing ---- */

struct finished {
	struct disk_request *request;
	int status;
};

static void release_cell(struct blk *b, const void *token, struct finished *f)
{
	u16 i = (u16)((const struct cell *)token - b->cells);

	f->request = b->requests[i];
	f->status = READ_ONCE(b->cells[i].status) == STATUS_OK ? 0 : -EIO;
	b->requests[i] = NULL;
	b->free_cells[b->free_count++] = i;
}

/* All that is left of a device that has been stopped, or never went to it. */
static bool collect_failed(struct blk *b, struct finished *f)
{
	void *token;

	if (!list_empty(&b->failed)) {
		struct list *l = b->failed.next;

		list_del(l);
		f->request = container_of(l, struct disk_request, link);
		f->status = -EIO;
		return true;
	}
	if (!b->v.broken)
		return false;
	token = virtqueue_take_back(&b->v.queues[0]);
	if (!token)
		return false;
	release_cell(b, token, f);
	f->status = -EIO;
	return true;
}

static unsigned int collect(struct blk *b, struct finished *f)
{
	struct virtqueue *q = &b->v.queues[0];
	unsigned int n = 0;
	u32 written_bytes;
	void *token;

	while (n < ROUND_MAX && (token = virtqueue_take(q, &written_bytes)))
		release_cell(b, token, &f[n++]);
	if (unlikely(q->broken))
		virtio_break_locked(&b->v,
				    "a request came back that it did not have");
	while (n < ROUND_MAX && collect_failed(b, &f[n]))
		n++;
	return n;
}

static void finish(struct blk *b, const struct finished *f)
{
	struct disk_request *r = f->request;
	struct disk *d = &b->disk;

	__atomic_fetch_add(&d->requests[r->op], 1, __ATOMIC_RELAXED);
	if (f->status)
		__atomic_fetch_add(&d->errors, 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&d->bytes[r->op], r->sectors * SECTOR_BYTES,
				   __ATOMIC_RELAXED);
	r->done(r, f->status);
}

/* Done calls may submit again, so between two rounds the device is told of
 * that, and asked for interrupts only when there is nothing left. */
static void blk_work(struct work *w)
{
	struct blk *b = container_of(w, struct blk, work);
	struct virtqueue *q = &b->v.queues[0];
	struct finished f[ROUND_MAX];
	unsigned int n;
	bool more;

	spin_lock(&b->v.lock);
	virtqueue_quiet(q);
	n = collect(b, f);
	spin_unlock(&b->v.lock);
	for (unsigned int i = 0; i < n; i++)
		finish(b, &f[i]);
	spin_lock(&b->v.lock);
	virtqueue_kick(q);
	more = n == ROUND_MAX || virtqueue_listen(q) || !list_empty(&b->failed);
	spin_unlock(&b->v.lock);
	if (more)
		work_queue(&b->work);
}

static void blk_interrupt(void *data)
{
	struct blk *b = data;

	work_queue(&b->work);
}

/* ---- starting ---- */

/* One request before there are interrupts: asks for the serial number. */
static void read_serial(struct blk *b)
{
	struct virtqueue_buffer buffers[3];
	u64 until_ns = clock_now_ns() + ID_LIMIT_NS;
	u16 i = b->free_cells[b->free_count - 1];
	struct cell *c = &b->cells[i];
	u32 written_bytes;

	c->header.type = TYPE_GET_ID;
	buffers[1].maddr = maddr_of(c->id);
	buffers[1].bytes = ID_BYTES;
	spin_lock(&b->v.lock);
	virtqueue_quiet(&b->v.queues[0]);
	if (!add(b, i, buffers, 0, 1)) {
		virtqueue_kick(&b->v.queues[0]);
		while (!virtqueue_take(&b->v.queues[0], &written_bytes)) {
			if (b->v.queues[0].broken ||
			    clock_now_ns() > until_ns) {
				virtio_break_locked(
					&b->v,
					"no answer to its first request");
				break;
			}
			cpu_relax();
		}
	}
	if (!b->v.broken && c->status == STATUS_OK)
		for (i = 0; i < ID_BYTES; i++) {
			char ch = (char)c->id[i];

			if (ch < ' ' || ch > '~')
				break;
			b->disk.serial[i] = ch;
		}
	(void)virtqueue_listen(&b->v.queues[0]);
	spin_unlock(&b->v.lock);
}

static void read_geometry(struct blk *b)
{
	struct disk *d = &b->disk;
	u32 block_bytes = 512, seg_max = DISK_SEGMENTS_MAX, exponent = 0;

	if (virtio_has(&b->v, BLK_F_SEG_MAX))
		seg_max = virtio_config32(&b->v, CONFIG_SEG_MAX);
	d->segments_max = MIN(MAX(seg_max, 1U), (u32)DISK_SEGMENTS_MAX);
	b->disk.segment_bytes_max = ~0U;
	if (virtio_has(&b->v, BLK_F_SIZE_MAX))
		b->disk.segment_bytes_max =
			virtio_config32(&b->v, CONFIG_SIZE_MAX);
	if (virtio_has(&b->v, BLK_F_BLK_SIZE))
		block_bytes = virtio_config32(&b->v, CONFIG_BLK_SIZE);
	if (virtio_has(&b->v, BLK_F_TOPOLOGY))
		exponent = virtio_config8(&b->v, CONFIG_BLOCK_EXPONENT);
	if (block_bytes < 512 || block_bytes > 65536 ||
	    (block_bytes & (block_bytes - 1)))
		block_bytes = 512;
	d->physical_block_bytes =
		exponent < 8 ? block_bytes << exponent : block_bytes;
	if (virtio_has(&b->v, BLK_F_RO))
		d->flags |= DISK_READ_ONLY;
	if (virtio_has(&b->v, BLK_F_FLUSH))
		d->flags |= DISK_HAS_FLUSH;
	if (virtio_has(&b->v, BLK_F_DISCARD))
		d->discard_sectors_max =
			virtio_config32(&b->v, CONFIG_DISCARD_SECTORS);
	if (d->discard_sectors_max)
		d->flags |= DISK_HAS_DISCARD;
}

static int open_blk(struct blk *b)
{
	u16 limit = DISK_SEGMENTS_MAX + 2;
	u64 sectors = virtio_config64(&b->v, CONFIG_CAPACITY);
	int err;

	read_geometry(b);
	if (!sectors || sectors > SECTORS_MAX ||
	    b->disk.segment_bytes_max < PAGE_SIZE) {
		log_warn(
			"virtio %s: not used: %lu sectors in pieces of %u bytes",
			b->v.name, (unsigned long)sectors,
			b->disk.segment_bytes_max);
		return -ENODEV;
	}
	b->disk.sectors = sectors;
	err = virtio_open_interrupts(&b->v, blk_interrupt, NULL, b);
	if (!err)
		err = virtio_open_queue(&b->v, QUEUE_DEPTH, limit);
	if (err)
		return err;
	b->disk.segments_max =
		MIN(b->disk.segments_max, b->v.queues[0].limit - 2U);
	virtio_start(&b->v);
	read_serial(b);
	return b->v.broken ? -ENODEV : 0;
}

#define BLK_ORDER 3
#define CELLS_ORDER 1
_Static_assert(sizeof(struct blk) <= PAGE_SIZE << BLK_ORDER, "one block");
_Static_assert(QUEUE_DEPTH * sizeof(struct cell) <= PAGE_SIZE << CELLS_ORDER,
	       "one block");

static struct blk *create(void)
{
	struct frame *f = frame_alloc(BLK_ORDER);
	struct frame *cells = frame_alloc(CELLS_ORDER);
	struct blk *b;

	if (!f || !cells)
		return NULL;
	b = mfn_to_virt(frame_mfn(f));
	b->cells = mfn_to_virt(frame_mfn(cells));
	for (u16 i = 0; i < QUEUE_DEPTH; i++)
		b->free_cells[b->free_count++] = (u16)(QUEUE_DEPTH - 1 - i);
	list_init(&b->failed);
	work_init(&b->work, blk_work, NULL);
	b->disk.driver = &blk_driver;
	return b;
}

void virtio_blk_found(const struct pci_function *f)
{
	/* What it occupies is kept whatever becomes of the device, for its
	 * interrupts name it. */
	struct blk *b = create();
	struct disk *d;

	if (!b) {
		log_warn("virtio disk: not used: no memory");
		return;
	}
	if (virtio_open(&b->v, f,
			BLK_F_SIZE_MAX | BLK_F_SEG_MAX | BLK_F_RO |
				BLK_F_BLK_SIZE | BLK_F_FLUSH | BLK_F_TOPOLOGY |
				BLK_F_DISCARD))
		return;
	d = &b->disk;
	hv_snprintf(d->name, sizeof(d->name), "virtio-blk-%s", b->v.name);
	if (open_blk(b) || disk_register(d)) {
		virtio_close(&b->v);
		return;
	}
	log_info(
		"disk %u: %s serial=%s %lu MiB%s%s%s queue=%u segments=%u cpu=%u",
		d->id, d->name, d->serial[0] ? d->serial : "none",
		(unsigned long)(d->sectors >> 11),
		d->flags & DISK_READ_ONLY ? " read-only" : "",
		d->flags & DISK_HAS_FLUSH ? " flush" : "",
		d->flags & DISK_HAS_DISCARD ? " discard" : "",
		b->v.queues[0].size, d->segments_max, b->v.cpu);
}
