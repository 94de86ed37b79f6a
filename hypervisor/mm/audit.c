// SPDX-License-Identifier: Apache-2.0
/*
 * The audit of hv/audit.h. Two passes: add up what every table, pin,
 * allocation and named reference holds, in words laid out like frame->ref;
 * then compare, and check the rules that make the counts mean safety: no frame
 * of a table or descriptor type is mapped writable, tables point to tables one
 * level down, nobody maps a frame that is free.
 */
#include <hv/audit.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/pagetable.h>

#include "frame_inline.h"

#define COUNTS_MASK (FRAME_COUNT_MASK | FRAME_TCOUNT_MASK)

static bool has_table_type(const struct frame *f)
{
	enum frame_type type = frame_type(f->ref);

	return type >= FRAME_L1 && type <= FRAME_L4 && frame_tcount(f->ref);
}

/* One thing that holds references to mfn: adds them and checks the type. */
static int held(const struct mm_audit *a, u64 mfn, enum frame_type type,
		const char *what, u64 where)
{
	const struct frame *f = frame_of_mfn(mfn);

	if (!f || f->owner_id >= OWNER_HV) {
		log_error("audit: %s %lx holds frame %lx, which is no domain's",
			  what, where, mfn);
		return 1;
	}
	a->counts[mfn] += 1;
	if (type == FRAME_UNTYPED)
		return 0;
	a->counts[mfn] += FRAME_TCOUNT_ONE;
	if ((f->ref & FRAME_KIND_MASK) == FRAME_KIND(type))
		return 0;
	log_error("audit: %s %lx holds frame %lx as type %d; it is %lx", what,
		  where, mfn, (int)type, f->ref);
	return 1;
}

static int count_entry(const struct mm_audit *a, const struct frame *f,
		       unsigned int level, u64 e)
{
	u64 where = frame_mfn(f), mfn = pte_mfn(e);
	int wrong;

	if (level > 1) {
		wrong = held(a, mfn, (enum frame_type)(level - 1), "table",
			     where);
		if (!(e & PTE_PSE))
			return wrong;
		log_error("audit: table %lx maps a large page: %lx", where, e);
		return wrong + 1;
	}
	wrong = held(a, mfn, e & PTE_RW ? FRAME_WRITABLE : FRAME_UNTYPED,
		     "table", where);
	if (mfn < frame_max_mfn && frame_table[mfn].owner_id != f->owner_id &&
	    !(frame_table[mfn].flags & FRAME_FLAG_FOREIGN)) {
		log_error("audit: frame %lx is mapped by another", mfn);
		wrong++;
	}
	return wrong;
}

static int count_table(const struct mm_audit *a, const struct frame *f)
{
	const u64 *table = mfn_to_virt(frame_mfn(f));
	unsigned int level = (unsigned int)frame_type(f->ref);
	unsigned int i, end = f->progress;
	int wrong = 0;

	if (f->ref & FRAME_VALIDATED) {
		end = PT_ENTRIES;
	} else if (f->partial == FRAME_COMPLETE) {
		log_error(
			"audit: table %lx is neither valid nor on its way: %lx",
			frame_mfn(f), f->ref);
		return 1;
	}
	for (i = 0; i < end; i++) {
		if (level == 4 && i >= HV_L4_FIRST && i <= HV_L4_LAST)
			continue;
		if (!(table[i] & PTE_P))
			continue;
		if (!(f->extent & frame_extent_bit(i))) {
			log_error("audit: entry %u of table %lx is beyond its "
				  "extent %x",
				  i, frame_mfn(f), f->extent);
			wrong++;
		}
		if (!(table[i] & PTE_US)) {
			log_error(
				"audit: entry %u of table %lx is no user's: %lx",
				i, frame_mfn(f), table[i]);
			wrong++;
		}
		wrong += count_entry(a, f, level, table[i]);
	}
	return wrong;
}

static int count_frame(const struct mm_audit *a, const struct frame *f)
{
	u64 mfn = frame_mfn(f);
	int wrong = 0;

	if (f->ref & FRAME_ALLOCATED)
		a->counts[mfn] += 1;
	if (f->ref & FRAME_PINNED)
		a->counts[mfn] += FRAME_REF_AND_TYPE;
	if (f->partial != FRAME_COMPLETE)
		a->counts[mfn] += FRAME_REF_AND_TYPE;
	if ((f->ref & FRAME_PINNED || f->partial != FRAME_COMPLETE) &&
	    !has_table_type(f)) {
		log_error(
			"audit: frame %lx is no table, but pinned or on its way: %lx",
			mfn, f->ref);
		wrong++;
	}
	if (has_table_type(f))
		wrong += count_table(a, f);
	return wrong;
}

static int compare(const struct mm_audit *a)
{
	const struct frame *f = frame_table, *end = f + frame_max_mfn;
	const u64 *count = a->counts;
	int wrong = 0;
	u64 mfn;

	for (; f < end; f++, count++) {
		if ((f->ref & COUNTS_MASK) == *count || f->owner_id == OWNER_HV)
			continue;
		mfn = frame_mfn(f);
		log_error("audit: frame %lx of %u: counted %lx, is %lx", mfn,
			  f->owner_id, a->counts[mfn], f->ref);
		wrong++;
	}
	return wrong;
}

static int compare_owner(const struct frame_owner *o)
{
	const struct frame *f = frame_table, *end = f + frame_max_mfn;
	u64 owned = 0, listed = 0, draining = 0, mfn;

	for (; f < end; f++) {
		if (f->owner_id != o->id || !(f->ref & FRAME_COUNT_MASK) ||
		    (f->flags & FRAME_FLAG_SHARED))
			continue;
		owned++;
		draining += f->partial == FRAME_DRAINING;
	}
	mfn = o->head_mfn;
	while (mfn && listed <= owned) {
		listed++;
		mfn = frame_table[mfn].next_mfn;
		if (mfn == o->head_mfn)
			break;
	}
	for (mfn = o->drain_mfn; mfn; mfn = frame_table[mfn].drain_next_mfn)
		draining--;
	if (owned == o->pages && listed == owned && !draining)
		return 0;
	log_error("audit: owner %u: %lu pages, %lu found, %lu listed, "
		  "%ld draining unlisted",
		  o->id, o->pages, owned, listed, (long)draining);
	return 1;
}

int mm_audit(const struct mm_audit *a)
{
	static const enum frame_type type_of[] = {
		[AUDIT_GENERAL] = FRAME_UNTYPED,
		[AUDIT_SEGDESC] = FRAME_SEGDESC,
		[AUDIT_WRITABLE] = FRAME_WRITABLE,
	};
	unsigned int i;
	int wrong = 0;
	u64 mfn;

	memset(a->counts, 0, frame_max_mfn * sizeof(*a->counts));
	for (mfn = 0; mfn < frame_max_mfn; mfn++)
		if (frame_table[mfn].ref)
			wrong += count_frame(a, &frame_table[mfn]);
	for (i = 0; i < a->ref_count; i++) {
		const struct audit_ref *r = &a->refs[i];
		enum frame_type type = type_of[r->kind];

		if (r->kind == AUDIT_TABLE)
			type = frame_type(frame_table[r->mfn].ref);
		wrong += held(a, r->mfn, type, "reference", i);
	}
	wrong += compare(a);
	for (i = 0; i < a->owner_count; i++)
		wrong += compare_owner(a->owners[i]);
	return wrong;
}
