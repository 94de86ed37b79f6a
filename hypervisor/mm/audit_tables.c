// SPDX-License-Identifier: Apache-2.0
/*
 * The tables of the audit of hv/audit.h: which there are, and what their
 * entries hold. Each is compared with its copy, entry by entry; what differs
 * is subtracted as the copy has it, added as the table has it, and copied. A
 * table without a copy is added before each comparison of counts and
 * subtracted after it.
 */
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/pagetable.h>

#include "audit_count.h"

/* What matters of an entry; CPUs set the others behind our back. */
#define HELD_BITS (PTE_ADDR_MASK | PTE_P | PTE_RW | PTE_US | PTE_PSE)

static enum frame_type type_held(unsigned int level, u64 e)
{
	if (level > 1)
		return (enum frame_type)(level - 1);
	return e & PTE_RW ? FRAME_WRITABLE : FRAME_UNTYPED;
}

/* The hypervisor's own entries hold nothing. */
static bool counts(unsigned int level, unsigned int i, u64 e)
{
	if (level == 4 && i >= HV_L4_FIRST && i <= HV_L4_LAST)
		return false;
	return e & PTE_P;
}

static bool holds_other(u64 a, u64 b)
{
	return (a ^ b) & HELD_BITS && (a | b) & PTE_P;
}

static u64 *table_of(const struct audit_table *t)
{
	return mfn_to_virt(t->mfn);
}

/* ---- one entry ---- */

static int entry_hold(struct audit_memory *m, const struct audit_table *t,
		      unsigned int i, u64 e)
{
	const struct frame *f = &frame_table[t->mfn];
	u64 mfn = pte_mfn(e);
	int wrong;

	if (!counts(t->level, i, e))
		return 0;
	wrong = audit_hold(m, mfn, type_held(t->level, e), "table", t->mfn);
	if (!(f->extent & frame_extent_bit(i))) {
		log_error("audit: entry %u of table %x is beyond its extent %x",
			  i, t->mfn, f->extent);
		wrong++;
	}
	if (!(e & PTE_US)) {
		log_error("audit: entry %u of table %x is no user's: %lx", i,
			  t->mfn, e);
		wrong++;
	}
	if (t->level > 1 && e & PTE_PSE) {
		log_error("audit: table %x maps a large page: %lx", t->mfn, e);
		wrong++;
	}
	if (t->level == 1 && mfn < frame_max_mfn &&
	    frame_table[mfn].owner_id != f->owner_id &&
	    !(frame_table[mfn].flags & FRAME_FLAG_FOREIGN)) {
		log_error("audit: frame %lx is mapped by another", mfn);
		wrong++;
	}
	return wrong;
}

static void entry_drop(struct audit_memory *m, const struct audit_table *t,
		       unsigned int i, u64 e)
{
	if (counts(t->level, i, e))
		audit_drop(m, pte_mfn(e), type_held(t->level, e));
}

/* ---- which tables there are ---- */

void audit_table_join(struct audit_memory *m, u64 mfn)
{
	struct audit_table *t = &m->tables[m->table_count++];

	t->mfn = (u32)mfn;
	t->level = 0;
	t->end = 0;
	m->frames[mfn].table = m->table_count;
	m->table_most = MAX(m->table_most, m->table_count);
}

static void drop_copy(struct audit_memory *m, struct audit_table *t)
{
	if (!t->copy)
		return;
	for (unsigned int i = 0; i < PT_ENTRIES; i++)
		entry_drop(m, t, i, t->copy[i]);
	memset(t->copy, 0, PAGE_SIZE);
}

void audit_table_leave(struct audit_memory *m, u64 mfn)
{
	struct audit_table *t = &m->tables[m->frames[mfn].table - 1];
	struct audit_table *last = &m->tables[--m->table_count];
	struct audit_table left = *t;

	drop_copy(m, t);
	*t = *last;
	*last = left;
	m->frames[t->mfn].table = (u32)(t - m->tables) + 1;
	m->frames[mfn].table = 0;
}

/* ---- all entries ---- */

/* n is a multiple of the step, or the rest is seen as different. */
static bool same(const u64 *a, const u64 *b, unsigned int n)
{
	const u64 *end = a + n;

	for (; a < end; a += 8, b += 8)
		if ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) |
		    (a[3] ^ b[3]) | (a[4] ^ b[4]) | (a[5] ^ b[5]) |
		    (a[6] ^ b[6]) | (a[7] ^ b[7]))
			return false;
	return true;
}

static int entries_end(const struct frame *f, unsigned int *end)
{
	*end = f->ref & FRAME_VALIDATED ? PT_ENTRIES : f->progress;
	if (f->ref & FRAME_VALIDATED || f->partial != FRAME_COMPLETE)
		return 0;
	log_error("audit: table %lx is neither valid nor on its way: %lx",
		  frame_mfn(f), f->ref);
	return 1;
}

static void drop_changed(struct audit_memory *m, const struct audit_table *t)
{
	const u64 *table = table_of(t), *copy = t->copy;

	for (unsigned int i = 0; i < PT_ENTRIES; i++)
		if (copy[i] && holds_other(copy[i], i < t->end ? table[i] : 0))
			entry_drop(m, t, i, copy[i]);
}

int audit_tables_drop(struct audit_memory *m)
{
	struct audit_table *t = m->tables, *last = t + m->table_count;
	int wrong = 0;

	for (; t < last; t++) {
		const struct frame *f = &frame_table[t->mfn];
		unsigned int end, level = (unsigned int)frame_type(f->ref);

		wrong += entries_end(f, &end);
		if (level != t->level) {
			drop_copy(m, t);
			t->level = (u8)level;
		}
		t->changed = !t->copy || end != t->end || end % 8 ||
			     !same(table_of(t), t->copy, end);
		t->end = (u16)end;
		if (t->changed && t->copy)
			drop_changed(m, t);
	}
	return wrong;
}

static int hold_changed(struct audit_memory *m, const struct audit_table *t)
{
	const u64 *table = table_of(t);
	int wrong = 0;

	for (unsigned int i = 0; i < PT_ENTRIES; i++) {
		u64 e = i < t->end ? table[i] : 0;

		if (!t->copy) {
			wrong += entry_hold(m, t, i, e);
			continue;
		}
		if (e == t->copy[i])
			continue;
		if (holds_other(e, t->copy[i]))
			wrong += entry_hold(m, t, i, e);
		t->copy[i] = e;
	}
	return wrong;
}

int audit_tables_hold(struct audit_memory *m)
{
	int wrong = 0;

	for (unsigned int i = 0; i < m->table_count; i++)
		if (m->tables[i].changed)
			wrong += hold_changed(m, &m->tables[i]);
	return wrong;
}

void audit_tables_end(struct audit_memory *m)
{
	for (unsigned int k = 0; k < m->table_count; k++) {
		const struct audit_table *t = &m->tables[k];

		for (unsigned int i = 0; !t->copy && i < t->end; i++)
			entry_drop(m, t, i, table_of(t)[i]);
	}
}
