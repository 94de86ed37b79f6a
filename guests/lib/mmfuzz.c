/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmfuzz.c - random page-table operations over a small set of pages.
 *
 * Any step may be refused; what must hold is the one rule of direct paging:
 * a frame that serves as a page table has no writable mapping.  Entries used
 * are the first FUZZ_ENTRIES of each page, pointing only at pages of the set.
 */
#include "xt.h"

#define FUZZ_PAGES 24
#define FUZZ_ENTRIES 4

static u64 *pages[FUZZ_PAGES];
static u8 pinned[FUZZ_PAGES]; /* level, 0 for none */
u32 fuzz_pins, fuzz_updates, fuzz_stores;
static unsigned int user_root; /* page + 1, 0 for none */
/* Scratch of fuzz_check(); the last is for frames outside the set. */
static u8 level_of[FUZZ_PAGES + 1];

u64 fuzz_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

void fuzz_init(void)
{
	for (unsigned int i = 0; i < FUZZ_PAGES; i++)
		pages[i] = alloc_table();
}

static u64 random_entry(u64 *rng)
{
	u64 target = va_to_mfn(pages[fuzz_random(rng) % FUZZ_PAGES]);

	switch (fuzz_random(rng) % 16) {
	case 0:
	case 1:
	case 2:
		return 0;
	case 3:
		return fuzz_random(rng) & ~PTE_P;
	case 4:
		return mk_pte(target, PTE_KERNEL | PTE_PSE);
	case 5:
	case 6:
	case 7:
		return mk_pte(target, PTE_RO);
	default:
		return mk_pte(target, PTE_KERNEL);
	}
}

static void store(u64 *e, u64 v, u64 how)
{
	struct fault *f;

	switch (how % 4) {
	case 0:
		f = probe_write(e, v);
		break;
	case 1:
		f = PROBE("xchg %0, (%1)", "+r"(v) : "r"(e) : "memory");
		break;
	case 2:
		f = PROBE("lock cmpxchg %1, (%0)",
			  : "r"(e), "r"(v), "a"(READ_ONCE(*e))
			  : "memory", "cc");
		break;
	default:
		f = PROBE("lock xorb %1, (%0)",
			  : "r"(e), "q"((u8)(v & 0x67))
			  : "memory", "cc");
		break;
	}
	fuzz_stores += f->vector == VEC_NONE;
}

static void pin_or_unpin(unsigned int n, u64 how)
{
	u64 mfn = va_to_mfn(pages[n]);
	unsigned int level = 1 + how / 2 % 4;

	if (how & 1) {
		if (mmuext(MMUEXT_UNPIN_TABLE, mfn) == 0)
			pinned[n] = 0;
		return;
	}
	if (mmuext(MMUEXT_PIN_L1_TABLE + level - 1, mfn) == 0) {
		pinned[n] = (u8)level;
		fuzz_pins++;
	}
}

void fuzz_step(u64 *rng)
{
	unsigned int n = fuzz_random(rng) % FUZZ_PAGES;
	u64 *e = &pages[n][fuzz_random(rng) % FUZZ_ENTRIES];
	u64 how = fuzz_random(rng);

	switch (fuzz_random(rng) % 12) {
	case 0:
	case 1:
	case 2:
		pin_or_unpin(n, how);
		break;
	case 3:
	case 4:
		map_rw(pages[n]);
		break;
	case 5:
		map_ro(pages[n]);
		break;
	case 6:
		if (mmuext(MMUEXT_NEW_USER_BASEPTR,
			   how & 1 ? va_to_mfn(pages[n]) : 0) == 0)
			user_root = how & 1 ? n + 1 : 0;
		break;
	case 7:
	case 8:
		fuzz_updates +=
			write_entry_at(va_to_maddr(e) | (how & 1 ? 2 : 0),
				       random_entry(rng)) == 0;
		break;
	default:
		store(e, random_entry(rng), how);
		break;
	}
}

static unsigned int page_of_entry(u64 e)
{
	u64 mfn = (e & PTE_ADDR) >> PAGE_SHIFT;

	for (unsigned int i = 0; i < FUZZ_PAGES; i++)
		if (va_to_mfn(pages[i]) == mfn)
			return i;
	return FUZZ_PAGES;
}

/* One round of "what a table names is a table of the next level down". */
static bool spread_levels(void)
{
	bool changed = false;

	for (unsigned int n = 0; n < FUZZ_PAGES; n++)
		for (unsigned int i = 0; level_of[n] > 1 && i < FUZZ_ENTRIES;
		     i++) {
			u64 e = READ_ONCE(pages[n][i]);
			unsigned int t = page_of_entry(e);

			if (!(e & PTE_P) || level_of[t] == level_of[n] - 1)
				continue;
			/* A read-only linear entry, where they are allowed. */
			if (!(e & PTE_RW) && level_of[t] == level_of[n])
				continue;
			check(t < FUZZ_PAGES && !level_of[t],
			      "page %u is a table of levels %u and %u", t,
			      level_of[t], level_of[n] - 1);
			level_of[t] = level_of[n] - 1;
			changed = true;
		}
	return changed;
}

void fuzz_check(void)
{
	for (unsigned int n = 0; n < FUZZ_PAGES; n++)
		level_of[n] = pinned[n];
	if (user_root)
		level_of[user_root - 1] = 4;
	while (spread_levels())
		;
	for (unsigned int n = 0; n < FUZZ_PAGES; n++) {
		check(!level_of[n] || !(READ_ONCE(*pte_of(pages[n])) & PTE_RW),
		      "table %u is writable in the linear map", n);
		for (unsigned int i = 0; level_of[n] == 1 && i < FUZZ_ENTRIES;
		     i++) {
			u64 e = READ_ONCE(pages[n][i]);

			check((e & (PTE_P | PTE_RW)) != (PTE_P | PTE_RW) ||
				      !level_of[page_of_entry(e)],
			      "L1 page %u maps a table writable: %lx", n, e);
		}
	}
}

void fuzz_finish(void)
{
	check_eq(mmuext(MMUEXT_NEW_USER_BASEPTR, 0), 0);
	for (unsigned int round = 0; round < 4; round++)
		for (unsigned int n = 0; n < FUZZ_PAGES; n++)
			mmuext(MMUEXT_UNPIN_TABLE, va_to_mfn(pages[n]));
	for (unsigned int n = 0; n < FUZZ_PAGES; n++) {
		check(map_rw(pages[n]) == 0, "page %u kept a type", n);
		memset(pages[n], 0, PAGE_SIZE);
	}
	for (unsigned int n = 0; n < FUZZ_PAGES; n++) {
		check_eq(map_ro(pages[n]), 0);
		check(mmuext(MMUEXT_PIN_L1_TABLE, va_to_mfn(pages[n])) == 0,
		      "page %u kept a writable reference", n);
	}
}
