// SPDX-License-Identifier: Apache-2.0
/*
 * The audit of hv/audit.h: frames and owners. Every frame is compared with how
 * the latest audit found it, but inside blocks of free frames, and every table
 * with its copy (audit_tables.c). That tells which frames' words or holders
 * changed; for these, the sum of what every table, pin, allocation and named
 * reference holds must be the word's. For all others both sides are what they
 * were when they were equal.
 *
 * Checked besides are the rules that make the counts mean safety: no frame of
 * a table or descriptor type is mapped writable, tables point to tables one
 * level down, nobody maps a frame that is free or another's. These depend on
 * the owner of what is mapped, so when the owner of a held frame changes, all
 * is counted anew. Owners' lists are walked when any frame's owner, or an
 * owner's number of pages, has changed.
 */
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/string.h>

#include "audit_count.h"

#define COUNTS_MASK (FRAME_COUNT_MASK | FRAME_TCOUNT_MASK)
#define OWNER_FLAGS_MASK (0xffffU | FRAME_FLAG_FOREIGN << 16)

/* ---- who holds a frame ---- */

static void touch(struct audit_memory *m, u64 mfn)
{
	struct audit_frame *s = &m->frames[mfn];

	if (s->next)
		return;
	s->next = m->touched ? m->touched : ~0U;
	m->touched = (u32)mfn + 1;
}

int audit_hold(struct audit_memory *m, u64 mfn, enum frame_type type,
	       const char *what, u64 where)
{
	const struct frame *f = frame_of_mfn(mfn);
	u64 held;

	if (!f || f->owner_id >= OWNER_HV) {
		log_error("audit: %s %lx holds frame %lx, which is no domain's",
			  what, where, mfn);
		return 1;
	}
	touch(m, mfn);
	held = m->frames[mfn].held + 1;
	if (type != FRAME_UNTYPED) {
		if (frame_tcount(held) && frame_type(held) != type) {
			log_error(
				"audit: %s %lx holds frame %lx as type %d, another as %d",
				what, where, mfn, (int)type,
				(int)frame_type(held));
			return 1;
		}
		held += FRAME_TCOUNT_ONE;
		held |= (u64)type << FRAME_TYPE_SHIFT;
	}
	m->frames[mfn].held = held;
	return 0;
}

void audit_drop(struct audit_memory *m, u64 mfn, enum frame_type type)
{
	struct audit_frame *s = &m->frames[mfn];

	touch(m, mfn);
	s->held -= type == FRAME_UNTYPED ? 1 : FRAME_REF_AND_TYPE;
	if (!frame_tcount(s->held))
		s->held &= FRAME_COUNT_MASK;
}

static enum frame_type type_of(const struct audit_ref *r)
{
	static const enum frame_type types[] = {
		[AUDIT_GENERAL] = FRAME_UNTYPED,
		[AUDIT_SEGDESC] = FRAME_SEGDESC,
		[AUDIT_WRITABLE] = FRAME_WRITABLE,
	};

	return r->kind == AUDIT_TABLE ? frame_type(frame_table[r->mfn].ref)
				      : types[r->kind];
}

/* ---- which frames changed ---- */

/* Each is one load. */
static ALWAYS_INLINE u32 owner_word(const struct frame *f)
{
	return f->owner_id | (u32)f->flags << 16 | (u32)f->order << 24;
}

static ALWAYS_INLINE u32 partial_word(const struct frame *f)
{
	return f->progress | (u32)f->partial << 16;
}

static void frame_changed(struct audit_memory *m, u64 mfn)
{
	const struct frame *f = &frame_table[mfn];
	struct audit_frame *s = &m->frames[mfn];
	bool other_owner = (s->owner ^ owner_word(f)) & OWNER_FLAGS_MASK;

	if (other_owner && s->held & COUNTS_MASK)
		m->stale = true;
	if (s->table && (other_owner || !audit_is_table(f->ref)))
		audit_table_leave(m, mfn);
	if (!s->table && audit_is_table(f->ref))
		audit_table_join(m, mfn);
	if (s->owner != owner_word(f) || s->partial != partial_word(f) ||
	    !(s->ref & FRAME_COUNT_MASK) != !(f->ref & FRAME_COUNT_MASK))
		m->owners_changed = true;
	s->ref = f->ref;
	s->owner = owner_word(f);
	s->partial = partial_word(f);
	touch(m, mfn);
}

static ALWAYS_INLINE u64 differs(const struct frame *f,
				 const struct audit_frame *s)
{
	return (f->ref ^ s->ref) | (owner_word(f) ^ s->owner) |
	       (partial_word(f) ^ s->partial);
}

/* Branches cost more than loads, under emulation above all. */
#define FRAMES_PER_STEP 4U

/* How far the frame at the beginning of a step reaches: a block of free frames
 * whose head is unchanged is still free, and whoever came to hold one of them
 * meanwhile is an error when it is counted. */
static ALWAYS_INLINE u64 step_frames(const struct audit_frame *s)
{
	u64 frames = FRAMES_PER_STEP;

	if (s->owner & FRAME_FLAG_FREE << 16)
		frames = MAX(frames, 1UL << (s->owner >> 24));
	return frames;
}

static void look_at_frames(struct audit_memory *m)
{
	u64 mfn = 0, end = frame_max_mfn & ~(FRAMES_PER_STEP - 1UL);

	while (mfn < end) {
		const struct frame *f = &frame_table[mfn];
		const struct audit_frame *s = &m->frames[mfn];

		if (!(differs(f, s) | differs(f + 1, s + 1) |
		      differs(f + 2, s + 2) | differs(f + 3, s + 3))) {
			mfn += step_frames(s);
			continue;
		}
		for (unsigned int i = 0; i < FRAMES_PER_STEP; i++)
			if (differs(f + i, s + i))
				frame_changed(m, mfn + i);
		mfn += FRAMES_PER_STEP;
	}
	for (; mfn < frame_max_mfn; mfn++)
		if (differs(&frame_table[mfn], &m->frames[mfn]))
			frame_changed(m, mfn);
}

/* ---- comparison ---- */

static int compare_frame(const struct audit_memory *m, u64 mfn)
{
	const struct frame *f = &frame_table[mfn];
	u64 held = m->frames[mfn].held, count = held & COUNTS_MASK;
	int wrong = 0;

	if (f->owner_id == OWNER_HV)
		return 0;
	if (f->ref & FRAME_ALLOCATED)
		count += 1;
	if (f->ref & FRAME_PINNED)
		count += FRAME_REF_AND_TYPE;
	if (f->partial != FRAME_COMPLETE)
		count += FRAME_REF_AND_TYPE;
	if ((f->ref & COUNTS_MASK) != count) {
		log_error("audit: frame %lx of %u: counted %lx, is %lx", mfn,
			  f->owner_id, count, f->ref);
		wrong++;
	}
	if (frame_tcount(held) &&
	    (f->ref & FRAME_KIND_MASK) != FRAME_KIND(frame_type(held))) {
		log_error("audit: frame %lx is held as type %d; it is %lx", mfn,
			  (int)frame_type(held), f->ref);
		wrong++;
	}
	if ((f->ref & FRAME_PINNED || f->partial != FRAME_COMPLETE) &&
	    !audit_is_table(f->ref)) {
		log_error(
			"audit: frame %lx is no table, but pinned or on its way: %lx",
			mfn, f->ref);
		wrong++;
	}
	return wrong;
}

static int compare_touched(struct audit_memory *m)
{
	u32 link = m->touched;
	int wrong = 0;

	while (link && link != ~0U) {
		u64 mfn = link - 1;

		wrong += compare_frame(m, mfn);
		link = m->frames[mfn].next;
		m->frames[mfn].next = 0;
	}
	m->touched = 0;
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

static int compare_owners(const struct mm_audit *a)
{
	struct audit_memory *m = a->memory;
	u64 pages = 0;
	int wrong = 0;

	for (unsigned int i = 0; i < a->owner_count; i++)
		pages += a->owners[i]->pages;
	if (m->owners_changed || pages != m->pages)
		for (unsigned int i = 0; i < a->owner_count; i++)
			wrong += compare_owner(a->owners[i]);
	m->pages = pages;
	m->owners_changed = false;
	return wrong;
}

/* ---- all of it ---- */

void audit_forget(struct audit_memory *m)
{
	memset(m->frames, 0, frame_max_mfn * sizeof(*m->frames));
	memset(m->tables, 0, frame_max_mfn * sizeof(*m->tables));
	memset(m->copies, 0, m->copy_count * PAGE_SIZE);
	for (unsigned int i = 0; i < m->copy_count; i++)
		m->tables[i].copy = m->copies + i * (PAGE_SIZE / sizeof(u64));
	m->table_count = 0;
	m->touched = 0;
	m->stale = false;
	m->owners_changed = true;
	m->in_use = true;
}

int mm_audit(const struct mm_audit *a)
{
	struct audit_memory *m = a->memory;
	unsigned int i;
	int wrong;

	if (!m->in_use)
		audit_forget(m);
	look_at_frames(m);
	if (m->stale) {
		audit_forget(m);
		look_at_frames(m);
	}
	wrong = audit_tables_drop(m);
	wrong += audit_tables_hold(m);
	for (i = 0; i < a->ref_count; i++)
		wrong += audit_hold(m, a->refs[i].mfn, type_of(&a->refs[i]),
				    "reference", i);
	wrong += compare_touched(m);
	wrong += compare_owners(a);
	if (wrong) {
		m->in_use = false;
		return wrong;
	}
	for (i = 0; i < a->ref_count; i++)
		audit_drop(m, a->refs[i].mfn, type_of(&a->refs[i]));
	audit_tables_end(m);
	return 0;
}
