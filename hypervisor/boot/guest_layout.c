// SPDX-License-Identifier: Apache-2.0
/*
 * Computes the builder's layout. The number of table frames depends on the
 * size of the area, which contains them: the count grows until it suffices.
 */
#include <hv/errno.h>
#include <hv/format.h>
#include <hv/guest_layout.h>

#include <arch/layout.h>

#include <xen/elfnote.h>

/* The kernel may use this much after its stack before it sets up tables. */
#define PAD_PAGES (512UL * 1024 / PAGE_SIZE)
#define AREA_PAGES (4UL * 1024 * 1024 / PAGE_SIZE)
/* A domain that needs more than this of 64 bits of addresses is a mistake;
 * it keeps all sums below far from overflow. */
#define PAGES_MAX (1UL << 40)

#define FAIL(code, ...) (hv_snprintf(err, err_size, __VA_ARGS__), (code))

#define LEVEL_SHIFT(level) (12 + 9 * ((level)-1))

/* Tables of one level that [va, va + bytes) needs; bytes > 0. */
static u64 tables_for(u64 va, u64 bytes, unsigned int level)
{
	unsigned int shift = LEVEL_SHIFT(level + 1);

	return ((va + bytes - 1) >> shift) - (va >> shift) + 1;
}

static struct table_counts count_tables(u64 va, u64 pages)
{
	u64 bytes = pages << PAGE_SHIFT;

	return (struct table_counts){ tables_for(va, bytes, 1),
				      tables_for(va, bytes, 2),
				      tables_for(va, bytes, 3) };
}

/* True when [va, va + pages) stays in one half of the address space, below
 * or above the hypervisor. */
static bool range_usable(u64 va, u64 pages)
{
	u64 end = va + (pages << PAGE_SHIFT);

	if (pages >> (64 - PAGE_SHIFT) || end - 1 < va)
		return false;
	if (va < HV_VIRT_START)
		return end <= 1UL << 47;
	return va >= HV_VIRT_END;
}

static bool share_l4_slot(u64 a, u64 a_pages, u64 b, u64 b_pages)
{
	u64 a_last = a + (a_pages << PAGE_SHIFT) - 1;
	u64 b_last = b + (b_pages << PAGE_SHIFT) - 1;

	return (a >> 39) <= (b_last >> 39) && (b >> 39) <= (a_last >> 39);
}

/* Places everything from the end of the kernel to the end of the area; false
 * when that leaves the guest's addresses. */
static bool place_area(struct guest_layout *l, bool with_rings)
{
	u64 pfn = l->kernel_end_pfn;
	u64 pt_pages = 0;

	if (l->initrd_mapped) {
		l->initrd_pfn = pfn;
		pfn += l->initrd_pages;
	}
	if (l->p2m_mapped) {
		l->p2m_pfn = pfn;
		l->p2m_va = layout_va(l, pfn);
		pfn += l->p2m_data_pages;
	}
	l->start_info_pfn = pfn++;
	if (with_rings) {
		l->store_pfn = pfn++;
		l->console_pfn = pfn++;
	}
	l->pt_base_pfn = pfn;
	do {
		l->pt_pages = pt_pages;
		l->stack_pfn = l->pt_base_pfn + pt_pages;
		l->area_end_pfn =
			ALIGN_UP(l->stack_pfn + 1 + PAD_PAGES, AREA_PAGES);
		if (!range_usable(l->virt_base, l->area_end_pfn))
			return false;
		l->area_tables = count_tables(l->virt_base, l->area_end_pfn);
		pt_pages = 1 + l->area_tables.l3 + l->area_tables.l2 +
			   l->area_tables.l1;
	} while (pt_pages != l->pt_pages);
	return true;
}

static void place_outside(struct guest_layout *l)
{
	u64 pfn = l->area_end_pfn;

	if (!l->initrd_mapped) {
		l->initrd_pfn = pfn;
		pfn += l->initrd_pages;
	}
	l->p2m_pages = l->p2m_data_pages;
	if (!l->p2m_mapped) {
		l->p2m_pfn = pfn;
		l->p2m_tables = count_tables(l->p2m_va, l->p2m_data_pages);
		l->p2m_pages +=
			l->p2m_tables.l3 + l->p2m_tables.l2 + l->p2m_tables.l1;
		pfn += l->p2m_pages;
	}
	l->needed_pages = pfn;
}

static int check_addresses(const struct guest_layout *l,
			   const struct kernel_notes *n, char *err,
			   size_t err_size)
{
	if (n->entry < layout_va(l, l->kernel_start_pfn) ||
	    n->entry >= layout_va(l, l->kernel_end_pfn))
		return FAIL(-EINVAL, "entry %lx is outside the kernel",
			    n->entry);
	if (kernel_note_present(n, XEN_ELFNOTE_HYPERCALL_PAGE) &&
	    (n->hypercall_page < layout_va(l, l->kernel_start_pfn) ||
	     n->hypercall_page >= layout_va(l, l->kernel_end_pfn)))
		return FAIL(-EINVAL, "hypercall page %lx is outside the kernel",
			    n->hypercall_page);
	if (l->p2m_mapped)
		return 0;
	if (!range_usable(l->p2m_va, l->p2m_data_pages))
		return FAIL(-EINVAL, "p2m at %lx leaves the guest's addresses",
			    l->p2m_va);
	if (share_l4_slot(l->virt_base, l->area_end_pfn, l->p2m_va,
			  l->p2m_data_pages))
		return FAIL(-EINVAL,
			    "p2m at %lx and kernel at %lx share an L4 entry",
			    l->p2m_va, l->virt_base);
	return 0;
}

int guest_layout_compute(struct guest_layout *l, const struct layout_request *r,
			 char *err, size_t err_size)
{
	const struct kernel_notes *n = r->notes;

	*l = (struct guest_layout){ .virt_base = n->virt_base };
	if (r->start_paddr < n->paddr_offset)
		return FAIL(-EINVAL,
			    "kernel starts at %lx, below its paddr_offset %lx",
			    r->start_paddr, n->paddr_offset);
	l->kernel_start_pfn = (r->start_paddr - n->paddr_offset) >> PAGE_SHIFT;
	l->kernel_end_pfn = (r->end_paddr - n->paddr_offset) >> PAGE_SHIFT;
	l->initrd_pages = ALIGN_UP(r->initrd_bytes, PAGE_SIZE) >> PAGE_SHIFT;
	if (r->nr_pages > PAGES_MAX || l->kernel_end_pfn > PAGES_MAX ||
	    l->initrd_pages > PAGES_MAX)
		return FAIL(-EINVAL, "kernel ends at page %lx of %lx",
			    l->kernel_end_pfn, r->nr_pages);
	l->p2m_data_pages =
		ALIGN_UP(r->nr_pages * sizeof(u64), PAGE_SIZE) >> PAGE_SHIFT;
	l->initrd_mapped = !n->mod_start_pfn;
	l->p2m_mapped = !kernel_note_present(n, XEN_ELFNOTE_INIT_P2M);
	l->p2m_va = n->init_p2m;
	if (!place_area(l, r->with_rings))
		return FAIL(
			-EINVAL,
			"kernel at %lx with %lu MiB leaves the guest's addresses",
			l->virt_base, l->area_end_pfn >> 8);
	place_outside(l);
	if (l->needed_pages > r->nr_pages)
		return FAIL(
			-ENOMEM,
			"too little memory: kernel, initrd and tables need %lu KiB, the domain has %lu KiB",
			l->needed_pages * (PAGE_SIZE / 1024),
			r->nr_pages * (PAGE_SIZE / 1024));
	return check_addresses(l, n, err, err_size);
}
