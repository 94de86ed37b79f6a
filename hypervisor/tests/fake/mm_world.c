// SPDX-License-Identifier: Apache-2.0
/* See mm_world.h. */
#include "mm_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hv/audit.h>
#include <hv/errno.h>
#include <hv/log.h>
#include <hv/mm.h>

#include <arch/cpu.h>
#include <arch/host_machine.h>
#include <arch/pagetable.h>
#include <arch/tlb.h>

#include "../../mm/frame_inline.h"
#include "../../mm/page_entry.h"
#include "audit_memory.h"

#define FRAMES 80
#define OWNERS 2
#define PAGES_MAX 40 /* of the first owner; the second may have half */
#define CPUS 2
#define REFS 4 /* of each kind, per owner */
#define CACHED 32

static struct frame_owner owner[OWNERS];
static struct frame_owner *const owners[OWNERS] = { &owner[0], &owner[1] };
AUDIT_MEMORY(audit_memory, FRAMES);

/* References held outside of tables, as vCPUs and grants do; 0: none. */
static u32 refs[OWNERS][4][REFS];

unsigned long world_done[WORLD_OPS_MAX];

/* ---- the stream ---- */

static const u8 *stream, *stream_end;

static unsigned int pick(unsigned int n)
{
	return stream < stream_end ? *stream++ % n : 0;
}

static unsigned int pick_index(void)
{
	static const unsigned int idx[] = { 0,   1,   2,   31,  32,  255, 256,
					    271, 272, 287, 288, 510, 511 };

	return idx[pick(ARRAY_SIZE(idx))];
}

/* Any frame number, now and then one of nothing. */
static u64 pick_mfn(void)
{
	unsigned int b = pick(256);

	return b < 252    ? b % FRAMES
	       : b == 252 ? FRAMES
	       : b == 253 ? 1UL << 39
			  : b - 254;
}

/* Mostly the next frame of owner o whose type is between the two, if any. */
static u64 pick_typed(unsigned int o, enum frame_type from, enum frame_type to)
{
	u64 start = pick_mfn(), i;

	if (start >= FRAMES || !pick(8))
		return start;
	for (i = 0; i < FRAMES; i++) {
		u64 mfn = (start + i) % FRAMES;
		enum frame_type type = frame_type(frame_table[mfn].ref);

		if (frame_table[mfn].owner_id == owner[o].id && type >= from &&
		    type <= to)
			return mfn;
	}
	return start;
}

static u64 pick_owned(unsigned int o)
{
	return pick_typed(o, FRAME_UNTYPED, FRAME_WRITABLE);
}

/* An entry for a table of that level, which maps frames of o. */
static u64 pick_entry(unsigned int o, unsigned int level)
{
	static const u64 flags[] = {
		PTE_P,
		PTE_P,
		PTE_P,
		PTE_P | PTE_RW,
		PTE_P | PTE_RW,
		PTE_P | PTE_RW | PTE_US | PTE_A | PTE_D,
		PTE_P | PTE_NX,
		PTE_P | PTE_PSE,
		PTE_P | PTE_RW | PTE_G | PTE_PWT | 1UL << 58,
		PTE_P | 1UL << 60,
		0,
		PTE_RW,
	};
	u64 e = flags[pick(ARRAY_SIZE(flags))], mfn;

	if (level > 1 && pick(8))
		mfn = pick_typed(o, (enum frame_type)(level - 1),
				 (enum frame_type)(level - 1));
	else if ((e & PTE_RW) && pick(8))
		mfn = pick_typed(o, FRAME_WRITABLE, FRAME_WRITABLE);
	else
		mfn = pick_owned(o);
	return e | mfn << PAGE_SHIFT;
}

static int pick_budget(void)
{
	unsigned int b = pick(8);

	return b < 3 ? 1 + (int)b * 9 : 100000;
}

/* ---- TLBs ---- */

enum cached_kind { CACHED_READ, CACHED_WRITE, CACHED_TABLE };

static struct cached {
	bool used;
	enum cached_kind kind;
	u16 owner_id;
	u32 mfn;
} tlb[CPUS][CACHED];

static int running[CPUS]; /* owner, -1: none */

static void forget(unsigned int cpu)
{
	memset(tlb[cpu], 0, sizeof(tlb[cpu]));
}

static void cache(unsigned int cpu, u64 mfn, enum cached_kind kind)
{
	struct cached *c = tlb[cpu];
	unsigned int i = 0;

	while (i < CACHED - 1 && c[i].used)
		i++;
	c[i] = (struct cached){ true, kind, frame_table[mfn].owner_id,
				(u32)mfn };
}

static bool is_cached(u64 mfn)
{
	for (unsigned int i = 0; i < CPUS * CACHED; i++)
		if (tlb[i / CACHED][i % CACHED].used &&
		    tlb[i / CACHED][i % CACHED].mfn == mfn)
			return true;
	return false;
}

static void check_cached(const struct cached *c)
{
	const struct frame *f = &frame_table[c->mfn];
	enum frame_type type = frame_type(f->ref);
	bool typed = frame_tcount(f->ref);

	if (f->owner_id != c->owner_id && f->owner_id != OWNER_NONE)
		panic("frame %x has a new owner and is cached", c->mfn);
	if (c->kind == CACHED_WRITE && typed && type != FRAME_WRITABLE)
		panic("frame %x of type %d is cached writable", c->mfn, type);
	if (c->kind == CACHED_TABLE && typed && type != FRAME_L1)
		panic("frame %x of type %d is walked as a table", c->mfn, type);
}

static bool is_table(u64 mfn, unsigned int o, enum frame_type type)
{
	return frame_table[mfn].owner_id == owner[o].id &&
	       (frame_table[mfn].ref & FRAME_KIND_MASK) == FRAME_KIND(type) &&
	       frame_tcount(frame_table[mfn].ref);
}

/* ---- steps ---- */

typedef int (*step_fn)(unsigned int o);

static int step_write_memory(unsigned int o)
{
	u64 mfn = pick_typed(o, FRAME_WRITABLE, FRAME_WRITABLE);
	struct frame *f = frame_of_mfn(mfn);

	if (!f || frame_get_writable(f, owner[o].id))
		return -EINVAL;
	((u64 *)mfn_to_virt(mfn))[pick_index()] = pick_entry(o, 1 + pick(4));
	frame_put_writable(f);
	return 0;
}

static int step_wipe_memory(unsigned int o)
{
	u64 mfn = pick_typed(o, FRAME_WRITABLE, FRAME_WRITABLE);
	struct frame *f = frame_of_mfn(mfn);

	if (!f || frame_get_writable(f, owner[o].id))
		return -EINVAL;
	memset(mfn_to_virt(mfn), 0, PAGE_SIZE);
	frame_put_writable(f);
	return 0;
}

static int step_pin(unsigned int o)
{
	int budget = pick_budget();
	u64 mfn = pick_owned(o);

	return mmu_pin(&owner[o], mfn, pick(6), &budget);
}

static int step_unpin(unsigned int o)
{
	int budget = pick_budget();

	return mmu_unpin(&owner[o], pick_typed(o, FRAME_L1, FRAME_L4), &budget);
}

static int step_update(unsigned int o)
{
	u64 mfn = pick_typed(o, FRAME_L1, FRAME_L4), old = 0;
	u64 ma = mfn * PAGE_SIZE + pick_index() * 8UL + !pick(30);
	unsigned int from = pick(4) ? o : 1 - o, level = 1;
	int budget = pick_budget(), rc;

	if (mfn < FRAMES)
		level = (unsigned int)frame_type(frame_table[mfn].ref);
	spin_lock(&owner[o].mmu_lock);
	rc = mmu_update_locked(&owner[o], &owner[from], ma,
			       pick_entry(from, level), pick(2), &old, &budget);
	spin_unlock(&owner[o].mmu_lock);
	return rc;
}

static int step_update_l1(unsigned int o)
{
	u64 ma = pick_typed(o, FRAME_L1, FRAME_L1) * PAGE_SIZE +
		 pick_index() * 8UL;
	unsigned int from = pick(3) ? o : 1 - o;

	return mmu_update_l1(&owner[o], &owner[from], ma, pick_entry(from, 1),
			     pick(2));
}

static int step_flip(unsigned int o)
{
	u64 ma = pick_typed(o, FRAME_L1, FRAME_L1) % FRAMES * PAGE_SIZE +
		 pick_index() * 8UL;
	u64 seen = *(u64 *)maddr_to_virt(ma);

	/* Same frame, other permissions. */
	return l1e_compare_exchange(&owner[o], ma, &seen,
				    seen ^ (pick(2) ? PTE_RW : PTE_NX));
}

static int ref_take(unsigned int o, enum audit_kind kind, int budget)
{
	u32 *slot = &refs[o][kind][pick(REFS)];
	struct frame *f = frame_of_mfn(
		kind == AUDIT_TABLE ? pick_typed(o, FRAME_L4, FRAME_L4)
				    : pick_owned(o));
	int rc;

	if (*slot || !f)
		return -EINVAL;
	if (kind == AUDIT_TABLE) {
		spin_lock(&owner[o].mmu_lock);
		rc = frame_get_table_locked(&owner[o], f, FRAME_L4, &budget);
		spin_unlock(&owner[o].mmu_lock);
	} else if (kind == AUDIT_SEGDESC) {
		rc = frame_get_segdesc(&owner[o], f);
	} else if (kind == AUDIT_WRITABLE) {
		rc = frame_get_writable(f, owner[o].id);
	} else {
		rc = frame_get(f, owner[o].id) ? 0 : -EINVAL;
	}
	if (!rc)
		*slot = (u32)frame_mfn(f);
	return rc;
}

static int ref_drop(unsigned int o, enum audit_kind kind, u32 *slot, int budget)
{
	struct frame *f = &frame_table[*slot];

	if (!*slot)
		return -EINVAL;
	*slot = 0;
	if (kind == AUDIT_TABLE) {
		spin_lock(&owner[o].mmu_lock);
		frame_put_table_locked(&owner[o], f, &budget);
		spin_unlock(&owner[o].mmu_lock);
	} else if (kind == AUDIT_SEGDESC) {
		frame_put_segdesc(f);
	} else if (kind == AUDIT_WRITABLE) {
		frame_put_writable(f);
	} else {
		frame_put(f);
	}
	return 0;
}

static int step_ref_take(unsigned int o)
{
	enum audit_kind kind = (enum audit_kind)pick(4);

	return ref_take(o, kind, pick_budget());
}

static int step_ref_drop(unsigned int o)
{
	enum audit_kind kind = (enum audit_kind)pick(4);
	u32 *slot = &refs[o][kind][pick(REFS)];

	return ref_drop(o, kind, slot, pick_budget());
}

static int step_release(unsigned int o)
{
	return frame_owner_release(&owner[o],
				   &frame_table[pick_owned(o) % FRAMES]);
}

static int step_alloc(unsigned int o)
{
	struct frame *f;
	const u64 *page;
	int rc = frame_owner_alloc(&owner[o], 0, &f);

	if (rc)
		return rc;
	page = mfn_to_virt(frame_mfn(f));
	CHECK(!is_cached(frame_mfn(f)));
	for (unsigned int i = 0; i < PT_ENTRIES; i++)
		CHECK(page[i] == 0);
	return 0;
}

static int step_exchange(unsigned int o)
{
	struct frame *in = &frame_table[pick_owned(o) % FRAMES], *out;
	int rc = frame_owner_steal(&owner[o], in);

	if (rc)
		return rc;
	out = pick(2) ? frame_alloc(0) : NULL;
	if (out)
		frame_free(in, 0);
	frame_owner_give(&owner[o], out ? out : in);
	return 0;
}

static int step_drain(unsigned int o)
{
	int budget = pick_budget(), rc;

	if (!owner[o].drain_mfn)
		return -EINVAL;
	spin_lock(&owner[o].mmu_lock);
	rc = frame_drain_locked(&owner[o], &budget);
	spin_unlock(&owner[o].mmu_lock);
	return rc;
}

/* A CPU uses a translation: what it may then remember. */
static int step_access(unsigned int o)
{
	unsigned int cpu = pick(CPUS);
	u64 mfn = pick_typed(o, FRAME_L1, FRAME_L1) % FRAMES, *e;

	if (running[cpu] != (int)o || !is_table(mfn, o, FRAME_L1))
		return -EINVAL;
	cache(cpu, mfn, CACHED_TABLE);
	e = (u64 *)mfn_to_virt(mfn) + pick_index();
	if (*e & PTE_P) {
		*e |= PTE_A | (*e & PTE_RW ? PTE_D : 0);
		cache(cpu, pte_mfn(*e),
		      *e & PTE_RW ? CACHED_WRITE : CACHED_READ);
	}
	return 0;
}

static int step_guest_flush(unsigned int o)
{
	(void)o;
	if (pick(16))
		return -EAGAIN;
	tlb_flush_mask(1 + pick(3));
	return 0;
}

/* A CPU switches to another domain: loading CR3 flushes. */
static int step_switch(unsigned int o)
{
	unsigned int cpu = pick(CPUS);

	if (pick(16))
		return -EAGAIN;
	host_cpu = cpu;
	owner[o].dirty_cpus |= 1UL << cpu;
	tlb_flush_local();
	host_cpu = 0;
	owner[1 - o].dirty_cpus &= ~(1UL << cpu);
	running[cpu] = (int)o;
	return 0;
}

static int step_m2p(unsigned int o)
{
	return m2p_update(&owner[o], pick_mfn(), pick(256));
}

/* A guest that wants to get somewhere: a whole tree of tables at once. */
static int step_build(unsigned int o)
{
	u64 mfn[4], data, *table;
	unsigned int level, i;
	int budget = pick_budget();
	struct frame *f;

	for (level = 0; level < 4; level++) {
		if (frame_owner_alloc(&owner[o], 0, &f))
			return -ENOMEM;
		mfn[level] = frame_mfn(f);
	}
	for (level = 0; level < 4; level++) {
		table = mfn_to_virt(mfn[level]);
		for (i = 0; i < 4; i++) {
			data = pick_typed(o, FRAME_WRITABLE, FRAME_WRITABLE);
			table[pick_index()] = (level ? mfn[level - 1] : data)
						      << PAGE_SHIFT |
					      PTE_P;
		}
		if (!pick(8))
			table[pick_index()] = pick_entry(o, level + 1);
	}
	return mmu_pin(&owner[o], mfn[3], 4, &budget);
}

static const struct {
	const char *name;
	step_fn fn;
} steps[] = {
	{ "write memory", step_write_memory },
	{ "wipe memory", step_wipe_memory },
	{ "pin", step_pin },
	{ "unpin", step_unpin },
	{ "update", step_update },
	{ "update l1", step_update_l1 },
	{ "flip", step_flip },
	{ "take reference", step_ref_take },
	{ "drop reference", step_ref_drop },
	{ "release", step_release },
	{ "alloc", step_alloc },
	{ "exchange", step_exchange },
	{ "drain", step_drain },
	{ "access", step_access },
	{ "flush", step_guest_flush },
	{ "switch", step_switch },
	{ "m2p", step_m2p },
	{ "build", step_build },
};

unsigned int world_ops(void)
{
	return ARRAY_SIZE(steps);
}

const char *world_op_name(unsigned int op)
{
	return steps[op].name;
}

/* ---- checks, start and end ---- */

static void check(void)
{
	struct audit_ref list[OWNERS * 4 * REFS];
	struct mm_audit a = { owners, OWNERS, list, 0, &audit_memory };
	unsigned int o, kind, i;

	for (o = 0; o < OWNERS; o++)
		for (kind = 0; kind < 4; kind++)
			for (i = 0; i < REFS; i++)
				if (refs[o][kind][i])
					list[a.ref_count++] =
						(struct audit_ref){
							refs[o][kind][i],
							(enum audit_kind)kind
						};
	if (mm_audit(&a))
		panic("audit failed");
	for (i = 0; i < CPUS; i++)
		for (unsigned int k = 0; k < CACHED; k++)
			if (tlb[i][k].used)
				check_cached(&tlb[i][k]);
}

void world_init(void)
{
	host_machine_init(FRAMES, CPUS);
	frame_alloc_add(0, FRAMES);
	host_on_flush = forget;
}

static void destroy(void)
{
	unsigned int o, kind, i, rounds = 0;
	int rc[OWNERS];

	for (o = 0; o < OWNERS; o++)
		for (kind = 0; kind < 4; kind++)
			for (i = 0; i < REFS; i++)
				(void)!ref_drop(o, (enum audit_kind)kind,
						&refs[o][kind][i], 3);
	check();
	do {
		for (o = 0; o < OWNERS; o++) {
			rc[o] = frame_owner_destroy(&owner[o], 7);
			check();
		}
		if (++rounds > 10000)
			panic("tear-down does not end: %d %d", rc[0], rc[1]);
	} while (rc[0] || rc[1]);
	if (frame_free_count() != frame_total_count())
		panic("%lu frames of %lu are free", frame_free_count(),
		      frame_total_count());
}

unsigned long world_run(const u8 *bytes, size_t size)
{
	unsigned long made = 0;
	unsigned int o;

	stream = bytes;
	stream_end = bytes + size;
	memset(tlb, 0, sizeof(tlb));
	for (o = 0; o < OWNERS; o++) {
		frame_owner_init(&owner[o], (u16)(o + 1),
				 PAGES_MAX >> (o == 1));
		while (owner[o].pages < 8)
			CHECK(step_alloc(o) == 0);
	}
	running[0] = running[1] = -1;
	/* Near the end of the stamps' range, so that they wrap. */
	host_tlb_clock_set(0xffffff00UL);
	while (stream < stream_end) {
		unsigned int op = pick(ARRAY_SIZE(steps));

		if (!steps[op].fn(pick(4) == 3))
			world_done[op]++;
		made++;
		check();
	}
	destroy();
	return made;
}
