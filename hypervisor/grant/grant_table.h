/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A domain's grant state, private to the grant room. As a granter: the shared
 * frames, and for each entry who uses it how often. As a mapper: the maptrack
 * entries, indexed by handle. The head and the use counts of the first entries
 * lie in the page of struct domain; everything else comes in pages on demand,
 * charged to the domain. All of it is guarded by the table's lock.
 */
#ifndef GRANT_TABLE_H
#define GRANT_TABLE_H

#include <hv/grant.h>

#define GRANT_ENTRIES (PAGE_SIZE / sizeof(struct grant_entry_v1))

/* Who uses an entry; while readers + writers > 0 the frame is pinned. */
struct grant_active {
	u32 readers;
	u32 writers;
	u32 mfn;   /* what was granted when it was first pinned */
	u16 domid; /* to whom */
	u16 reserved;
};

enum maptrack_state {
	MAPTRACK_FREE = 0, /* ref: next free handle */
	MAPTRACK_BUSY,     /* a map or unmap is at work on it */
	MAPTRACK_LIVE,
};

struct maptrack {
	struct domain *granter;
	u64 pte_ma;    /* machine address of the level-1 entry it set */
	u64 host_addr; /* how the guest named that place */
	u32 ref;
	u32 mfn;
	u8 state;
	bool write;
};

#define ACTIVE_INLINE 32U
#define ACTIVE_PER_PAGE ((u32)(PAGE_SIZE / sizeof(struct grant_active)))
#define ACTIVE_PAGES (GRANT_MAX_FRAMES * 2U)
#define MAPTRACK_PER_PAGE ((u32)(PAGE_SIZE / sizeof(struct maptrack)))
#define MAPTRACK_PAGES ((u32)(PAGE_SIZE / sizeof(struct maptrack *)))
#define MAPTRACK_NONE 0xffffffffU

struct grant_table {
	struct spinlock lock;
	u32 nr_frames;
	u32 pinned; /* entries in use */
	u32 maptrack_pages;
	u32 maptrack_free;          /* first free handle, MAPTRACK_NONE: none */
	u32 exit_handle;            /* where grant_domain_exit goes on */
	struct maptrack **maptrack; /* a page of pointers; NULL: none yet */
	u32 shared_mfn[GRANT_MAX_FRAMES];
	struct grant_active *active[ACTIVE_PAGES];
	struct grant_active first[ACTIVE_INLINE];
};

_Static_assert(sizeof(struct grant_table) <= DOMAIN_GRANT_BYTES,
	       "fits the page of its domain");
_Static_assert((u64)ACTIVE_PAGES *ACTIVE_PER_PAGE ==
		       GRANT_MAX_FRAMES * GRANT_ENTRIES,
	       "every entry has a count");

#endif
