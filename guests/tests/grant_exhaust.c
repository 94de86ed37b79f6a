/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is the number of grant mappings bounded and are handles given
 *           back?
 * Rule:     one page can be mapped many times, 64 times by each of 128
 *           references; at some bound maps fail with a status; after all
 *           unmaps the same number works again.
 * Source:   checklist 47, 28.
 * Expected: both rounds equal, the page free at the end.
 *
 * test: time=120
 */
#include "xt.h"

#define BASE 0x600000000000UL
#define REF 9
#define MOST 8192

static u32 handles[MOST];

static u32 fill(void)
{
	u32 n;

	for (n = 0; n < MOST; n++)
		if (map_grant(REF + n / 64, BASE + n * PAGE_SIZE,
			      GNTMAP_host_map, &handles[n]) != GNTST_okay)
			break;
	return n;
}

void test_main(void)
{
	u64 *page = alloc_page();
	u32 first, second;

	for (u64 va = 0; va < MOST * PAGE_SIZE; va += 512 * PAGE_SIZE)
		map_at(BASE + va, 0);
	for (u32 n = 0; n < MOST; n += 64)
		grant_page(REF + n / 64, page, 0);
	first = fill();
	for (u32 i = 0; i < first; i++)
		check_eq(unmap_grant(handles[i], BASE + i * PAGE_SIZE), 0);
	second = fill();
	check(first == second && first >= 512, "%u, then %u", first, second);
	for (u32 i = 0; i < second; i++)
		check_eq(unmap_grant(handles[i], BASE + i * PAGE_SIZE), 0);
	check(!(grant_table()[REF].flags & (GTF_reading | GTF_writing)),
	      "flags %x", grant_table()[REF].flags);
	seal(page);
	check_eq(mmuext(MMUEXT_PIN_L1_TABLE, va_to_mfn(page)), 0);
	pass("%u mappings, twice", first);
}
