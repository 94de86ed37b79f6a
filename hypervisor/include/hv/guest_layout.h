/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a paravirtual domain's builder puts things (guest-abi 1.3). Pure
 * arithmetic: no memory is touched.
 *
 * The boot area is mapped linearly at virt_base from PFN 0 to area_end_pfn:
 *
 *   kernel | [initrd] [p2m] | start info | [store] [console] |
 *   L4 L3s L2s L1s | stack | pad
 *
 * Initrd and p2m are in the area only when the kernel lacks the notes that
 * allow them outside; else they follow the area, unmapped and mapped at
 * INIT_P2M respectively.
 */
#ifndef HV_GUEST_LAYOUT_H
#define HV_GUEST_LAYOUT_H

#include <hv/kernel_image.h>
#include <hv/types.h>

struct layout_request {
	const struct kernel_notes *notes;
	u64 start_paddr, end_paddr; /* of the kernel, as in its file */
	u64 initrd_bytes;           /* 0: none */
	u64 nr_pages;               /* of the domain */
	bool with_rings;            /* pages for its xenstore and console */
};

/* Frames of the tables that map one range. */
struct table_counts {
	u64 l1, l2, l3;
};

struct guest_layout {
	u64 virt_base;
	u64 kernel_start_pfn, kernel_end_pfn;
	u64 start_info_pfn;
	u64 store_pfn, console_pfn; /* 0: without rings */
	u64 pt_base_pfn;            /* the L4, then L3s, L2s, L1s */
	struct table_counts area_tables;
	u64 pt_pages;  /* all of them with the L4 */
	u64 stack_pfn; /* one page; grows down from its end */
	u64 area_end_pfn;
	bool initrd_mapped;
	u64 initrd_pfn, initrd_pages;
	bool p2m_mapped; /* in the area: no tables of its own */
	u64 p2m_va;
	u64 p2m_pfn, p2m_data_pages;
	struct table_counts p2m_tables; /* at p2m_pfn + p2m_data_pages:
					 * L3s, L2s, L1s */
	u64 p2m_pages;                  /* data and tables */
	u64 needed_pages;               /* least nr_pages */
};

/* 0; -EINVAL: notes that contradict each other; -ENOMEM: too little memory.
 * err gets a message with the numbers. */
int guest_layout_compute(struct guest_layout *l, const struct layout_request *r,
			 char *err, size_t err_size) MUST_CHECK;

static inline u64 layout_va(const struct guest_layout *l, u64 pfn)
{
	return l->virt_base + (pfn << PAGE_SHIFT);
}

#endif
