// SPDX-License-Identifier: Apache-2.0
/*
 * See page_tables.h. Entries are of 4 KiB pages; the tables themselves are
 * mapped read-only, or the hypervisor would refuse them.
 */
#include "build/page_tables.h"

#define ENTRIES 512UL
#define PTE_PRESENT 0x01UL
#define PTE_WRITABLE 0x02UL
#define PTE_USER 0x04UL
#define PTE_ACCESSED 0x20UL
#define PTE_DIRTY 0x40UL
#define PTE_READ_ONLY (PTE_PRESENT | PTE_USER | PTE_ACCESSED | PTE_DIRTY)
#define PTE_TABLE (PTE_READ_ONLY | PTE_WRITABLE)

static u64 index_of(u64 va, unsigned int level)
{
	return (va >> (PAGE_SHIFT + 9 * (level - 1))) % ENTRIES;
}

/* Entries for count steps from va on, in tables that follow each other from
 * table on, to the frames of pfns first_pfn on. */
static void fill_level(u64 *table, unsigned int level, u64 va, u64 count,
		       const u64 *mfns, u64 flags)
{
	u64 first = index_of(va, level);

	for (u64 i = 0; i < count; i++)
		table[first + i] = (mfns[i] << PAGE_SHIFT) | flags;
}

/* pages from first_pfn on, mapped at va by tables from l3_pfn on. */
struct range {
	u64 va, pages, first_pfn, l3_pfn;
};

/* Tables of level 3 and below; the first L3's bytes are at tables. */
static void fill_range(u64 *l4, u64 *tables, const u64 *p2m,
		       const struct range *r, const struct table_counts *n)
{
	u64 va = r->va, l3_pfn = r->l3_pfn;
	u64 *l2 = tables + n->l3 * ENTRIES;
	u64 *l1 = l2 + n->l2 * ENTRIES;

	fill_level(l4, 4, va, n->l3, p2m + l3_pfn, PTE_TABLE);
	fill_level(tables, 3, va, n->l2, p2m + l3_pfn + n->l3, PTE_TABLE);
	fill_level(l2, 2, va, n->l1, p2m + l3_pfn + n->l3 + n->l2, PTE_TABLE);
	fill_level(l1, 1, va, r->pages, p2m + r->first_pfn, PTE_TABLE);
}

void page_tables_fill(const struct guest_layout *l, const u64 *p2m, u64 *area,
		      u64 *p2m_tables)
{
	const struct table_counts *n = &l->area_tables;
	u64 *l1 = area + (1 + n->l3 + n->l2) * ENTRIES;
	u64 pt_va = layout_va(l, l->pt_base_pfn);

	fill_range(area, area + ENTRIES, p2m,
		   &(struct range){ l->virt_base, l->area_end_pfn, 0,
				    l->pt_base_pfn + 1 },
		   n);
	/* L1s cover the area from the 2 MiB on in which it starts. */
	l1 += ((pt_va >> 21) - (l->virt_base >> 21)) * ENTRIES;
	fill_level(l1, 1, pt_va, l->pt_pages, p2m + l->pt_base_pfn,
		   PTE_READ_ONLY);
	if (!l->p2m_mapped)
		fill_range(area, p2m_tables, p2m,
			   &(struct range){ l->p2m_va, l->p2m_data_pages,
					    l->p2m_pfn,
					    l->p2m_pfn + l->p2m_data_pages },
			   &l->p2m_tables);
}
