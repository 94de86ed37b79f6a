/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recount of all references and types from the page tables themselves: what
 * the frame table says is compared with what is there. For tests and debug
 * builds; nothing may change the tables or counts meanwhile.
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

struct mm_audit {
	struct frame_owner *const *owners;
	unsigned int owner_count;
	const struct audit_ref *refs;
	unsigned int ref_count;
	u64 *counts; /* scratch: frame_max_mfn words */
};

/* The number of things found wrong, each logged. */
int mm_audit(const struct mm_audit *a) MUST_CHECK;

#endif
