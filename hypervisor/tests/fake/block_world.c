// SPDX-License-Identifier: Apache-2.0
/* See block_world.h. */
#include "block_world.h"

#include <string.h>

#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/work.h>

#include "domains.h"

unsigned int fake_guest_logs;

void guest_log(struct domain *d, const char *fmt, ...)
{
	(void)d, (void)fmt;
	fake_guest_logs++;
}

/* ---- deferred work ---- */

static struct list work_list = { &work_list, &work_list };

void work_init(struct work *w, void (*run)(struct work *w),
	       struct meter_account *account)
{
	*w = (struct work){ .run = run, .account = account };
	list_init(&w->link);
}

void work_queue(struct work *w)
{
	CHECK(w->run);
	if (list_empty(&w->link))
		list_add_tail(&work_list, &w->link);
}

unsigned int fake_work_late;

/* No vCPU runs here that it could wait for. */
void work_queue_late(struct work *w)
{
	fake_work_late++;
	work_queue(w);
}

void work_cancel(struct work *w)
{
	list_del(&w->link);
	w->run = NULL;
}

unsigned int fake_work_round(void)
{
	struct list round;
	unsigned int runs = 0;

	if (list_empty(&work_list))
		return 0;
	/* What is queued meanwhile goes behind the marker. */
	list_add_tail(&work_list, &round);
	while (work_list.next != &round) {
		struct work *w =
			container_of(work_list.next, struct work, link);

		list_del(&w->link);
		w->run(w);
		runs++;
	}
	list_del(&round);
	return runs;
}

unsigned int fake_work_run(unsigned int most)
{
	unsigned int runs = 0, n;

	while ((n = fake_work_round()) != 0) {
		runs += n;
		CHECK(runs <= most);
	}
	return runs;
}

/* ---- disks ---- */

struct fake_disk fake_disks[FAKE_DISKS];

struct disk *disk_find(u32 id)
{
	return id < FAKE_DISKS ? &fake_disks[id].disk : NULL;
}

u8 fake_disk_pattern(u32 disk, u64 sector)
{
	return (u8)(disk * 101 + sector * 7 + sector / 256 + 1);
}

static void check_pinned(const struct disk_request *r)
{
	u64 bytes = 0;

	for (u32 i = 0; i < r->segment_count; i++) {
		u64 maddr = r->segments[i].maddr;
		u32 length = r->segments[i].bytes;

		CHECK(length && length % 512 == 0 && maddr % 512 == 0);
		bytes += length;
		for (u64 mfn = maddr >> PAGE_SHIFT;
		     mfn <= (maddr + length - 1) >> PAGE_SHIFT; mfn++) {
			u64 ref = frame_table[mfn].ref;

			CHECK(ref & FRAME_COUNT_MASK);
			CHECK(frame_table[mfn].owner_id < FAKE_DOMAINS);
			if (r->op == DISK_READ)
				CHECK(frame_type(ref) == FRAME_WRITABLE &&
				      frame_tcount(ref));
		}
	}
	CHECK(bytes == r->sectors * 512);
}

static int submit(struct disk *disk, struct disk_request *r)
{
	struct fake_disk *d = container_of(disk, struct fake_disk, disk);

	if (d->queued >= d->capacity)
		return -EBUSY;
	CHECK(r->op < DISK_OPS && r->done);
	CHECK(!(disk->flags & DISK_READ_ONLY) || r->op == DISK_READ);
	switch (r->op) {
	case DISK_FLUSH:
		CHECK(disk->flags & DISK_HAS_FLUSH);
		CHECK(!r->segment_count && !r->sector && !r->sectors);
		break;
	case DISK_DISCARD:
		CHECK(disk->flags & DISK_HAS_DISCARD);
		CHECK(!r->segment_count && r->sectors &&
		      r->sectors <= disk->discard_sectors_max);
		CHECK(r->sector + r->sectors <= disk->sectors);
		break;
	default:
		CHECK(r->segment_count &&
		      r->segment_count <= disk->segments_max);
		CHECK(r->sectors && r->sector + r->sectors <= disk->sectors);
		check_pinned(r);
		for (u32 i = 0; i < r->segment_count; i++)
			CHECK(r->segments[i].bytes <= disk->segment_bytes_max);
	}
	if (d->logged < ARRAY_SIZE(d->log)) {
		d->log[d->logged] =
			r->segment_count ? frame_table[r->segments[0].maddr >>
						       PAGE_SHIFT]
						   .owner_id
					 : OWNER_NONE;
		d->log_sectors[d->logged++] = (u32)r->sectors;
	}
	d->queue[d->queued++] = r;
	d->most_queued = MAX(d->most_queued, d->queued);
	return 0;
}

static void kick(struct disk *disk)
{
	container_of(disk, struct fake_disk, disk)->kicks++;
}

static const struct disk_driver driver = { submit, kick };

/* Kept between tests: only what was written is made new. */
static u8 contents[FAKE_DISKS][FAKE_DISK_SECTORS * 512];
static bool written[FAKE_DISKS][FAKE_DISK_SECTORS];
static bool made;

static void renew(u32 disk)
{
	for (u64 s = 0; s < FAKE_DISK_SECTORS; s++) {
		if (made && !written[disk][s])
			continue;
		memset(contents[disk] + s * 512, fake_disk_pattern(disk, s),
		       512);
		written[disk][s] = false;
	}
}

void fake_disks_init(void)
{
	for (u32 i = 0; i < FAKE_DISKS; i++) {
		struct fake_disk *d = &fake_disks[i];

		memset(&d->disk, 0, sizeof(d->disk));
		d->queued = d->kicks = d->most_queued = d->logged = 0;
		renew(i);
		d->bytes = contents[i];
		d->capacity = FAKE_DISK_QUEUE;
		d->disk.id = i;
		d->disk.sectors = FAKE_DISK_SECTORS;
		d->disk.segments_max = i == 1 ? 3 : DISK_SEGMENTS_MAX;
		d->disk.segment_bytes_max = i == 1 ? PAGE_SIZE : ~0U;
		d->disk.physical_block_bytes = 512;
		d->disk.driver = &driver;
		memcpy(d->disk.name, "disk", 5);
	}
	made = true;
	fake_disks[0].disk.flags = DISK_HAS_FLUSH | DISK_HAS_DISCARD;
	fake_disks[0].disk.discard_sectors_max = 100;
	fake_disks[2].disk.flags = DISK_READ_ONLY;
}

void fake_disks_exit(void)
{
	for (u32 i = 0; i < FAKE_DISKS; i++)
		CHECK(!fake_disks[i].queued);
}

static void transfer(struct fake_disk *d, const struct disk_request *r)
{
	u8 *at = d->bytes + r->sector * 512;

	if (r->op != DISK_READ)
		memset(&written[d->disk.id][r->sector], true, r->sectors);
	if (r->op == DISK_DISCARD)
		memset(at, 0, r->sectors * 512);
	for (u32 i = 0; i < r->segment_count; i++) {
		void *memory = maddr_to_virt(r->segments[i].maddr);

		if (r->op == DISK_READ)
			memcpy(memory, at, r->segments[i].bytes);
		else
			memcpy(at, memory, r->segments[i].bytes);
		at += r->segments[i].bytes;
	}
}

void fake_disk_finish(struct fake_disk *d, unsigned int index, int status)
{
	struct disk_request *r = d->queue[index];

	CHECK(index < d->queued);
	memmove(d->queue + index, d->queue + index + 1,
		(d->queued - index - 1) * sizeof(struct disk_request *));
	d->queued--;
	if (r->segment_count)
		check_pinned(r);
	d->disk.requests[r->op]++;
	if (status) {
		d->disk.errors++;
	} else {
		transfer(d, r);
		d->disk.bytes[r->op] += r->sectors * 512;
	}
	r->done(r, status);
}

unsigned int fake_disk_finish_all(struct fake_disk *d)
{
	unsigned int n = d->queued;

	for (unsigned int i = 0; i < n; i++)
		fake_disk_finish(d, 0, 0);
	return n;
}

/* ---- front ends ---- */

struct grant_entry_v1 *front_entry(struct domain *d, u32 ref)
{
	struct grant_entry_v1 *e = mfn_to_virt(grant_frame_mfn(d, ref / 512));

	return &e[ref % 512];
}

void front_grant(struct domain *d, u32 ref, u64 mfn, u16 flags)
{
	*front_entry(d, ref) = (struct grant_entry_v1){
		.domid = DOMID_BACKEND,
		.frame = (u32)mfn,
		.flags = (u16)(GTF_permit_access | flags),
	};
}

void front_init(struct front *f, struct domain *d, u32 page_count,
		u32 first_ref)
{
	memset(f, 0, sizeof(*f));
	f->domain = d;
	f->page_count = page_count;
	for (u32 i = 0; i < page_count; i++) {
		f->refs[i] = first_ref + i;
		f->mfns[i] = fake_frame(d);
		front_grant(d, f->refs[i], f->mfns[i], 0);
	}
	for (f->entries = 1;
	     64 + f->entries * 2 * 112 <= page_count * PAGE_SIZE;)
		f->entries *= 2;
	front_sring(f)->req_event = front_sring(f)->rsp_event = 1;
	CHECK(!event_alloc_unbound_for(d, DOMID_BACKEND, &f->port));
}

struct blkif_sring *front_sring(const struct front *f)
{
	return mfn_to_virt(f->mfns[0]);
}

/* Byte by byte: slots cross pages. */
static u8 *slot_byte(const struct front *f, u32 index, u32 byte)
{
	u32 at = 64 + index % f->entries * 112 + byte;

	return (u8 *)mfn_to_virt(f->mfns[at / PAGE_SIZE]) + at % PAGE_SIZE;
}

void front_put(struct front *f, const struct blkif_request *r)
{
	for (u32 i = 0; i < sizeof(*r); i++)
		*slot_byte(f, f->req_prod, i) = ((const u8 *)r)[i];
	f->req_prod++;
}

void front_push(struct front *f)
{
	struct blkif_sring *s = front_sring(f);
	u32 old = s->req_prod;

	s->req_prod = f->req_prod;
	if (f->req_prod - s->req_event < f->req_prod - old) {
		f->notified++;
		CHECK(!event_send(f->domain, f->port));
	}
}

bool front_get(struct front *f, struct blkif_response *out)
{
	if (f->rsp_cons == front_sring(f)->rsp_prod) {
		front_sring(f)->rsp_event = f->rsp_cons + 1;
		return false;
	}
	for (u32 i = 0; i < sizeof(*out); i++)
		((u8 *)out)[i] = *slot_byte(f, f->rsp_cons, i);
	f->rsp_cons++;
	return true;
}

bool front_pending(const struct front *f)
{
	unsigned long *words = f->domain->shared_info->evtchn_pending;
	unsigned long bit = 1UL << (f->port % 64);
	bool pending = words[f->port / 64] & bit;

	words[f->port / 64] &= ~bit;
	return pending;
}
