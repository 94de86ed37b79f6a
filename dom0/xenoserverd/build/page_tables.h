/* SPDX-License-Identifier: Apache-2.0 */
/* The page tables with which a domain starts, as bytes of their frames: pure
 * arithmetic over the layout and the map from pfn to mfn. */
#ifndef BUILD_PAGE_TABLES_H
#define BUILD_PAGE_TABLES_H

#include <hv/guest_layout.h>

/* area: zeroed pages pt_base_pfn .. + pt_pages, L4 first; p2m_tables: zeroed
 * pages from p2m_pfn + p2m_data_pages on, p2m_pages - p2m_data_pages of them,
 * which may be none. */
void page_tables_fill(const struct guest_layout *l, const u64 *p2m, u64 *area,
		      u64 *p2m_tables);

#endif
