// SPDX-License-Identifier: Apache-2.0
/*
 * A mapper and a granter, both hostile: the granter rewrites its entries and
 * frees its pages at any time, the mapper maps, unmaps with any arguments,
 * overwrites its page-table entries and copies. After each step every frame's
 * references are counted again from what exists: allocation, mappings, live
 * handles.
 */
#include <stddef.h>
#include <stdint.h>

#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/mm.h>

#include <arch/host_machine.h>
#include <arch/pagetable.h>

#include "../fake/domains.h"

#define PAGES 4
#define REFS 6
#define PTES 8
#define HANDLES 64

struct input {
	const uint8_t *bytes;
	size_t left;
};

struct handle {
	u64 addr, mfn;
	u32 pte;
	bool live, write;
};

static struct domain *mapper, *granter;
static u64 l1_ma, pages[PAGES], own;
static struct handle handles[HANDLES];

static uint8_t next(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->bytes++;
}

static u32 next_ref(struct input *in)
{
	uint8_t b = next(in);

	/* Around the end of the first counts, and beyond the table. */
	return b < 200 ? 125 + b % REFS : b < 250 ? 0 : b * 4096U;
}

static struct grant_entry_v1 *entry(u32 ref)
{
	struct grant_entry_v1 *e = mfn_to_virt(grant_frame_mfn(granter, 0));

	return &e[ref % 512];
}

static u64 *pte(u32 i)
{
	return (u64 *)maddr_to_virt(l1_ma) + i;
}

static void grant(struct input *in)
{
	struct grant_entry_v1 *e = entry(next_ref(in));
	uint8_t kind = next(in);

	e->domid = kind & 0x40 ? 0 : kind & 3;
	e->frame = (u32)(kind & 0x80 ? pages[kind % PAGES] : own + kind % 3);
	e->flags =
		(u16)(kind & 0x20 ? next(in) | next(in) << 8
				  : GTF_permit_access | (kind & GTF_readonly));
}

static void map(struct input *in)
{
	uint8_t kind = next(in);
	u32 i = kind % PTES;
	struct gnttab_map_grant_ref op = {
		.host_addr = l1_ma + i * 8UL,
		.dom = 1,
		.ref = next_ref(in),
		.flags = GNTMAP_host_map | GNTMAP_contains_pte |
			 (kind & 0x10 ? GNTMAP_readonly : 0),
	};
	struct handle *h;

	if (kind & 0x20) {
		op.flags &= ~(u32)GNTMAP_contains_pte;
		op.host_addr = FAKE_VA + i * PAGE_SIZE;
	}
	if (kind & 0x40)
		op.flags ^= 1U << (next(in) % 32);
	if (kind & 0x80)
		op.host_addr ^= 1UL << (next(in) % 64);
	grant_map(mapper, &op);
	CHECK(op.status <= 0);
	if (op.status)
		return;
	CHECK(op.handle < HANDLES && !handles[op.handle].live);
	h = &handles[op.handle];
	h->live = true;
	h->write = !(op.flags & GNTMAP_readonly);
	h->addr = op.host_addr;
	h->mfn = op.dev_bus_addr >> PAGE_SHIFT;
	for (h->pte = 0; h->pte < PT_ENTRIES; h->pte++) {
		if (op.flags & GNTMAP_contains_pte
			    ? l1_ma + h->pte * 8UL == op.host_addr
			    : FAKE_VA + h->pte * PAGE_SIZE == op.host_addr)
			break;
	}
	CHECK(h->pte < PT_ENTRIES);
	CHECK(pte_mfn(*pte(h->pte)) == h->mfn);
	CHECK(frame_table[h->mfn].owner_id == 1);
}

static void unmap(struct input *in)
{
	uint8_t kind = next(in);
	struct gnttab_unmap_grant_ref op = {
		.handle = kind % 32,
		.dev_bus_addr = next(in),
	};
	struct handle *h = &handles[op.handle];
	bool right;

	op.host_addr = h->addr;
	if (kind & 0x40)
		op.host_addr ^= 1UL << (next(in) % 64);
	if (kind & 0x80 && !(kind & 0x20))
		op.handle ^= 1U << (next(in) % 32);
	right = op.handle < HANDLES && handles[op.handle].live &&
		handles[op.handle].addr == op.host_addr;
	grant_unmap(mapper, &op, 1);
	if (!op.host_addr) {
		CHECK(op.status == GNTST_okay);
		return;
	}
	CHECK((op.status == GNTST_okay) == right);
	if (right) {
		h = &handles[op.handle];
		CHECK(!(*pte(h->pte) & PTE_P) ||
		      pte_mfn(*pte(h->pte)) != h->mfn);
		h->live = false;
	}
}

/* The mapper's own updates: its frame, nothing, or an attempt at foreign. */
static void update(struct input *in)
{
	uint8_t kind = next(in);
	u64 val = 0;
	int rc;

	if (kind & 0x10)
		val = own << PAGE_SHIFT | PTE_P | (kind & 0x20 ? PTE_RW : 0);
	if (kind & 0x40)
		val = pages[kind % PAGES] << PAGE_SHIFT | PTE_P | PTE_RW;
	rc = mmu_update_l1(&mapper->owner, &mapper->owner,
			   l1_ma + kind % PTES * 8UL, val, kind & 0x80);
	/* Only what maps that frame for writing already stays so. */
	if (val & PTE_P && (kind & 0x40) && !rc)
		CHECK(pte_mfn(*pte(kind % PTES)) == pages[kind % PAGES]);
}

static void copy(struct input *in)
{
	uint8_t kind = next(in);
	struct gnttab_copy op = {
		.source = { .u.gmfn = own, .domid = DOMID_SELF },
		.dest = { .u.gmfn = own, .domid = DOMID_SELF },
		.len = (u16)(next(in) * 20),
		.flags = kind & 3,
	};

	op.source.offset = (u16)(next(in) * 20);
	op.dest.offset = (u16)(next(in) * 20);
	if (kind & GNTCOPY_source_gref) {
		op.source.domid = kind & 0x80 ? kind : 1;
		op.source.u.ref = next_ref(in);
	}
	if (kind & GNTCOPY_dest_gref) {
		op.dest.domid = kind & 0x40 ? kind : 1;
		op.dest.u.ref = next_ref(in);
	}
	if (kind & 0x20)
		op.dest.u.gmfn = pages[kind % PAGES];
	grant_copy(mapper, &op);
	CHECK(op.status <= 0);
	if (!op.status)
		CHECK(op.source.offset + op.len <= PAGE_SIZE &&
		      op.dest.offset + op.len <= PAGE_SIZE);
}

/* The granter gives a page back and takes a new one, if it may. */
static void replace(struct input *in)
{
	u32 i = next(in) % PAGES;

	if (!frame_owner_release(&granter->owner, &frame_table[pages[i]]))
		pages[i] = fake_frame(granter);
}

/* Live handles of the frame at mfn whose entry is that one; ~0: whichever. */
static u64 live_handles(u64 mfn, u32 at, bool write_only)
{
	u64 count = 0;

	for (int h = 0; h < HANDLES; h++) {
		if (handles[h].live && handles[h].mfn == mfn &&
		    (at == ~0U || handles[h].pte == at) &&
		    (!write_only || handles[h].write))
			count++;
	}
	return count;
}

static void count_references(u64 mfn)
{
	u64 count = 1 + live_handles(mfn, ~0U, false);
	u64 writable = live_handles(mfn, ~0U, true);
	u64 ref = frame_table[mfn].ref;

	for (u32 i = 0; i < PT_ENTRIES; i++) {
		if (!(*pte(i) & PTE_P) || pte_mfn(*pte(i)) != mfn)
			continue;
		count++;
		writable += !!(*pte(i) & PTE_RW);
		/* No mapping without a live handle. */
		CHECK(live_handles(mfn, i, false) > 0);
	}
	CHECK((ref & FRAME_COUNT_MASK) == count);
	CHECK(frame_tcount(ref) == writable);
	CHECK(!writable || frame_type(ref) == FRAME_WRITABLE);
}

static void step(struct input *in)
{
	switch (next(in) % 8) {
	case 0:
	case 1:
		grant(in);
		break;
	case 2:
	case 3:
		map(in);
		break;
	case 4:
		unmap(in);
		break;
	case 5:
		update(in);
		break;
	case 6:
		copy(in);
		break;
	default:
		replace(in);
		break;
	}
	for (int i = 0; i < PAGES; i++)
		count_references(pages[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	fake_machine_init(256, 2);
	mapper = fake_domain_create(0, 1, true);
	granter = fake_domain_create(1, 1, false);
	fake_become(mapper, 0);
	l1_ma = fake_tables(mapper);
	own = fake_frame(mapper);
	CHECK(!grant_setup(granter, 1));
	for (int i = 0; i < PAGES; i++)
		pages[i] = fake_frame(granter);
	for (int i = 0; i < HANDLES; i++)
		handles[i] = (struct handle){ .live = false };
	for (int steps = 0; in.left && steps < HANDLES; steps++)
		step(&in);
	/* The granter may go first: then it waits for the mapper. */
	if (!fake_domain_destroy(granter)) {
		CHECK(fake_domain_destroy(mapper));
		CHECK(fake_domain_destroy(granter));
	} else {
		CHECK(fake_domain_destroy(mapper));
	}
	fake_machine_exit();
	return 0;
}
