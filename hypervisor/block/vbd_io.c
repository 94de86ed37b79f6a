// SPDX-License-Identifier: Apache-2.0
/*
 * The way of a request: ring, checks, turn at the disk, pinned pages, disk,
 * and back. Runs as the queue's deferred work, a bounded piece at a time.
 *
 * Pages are pinned from before the disk gets their addresses until it is done
 * with them, whatever the guest does to its grants; and released before the
 * response is visible, because then the guest may want them back.
 */
#include <hv/dma.h>
#include <hv/errno.h>
#include <hv/grant.h>

#include "vbd.h"

#define SECTOR_SHIFT 9

/* What a run may do before it queues itself again, in segments or as much. */
#define RUN_BUDGET 160
#define REAP_BUDGET 320
#define COST_COMMAND 2
#define COST_PIECE 2
/* Sectors that a flush or a discard counts as. */
#define COST_FLUSH_SECTORS 8
#define COST_DISCARD_SECTORS 64

/* What the next disk request of the current command will be. */
struct piece {
	struct disk *disk;
	u64 sector, sectors;
	u32 segment_count;
	u32 cost_sectors;
};

static void answer(struct vbd_queue *q, u64 id, u8 operation, s16 status)
{
	if (!q->broken)
		shared_ring_respond(&q->ring, id, operation, status);
}

static void finish(struct vbd_queue *q, struct vbd_job *job)
{
	answer(q, job->id, job->operation, job->status);
	job->next = q->free_jobs;
	q->free_jobs = job;
}

/* The current command is cut, or given up; what is in flight of it ends. */
static void end_current(struct vbd_queue *q)
{
	struct vbd_job *job = q->job;

	q->job = NULL;
	if (!job->pieces)
		finish(q, job);
}

static struct disk_share *share_at(const struct vbd_queue *q, u32 disk)
{
	return &q->domain->block->shares[disk];
}

/* Gives the current command up. */
static void fail_current(struct vbd_queue *q, s16 status)
{
	if (q->waiter.state != WAITER_IDLE)
		disk_queue_cancel(q->waiter_disk, share_at(q, q->waiter_disk),
				  &q->waiter);
	if (!q->job->status)
		q->job->status = status;
	end_current(q);
}

/* ---- on the way back ---- */

static void check_pages(const struct vbd_queue *q, const struct vbd_slot *s)
{
	for (u32 i = 0; i < s->request.segment_count; i++)
		owner_check(s->segments[i].maddr, s->segments[i].bytes,
			    q->domain->id, s->request.op == DISK_READ);
}

static void release_pages(struct vbd_queue *q, struct vbd_slot *s)
{
	bool write = s->request.op == DISK_READ;
	u32 ref = 0;

	check_pages(q, s);
	for (u32 i = 0; i < s->request.segment_count; i++) {
		u64 maddr = s->segments[i].maddr;
		u64 last = (maddr + s->segments[i].bytes - 1) >> PAGE_SHIFT;

		for (u64 mfn = maddr >> PAGE_SHIFT; mfn <= last; mfn++)
			grant_release(q->domain, s->refs[ref++], write,
				      frame_of_mfn(mfn));
	}
}

static void put_slot(struct vbd_queue *q, struct vbd_slot *s)
{
	s->next = q->free_slots;
	q->free_slots = s;
}

/* As the meter page has it: what is no read is a write, of data or not. */
static void meter(struct vbd *v, const struct vbd_slot *s)
{
	struct xeno_meter_vbd *m = v->meter;
	u64 bytes = s->status || !s->request.segment_count
			    ? 0
			    : s->request.sectors << SECTOR_SHIFT;

	spin_lock(&v->meter_lock);
	domain_meter_begin(&m->sequence);
	if (s->request.op == DISK_READ) {
		m->read_requests++;
		m->read_bytes += bytes;
	} else {
		m->write_requests++;
		m->write_bytes += bytes;
	}
	m->errors += s->status != 0;
	domain_meter_end(&m->sequence);
	spin_unlock(&v->meter_lock);
}

static void piece_done(struct vbd_queue *q, struct vbd_slot *s)
{
	struct vbd_job *job = s->job;

	release_pages(q, s);
	disk_queue_leave(s->disk, s->cost_sectors);
	meter(q->vbd, s);
	q->counters.requests[s->request.op]++;
	if (s->status) {
		q->counters.errors++;
		job->status = BLKIF_RSP_ERROR;
	} else {
		q->counters.bytes[s->request.op] += s->request.sectors
						    << SECTOR_SHIFT;
	}
	put_slot(q, s);
	q->in_flight--;
	job->pieces--;
	if (!job->pieces && job != q->job)
		finish(q, job);
}

/* True: more is done than this run may take back. */
static bool reap(struct vbd_queue *q)
{
	struct vbd_slot *pushed =
		__atomic_exchange_n(&q->done, NULL, __ATOMIC_ACQUIRE);
	struct vbd_slot *first = NULL, **end = &q->reaped;
	int budget = REAP_BUDGET;

	/* Pushed last is first: answer in the order of the disk. */
	while (pushed) {
		struct vbd_slot *next = pushed->next;

		pushed->next = first;
		first = pushed;
		pushed = next;
	}
	while (*end)
		end = &(*end)->next;
	*end = first;
	while (q->reaped && budget > 0) {
		struct vbd_slot *s = q->reaped;

		q->reaped = s->next;
		budget -= COST_PIECE + (int)s->ref_count;
		piece_done(q, s);
	}
	return q->reaped != NULL;
}

/* From the disk, on any CPU. in_done keeps q alive: once the slot is pushed,
 * its work may find everything done. */
static void disk_done(struct disk_request *r, int status)
{
	struct vbd_slot *s = container_of(r, struct vbd_slot, request);
	struct vbd_queue *q = s->queue;

	s->status = status;
	__atomic_fetch_add(&q->in_done, 1, __ATOMIC_ACQUIRE);
	s->next = __atomic_load_n(&q->done, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&q->done, &s->next, s, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	work_queue(&q->work);
	__atomic_fetch_sub(&q->in_done, 1, __ATOMIC_RELEASE);
}

/* ---- on the way out ---- */

/* As much as fits into one request: of one disk, in one stretch, in one slot,
 * within what the disk takes. False: the disk cannot do it. */
static bool plan(const struct vbd_queue *q, struct piece *p)
{
	const struct blkif_command *c = &q->command;
	u32 limit, i = q->segment, from = q->segment_sector;
	struct extent_run run;
	u64 left;

	p->segment_count = 0;
	if (c->op == DISK_FLUSH) {
		p->disk = disk_find((u32)__builtin_ctz(q->flush_disks));
		p->sector = p->sectors = 0;
		p->cost_sectors = COST_FLUSH_SECTORS;
		return true;
	}
	extent_map_find(&q->vbd->map, c->sector, &run);
	p->disk = disk_find(run.disk);
	p->sector = run.sector;
	left = MIN(run.sectors, c->sectors);
	if (c->op == DISK_DISCARD) {
		p->sectors = MIN(left, p->disk->discard_sectors_max);
		p->cost_sectors = COST_DISCARD_SECTORS;
		return p->disk->flags & DISK_HAS_DISCARD && p->sectors;
	}
	limit = MIN(p->disk->segments_max, (u32)SLOT_SEGMENTS);
	p->sectors = 0;
	while (left && p->segment_count < limit) {
		const struct blkif_request_segment *seg = &q->segments[i++];
		u64 length = seg->last_sect + 1U - seg->first_sect - from;
		u64 used = MIN(length, left);

		p->segment_count++;
		p->sectors += used;
		left -= used;
		from = 0;
	}
	p->cost_sectors = (u32)p->sectors;
	return true;
}

/* One more page of the piece, joined to the last segment when both meet at a
 * page's end and the disk takes so much in one. */
static void add_segment(struct vbd_slot *s, u64 maddr, u32 bytes, u32 bytes_max)
{
	u32 n = s->request.segment_count;

	if (n && !(maddr % PAGE_SIZE)) {
		struct disk_segment *last = &s->segments[n - 1];

		if (last->maddr + last->bytes == maddr &&
		    last->bytes <= bytes_max - bytes) {
			last->bytes += bytes;
			return;
		}
	}
	s->segments[n].maddr = maddr;
	s->segments[n].bytes = bytes;
	s->request.segment_count = n + 1;
}

/* Pins the pages of the piece. False: a grant is bad, and none is pinned. */
static bool pin_pages(struct vbd_queue *q, struct vbd_slot *s,
		      const struct piece *p)
{
	u32 from = q->segment_sector;
	u64 left = p->sectors;

	s->ref_count = 0;
	s->request.segment_count = 0;
	for (u32 i = 0; i < p->segment_count; i++) {
		const struct blkif_request_segment *seg =
			&q->segments[q->segment + i];
		u32 first = seg->first_sect + from;
		u64 used = MIN(seg->last_sect + 1U - first, left);
		struct frame *f;

		if (grant_acquire(q->domain, DOMID_BACKEND, seg->gref,
				  s->request.op == DISK_READ, &f)) {
			release_pages(q, s);
			return false;
		}
		s->refs[s->ref_count++] = seg->gref;
		add_segment(s,
			    (frame_mfn(f) << PAGE_SHIFT) +
				    ((u64)first << SECTOR_SHIFT),
			    (u32)used << SECTOR_SHIFT,
			    p->disk->segment_bytes_max);
		left -= used;
		from = 0;
	}
	check_pages(q, s);
	return true;
}

/* The piece is on its way: the command goes on behind it. */
static void advance(struct vbd_queue *q, const struct piece *p)
{
	struct blkif_command *c = &q->command;
	u64 left = p->sectors;

	if (c->op == DISK_FLUSH) {
		q->flush_disks &= q->flush_disks - 1;
		if (!q->flush_disks)
			end_current(q);
		return;
	}
	c->sector += p->sectors;
	c->sectors -= p->sectors;
	if (!c->sectors) {
		end_current(q);
		return;
	}
	for (u32 i = 0; i < p->segment_count; i++) {
		const struct blkif_request_segment *seg =
			&q->segments[q->segment];
		u64 length = seg->last_sect + 1U - seg->first_sect -
			     q->segment_sector;

		if (left < length) {
			q->segment_sector += (u32)left;
			break;
		}
		left -= length;
		q->segment++;
		q->segment_sector = 0;
	}
}

/* The disk is full: the pages go back, the turn is kept. */
static void refused(struct vbd_queue *q, struct vbd_slot *s, u32 disk)
{
	release_pages(q, s);
	put_slot(q, s);
	if (!disk_queue_refused(disk, share_at(q, disk), &q->waiter))
		work_queue(&q->work);
}

/* Sends the next piece of the current command. False: it must wait. */
static bool send_piece(struct vbd_queue *q, int *budget, u32 *kicks)
{
	struct vbd_slot *s = q->free_slots;
	struct piece p;

	if (q->job->status) {
		fail_current(q, BLKIF_RSP_ERROR);
		return true;
	}
	if (!s)
		return false;
	if (!plan(q, &p)) {
		q->counters.refused++;
		fail_current(q, BLKIF_RSP_EOPNOTSUPP);
		return true;
	}
	q->waiter_disk = p.disk->id;
	if (!disk_queue_enter(p.disk->id, share_at(q, p.disk->id), &q->waiter,
			      p.cost_sectors))
		return false;
	*budget -= COST_PIECE + (int)p.segment_count;
	s->request.op = q->command.op;
	if (!pin_pages(q, s, &p)) {
		disk_queue_leave(p.disk->id, p.cost_sectors);
		q->counters.refused++;
		fail_current(q, BLKIF_RSP_ERROR);
		return true;
	}
	q->free_slots = s->next;
	s->request.sector = p.sector;
	s->request.sectors = p.sectors;
	s->job = q->job;
	s->disk = p.disk->id;
	s->cost_sectors = p.cost_sectors;
	if (disk_submit(p.disk, &s->request)) {
		refused(q, s, p.disk->id);
		return false;
	}
	*kicks |= 1U << p.disk->id;
	q->in_flight++;
	q->job->pieces++;
	advance(q, &p);
	return true;
}

static bool may(const struct vbd *v, enum disk_op op)
{
	return !(v->flags & XENO_VBD_READ_ONLY) ||
	       (op != DISK_WRITE && op != DISK_DISCARD);
}

/* Makes the ring's next request the current command, or answers it. False:
 * there is none. */
static bool take_command(struct vbd_queue *q, int *budget)
{
	struct blkif_request request;
	struct vbd_job *job;
	s16 status;

	if (!q->free_slots || q->broken)
		return false;
	switch (shared_ring_take(&q->ring, &request)) {
	case RING_EMPTY:
		return false;
	case RING_BROKEN:
		q->broken = true;
		guest_log(q->domain, "vbd %u: impossible request index",
			  q->vbd->id);
		return false;
	case RING_TAKEN:
		break;
	}
	*budget -= COST_COMMAND;
	status = blkif_parse(&request, q->domain, q->vbd->map.sectors,
			     &q->command, q->segments);
	if (!status && !may(q->vbd, q->command.op))
		status = BLKIF_RSP_ERROR;
	q->flush_disks = q->vbd->flush_disks;
	if (status)
		q->counters.refused++;
	if (status || (q->command.op == DISK_FLUSH && !q->flush_disks)) {
		answer(q, q->command.id, q->command.operation, status);
		return true;
	}
	job = q->free_jobs;
	q->free_jobs = job->next;
	job->id = q->command.id;
	job->operation = q->command.operation;
	job->status = BLKIF_RSP_OKAY;
	job->pieces = 0;
	q->job = job;
	q->segment = q->segment_sector = 0;
	return true;
}

static void run(struct work *w)
{
	struct vbd_queue *q = container_of(w, struct vbd_queue, work);
	bool closing = __atomic_load_n(&q->closing, __ATOMIC_ACQUIRE);
	int budget = RUN_BUDGET;
	bool more = !closing;
	bool again = reap(q);
	u32 kicks = 0;

	if (closing && q->job)
		fail_current(q, BLKIF_RSP_ERROR);
	while (more && budget > 0)
		more = q->job ? send_piece(q, &budget, &kicks)
			      : take_command(q, &budget);
	for (; kicks; kicks &= kicks - 1)
		disk_kick(disk_find((u32)__builtin_ctz(kicks)));
	if (shared_ring_push(&q->ring))
		event_backend_send(&q->backend);
	if (more || again)
		work_queue(w);
	if (closing && !q->in_flight)
		__atomic_store_n(&q->drained, true, __ATOMIC_RELEASE);
}

/* Under the disk's lock. */
static void turn(struct disk_waiter *w)
{
	work_queue(&container_of(w, struct vbd_queue, waiter)->work);
}

void vbd_io_init(struct vbd_queue *q)
{
	work_init(&q->work, run, &q->domain->vcpus[0]->meter);
	list_init(&q->waiter.link);
	q->waiter.turn = turn;
	for (u32 i = 0; i < JOBS_MAX; i++) {
		q->jobs[i].next = q->free_jobs;
		q->free_jobs = &q->jobs[i];
	}
	for (u32 p = 0; p < SLOT_PAGES_MAX && q->slot_pages[p]; p++) {
		struct vbd_slot *slots = q->slot_pages[p];

		for (u32 i = 0; i < SLOTS_PER_PAGE; i++) {
			slots[i].queue = q;
			slots[i].request.done = disk_done;
			slots[i].request.segments = slots[i].segments;
			put_slot(q, &slots[i]);
		}
	}
}
