/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recount of all references and types from the page tables themselves: what
 * the frame table says is compared with what is there. For tests and debug
 * builds; nothing may change the tables or counts meanwhile.
 *
 * Between two audits the memory keeps a copy of each table and what its
 * entries hold. An audit looks at every frame and at every entry of every
 * table, but adds and subtracts only what differs from the copies. After
 * audit_forget, and after an audit that found something, all is counted anew.
 */
#ifndef HV_AUDIT_H
#define HV_AUDIT_H

#include <hv/frame.h>

/* A reference that no page table, pin or allocation explains: base pointers
 * of vCPUs, descriptor tables, guest areas, grants. */
enum audit_kind { AUDIT_GENERAL, AUDIT_TABLE, AUDIT_SEGDESC, AUDIT_WRITABLE };

struct audit_ref {
	u32 mfn;
	enum audit_kind kind;
};

/* Of each frame: how the latest audit found it, and what holds it. */
struct audit_frame {
	u64 ref;
	u64 held;    /* counts and type, in frame->ref's layout */
	u32 owner;   /* owner, flags and order */
	u32 partial; /* progress and partial */
	u32 table;   /* 1 + its place in tables; 0: none */
	u32 next;    /* 1 + next frame to be compared; 0: not to be compared */
};

/* Of each table: which of its entries are counted. */
struct audit_table {
	u64 *copy; /* PT_ENTRIES, 0: not counted; NULL: none are */
	u32 mfn;
	u16 end; /* entries at and above hold nothing */
	u8 level;
	bool changed;
};

/* Zeroed, but for what the caller provides. */
struct audit_memory {
	struct audit_frame *frames; /* frame_max_mfn */
	struct audit_table *tables; /* frame_max_mfn */
	u64 *copies;                /* copy_count * PT_ENTRIES */
	unsigned int copy_count;    /* tables beyond are always counted anew */

	unsigned int table_count, table_most;
	u32 touched; /* 1 + first frame to be compared */
	bool in_use, stale, owners_changed;
	u64 pages; /* of all owners */
};

struct mm_audit {
	struct frame_owner *const *owners;
	unsigned int owner_count;
	const struct audit_ref *refs;
	unsigned int ref_count;
	struct audit_memory *memory;
};

/* The number of things found wrong, each logged. */
int mm_audit(const struct mm_audit *a) MUST_CHECK;
void audit_forget(struct audit_memory *m);

#endif
