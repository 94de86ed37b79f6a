/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What surrounds the block room in hosted tests: deferred work that runs when
 * asked to, disks in memory that finish when asked to, and the guest's half of
 * a ring. The disks check what they are given: whole, within the disk, in
 * pages that stay pinned for as long as the disk has them.
 */
#ifndef FAKE_BLOCK_WORLD_H
#define FAKE_BLOCK_WORLD_H

#include <hv/disk.h>
#include <hv/domain.h>

#include <xen/event_channel.h>
#include <xen/io/blkif.h>

/* Messages that guests caused. */
extern unsigned int fake_guest_logs;

/* Runs deferred work until none is left; returns the number of runs. Panics
 * when that takes more than `most`. */
unsigned int fake_work_run(unsigned int most);
/* How often work was queued that may wait for the guest. */
extern unsigned int fake_work_late;
/* One round: what was queued at its beginning. */
unsigned int fake_work_round(void);

#define FAKE_DISKS 3
#define FAKE_DISK_SECTORS 4096UL
#define FAKE_DISK_QUEUE 64

struct fake_disk {
	struct disk disk;
	u8 *bytes;
	struct disk_request *queue[FAKE_DISK_QUEUE];
	unsigned int queued;
	unsigned int capacity; /* more are refused */
	unsigned int kicks;
	unsigned int most_queued;
	/* What it was given, in order, for tests of turns. */
	u16 log[4096]; /* id of the owner of the first page */
	u32 log_sectors[4096];
	unsigned int logged;
};

extern struct fake_disk fake_disks[FAKE_DISKS];

/* Fresh disks: the first has a cache and discard, the second neither, the
 * third is read-only. Every byte tells disk and sector. */
void fake_disks_init(void);
void fake_disks_exit(void);
u8 fake_disk_pattern(u32 disk, u64 sector);
/* Finishes the request at `index` of the queue. */
void fake_disk_finish(struct fake_disk *d, unsigned int index, int status);
/* All that is queued, oldest first; work is not run. Returns how many. */
unsigned int fake_disk_finish_all(struct fake_disk *d);

/* ---- a front end ---- */

#define FRONT_PAGES_MAX 16

struct front {
	struct domain *domain;
	u32 port;
	u32 page_count, entries;
	u32 refs[FRONT_PAGES_MAX];
	u64 mfns[FRONT_PAGES_MAX];
	u32 req_prod, rsp_cons;
	unsigned int notified; /* requests that the ring said to tell of */
};

/* A shared entry of d. */
void front_grant(struct domain *d, u32 ref, u64 mfn, u16 flags);
struct grant_entry_v1 *front_entry(struct domain *d, u32 ref);
/* Rings of fresh pages under refs first_ref.. and an unbound port. */
void front_init(struct front *f, struct domain *d, u32 page_count,
		u32 first_ref);
struct blkif_sring *front_sring(const struct front *f);
/* Writes a request, not visible yet; pushes, and notifies if asked to. */
void front_put(struct front *f, const struct blkif_request *r);
void front_push(struct front *f);
/* The next response; false: none. */
bool front_get(struct front *f, struct blkif_response *out);
bool front_pending(const struct front *f); /* its port; clears it */

#endif
