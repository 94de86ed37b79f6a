// SPDX-License-Identifier: Apache-2.0
/*
 * The builder of Domain 0 (guest-abi 1): allocates its frames, streams the
 * kernel into them, builds page tables, p2m, start info, and sets vCPU 0 up.
 *
 * The p2m list is contiguous machine memory, allocated first and filled as
 * the frames come, so it serves here as the map from PFN to machine frame
 * before it becomes the guest's. Page tables are built as the guest would
 * and only then typed, so they pass the same checks as any guest's tables
 * and all counts are exact.
 */
#include <hv/build_dom0.h>
#include <hv/errno.h>
#include <hv/format.h>
#include <hv/guest_layout.h>
#include <hv/hypercall.h>
#include <hv/hypercall_page.h>
#include <hv/kernel_image.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/layout.h>
#include <arch/pagetable.h>

#include <xen/elfnote.h>
#include <xen/features.h>
#include <xen/xen.h>

#include "boot_scratch.h"

#define FAIL(b, code, ...)                                                     \
	(hv_snprintf((b)->err, (b)->err_size, __VA_ARGS__), (code))

/* Left free: at least 64 MiB, of larger machines one sixteenth up to 1 GiB. */
#define RESERVE_PAGES_LEAST (64UL << (20 - PAGE_SHIFT))
#define RESERVE_PAGES_MOST (1024UL << (20 - PAGE_SHIFT))

#define DOM0_PAGES_LEAST (64UL << (20 - PAGE_SHIFT))

#define PTE_READ_ONLY (PTE_P | PTE_US | PTE_A | PTE_D)
#define PTE_TABLE (PTE_READ_ONLY | PTE_RW)

/* Selectors and flags with which a guest kernel starts. */
#define GUEST_RFLAGS (X86_EFLAGS_IF | 0x2UL)

struct builder {
	struct domain *d;
	const struct boot_info *bi;
	char *err;
	size_t err_size;
	struct kernel_image kernel;
	struct guest_layout layout;
	u64 nr_pages;
	u64 *p2m;          /* machine frame of each PFN, in guest memory */
	u64 p2m_block_pfn; /* where the p2m's own frames are so far */
	u64 p2m_block_pages;
};

/* Too large for the stack, used once. */
static struct builder the_builder;

u64 dom0_pages(const struct options *o, u64 free_pages)
{
	u64 reserve = MIN(MAX(free_pages / 16, RESERVE_PAGES_LEAST),
			  RESERVE_PAGES_MOST);
	u64 available = free_pages > reserve ? free_pages - reserve : 0;
	u64 asked = o->dom0_mem_bytes >> PAGE_SHIFT;

	return asked ? MIN(asked, available) : available;
}

static void *pfn_to_virt(const struct builder *b, u64 pfn)
{
	return mfn_to_virt(b->p2m[pfn]);
}

static unsigned int order_for(u64 pages)
{
	unsigned int order = 0;

	while ((1UL << order) < pages)
		order++;
	return order;
}

/* Appends a block to the p2m. */
static void add_frames(struct builder *b, u64 *pfn, u64 mfn, u64 count)
{
	u64 i;

	for (i = 0; i < count; i++)
		b->p2m[*pfn + i] = mfn + i;
	*pfn += count;
}

/* All memory of the domain, in blocks as large as there are. */
static int allocate_memory(struct builder *b)
{
	u64 p2m_pages =
		ALIGN_UP(b->nr_pages * sizeof(u64), PAGE_SIZE) >> PAGE_SHIFT;
	unsigned int order = order_for(p2m_pages);
	struct frame *f;
	u64 pfn = 0;
	u64 p2m_mfn;

	if (order > FRAME_ORDER_MAX ||
	    frame_owner_alloc_order(&b->d->owner, order, &f))
		return FAIL(b, -ENOMEM, "no %lu KiB in one piece for the p2m",
			    p2m_pages * (PAGE_SIZE / 1024));
	p2m_mfn = frame_mfn(f);
	b->p2m = mfn_to_virt(p2m_mfn);
	b->p2m_block_pages = 1UL << order;
	b->p2m_block_pfn = b->nr_pages - b->p2m_block_pages;

	order = FRAME_ORDER_MAX;
	while (pfn < b->p2m_block_pfn) {
		if ((1UL << order) <= b->p2m_block_pfn - pfn &&
		    !frame_owner_alloc_order(&b->d->owner, order, &f)) {
			add_frames(b, &pfn, frame_mfn(f), 1UL << order);
			continue;
		}
		if (order == 0)
			return FAIL(b, -ENOMEM,
				    "out of memory after %lu of %lu pages", pfn,
				    b->nr_pages);
		order--;
	}
	add_frames(b, &pfn, p2m_mfn, b->p2m_block_pages);
	return 0;
}

/* Where the kernel's segments go. */
static void *kernel_at(void *ctx, u64 paddr, u64 *contiguous)
{
	struct builder *b = ctx;
	u64 offset = paddr - b->kernel.notes.paddr_offset;
	u64 pfn = offset >> PAGE_SHIFT;
	u64 in_page = offset & ~PAGE_MASK;
	u64 count = 1;

	while (pfn + count < b->p2m_block_pfn &&
	       b->p2m[pfn + count] == b->p2m[pfn] + count)
		count++;
	*contiguous = (count << PAGE_SHIFT) - in_page;
	return (u8 *)pfn_to_virt(b, pfn) + in_page;
}

static int kernel_error(struct builder *b, enum kernel_status st)
{
	if (st == KERNEL_OK)
		return 0;
	return FAIL(b, st == KERNEL_NO_MEMORY ? -ENOMEM : -EINVAL, "%s",
		    b->kernel.error);
}

/* The notes of a compressed kernel come last, so its offset is still 0. */
static int check_kernel_fits(struct builder *b)
{
	u64 end = b->kernel.end_paddr - b->kernel.notes.paddr_offset;

	if (b->kernel.start_paddr < b->kernel.notes.paddr_offset)
		return FAIL(b, -EINVAL, "kernel starts below its paddr_offset");
	if ((end >> PAGE_SHIFT) > b->p2m_block_pfn)
		return FAIL(
			b, -ENOMEM,
			"too little memory: the kernel ends at %lu KiB, the domain has %lu KiB",
			end / 1024, b->nr_pages * (PAGE_SIZE / 1024));
	return 0;
}

static int load_kernel(struct builder *b, struct boot_scratch *scratch)
{
	const struct boot_module *m = &b->bi->modules[0];
	struct kernel_sink sink = { kernel_at, b };
	int rc;

	rc = kernel_error(
		b, kernel_image_open(&b->kernel, maddr_to_virt(m->start_maddr),
				     m->size_bytes, &scratch->memory));
	if (rc)
		return rc;
	/* Only now is the decoder's memory taken, and the rest free. */
	rc = allocate_memory(b);
	if (!rc)
		rc = check_kernel_fits(b);
	if (!rc)
		rc = kernel_error(b, kernel_image_load(&b->kernel, &sink));
	return rc;
}

static int compute_layout(struct builder *b)
{
	const struct kernel_notes *n = &b->kernel.notes;
	const struct boot_info *bi = b->bi;
	struct layout_request r = {
		.notes = n,
		.start_paddr = b->kernel.start_paddr,
		.end_paddr = b->kernel.end_paddr,
		.initrd_bytes =
			bi->module_count > 1 ? bi->modules[1].size_bytes : 0,
		.nr_pages = b->nr_pages,
	};

	if (kernel_note_present(n, XEN_ELFNOTE_SUPPORTED_FEATURES) &&
	    !(n->supported_features & (1UL << XENFEAT_dom0)))
		return FAIL(
			b, -EINVAL,
			"kernel does not support being Domain 0 (features %lx)",
			n->supported_features);
	return guest_layout_compute(&b->layout, &r, b->err, b->err_size);
}

/*
 * Exchanges the frames of the p2m list with those at its final PFNs, which
 * hold nothing yet; then every PFN is final. The two ranges may overlap, so
 * the order is such that no frame of the list is moved twice.
 */
static void move_p2m(struct builder *b)
{
	u64 *from = &b->p2m[b->p2m_block_pfn];
	u64 *to = &b->p2m[b->layout.p2m_pfn];
	u64 count = b->layout.p2m_data_pages;
	u64 n;

	for (n = 0; n < count; n++) {
		u64 i = to < from ? n : count - 1 - n;
		u64 mfn = from[i];

		from[i] = to[i];
		to[i] = mfn;
	}
}

static void set_m2p(const struct builder *b)
{
	u64 pfn;

	for (pfn = 0; pfn < b->nr_pages; pfn++)
		m2p_set(b->p2m[pfn], pfn);
}

static void load_initrd(const struct builder *b)
{
	const struct guest_layout *l = &b->layout;
	const u8 *src;
	u64 left, pfn;

	if (l->initrd_pages == 0)
		return;
	src = maddr_to_virt(b->bi->modules[1].start_maddr);
	left = b->bi->modules[1].size_bytes;
	for (pfn = l->initrd_pfn; left; pfn++) {
		u64 size = MIN(left, PAGE_SIZE);

		memcpy(pfn_to_virt(b, pfn), src, size);
		src += size;
		left -= size;
	}
}

/*
 * Fills one level of tables: the count entries for [va, ...) of step
 * 2^shift bytes each, in tables that follow each other from first_table_pfn
 * on; entry i points to PFN first_pfn + i with the given flags.
 */
static void fill_level(const struct builder *b, u64 first_table_pfn,
		       unsigned int level, u64 va, u64 count, u64 first_pfn,
		       u64 flags)
{
	u64 slot = pt_index(va, level);
	u64 *table = pfn_to_virt(b, first_table_pfn);
	u64 i;

	for (i = 0; i < count; i++) {
		if (slot == PT_ENTRIES) {
			slot = 0;
			table = pfn_to_virt(b, ++first_table_pfn);
		}
		table[slot++] = (b->p2m[first_pfn + i] << PAGE_SHIFT) | flags;
	}
}

/* Tables from level 3 down for pages mapped at va, L3s first. */
static void fill_tables(const struct builder *b, u64 l3_pfn, u64 va, u64 pages,
			u64 first_pfn, const struct table_counts *n)
{
	u64 l2_pfn = l3_pfn + n->l3;
	u64 l1_pfn = l2_pfn + n->l2;

	fill_level(b, b->layout.pt_base_pfn, 4, va, n->l3, l3_pfn, PTE_TABLE);
	fill_level(b, l3_pfn, 3, va, n->l2, l2_pfn, PTE_TABLE);
	fill_level(b, l2_pfn, 2, va, n->l1, l1_pfn, PTE_TABLE);
	fill_level(b, l1_pfn, 1, va, pages, first_pfn, PTE_TABLE);
}

static void build_tables(const struct builder *b)
{
	const struct guest_layout *l = &b->layout;
	u64 l1_pfn = l->pt_base_pfn + 1 + l->area_tables.l3 + l->area_tables.l2;
	u64 pt_va = layout_va(l, l->pt_base_pfn);
	/* Of the L1 that maps the first table frame. */
	u64 l1_of_pt = l1_pfn + (pt_va >> 21) - (l->virt_base >> 21);

	fill_tables(b, l->pt_base_pfn + 1, l->virt_base, l->area_end_pfn, 0,
		    &l->area_tables);
	/* A table must not be mapped writable. */
	fill_level(b, l1_of_pt, 1, pt_va, l->pt_pages, l->pt_base_pfn,
		   PTE_READ_ONLY);
	if (!l->p2m_mapped)
		fill_tables(b, l->p2m_pfn + l->p2m_data_pages, l->p2m_va,
			    l->p2m_data_pages, l->p2m_pfn, &l->p2m_tables);
}

static int fill_start_info(const struct builder *b)
{
	const struct guest_layout *l = &b->layout;
	const struct boot_module *kernel = &b->bi->modules[0];
	struct start_info *si = pfn_to_virt(b, l->start_info_pfn);
	struct dom0_vga_console_info *video = (void *)(si + 1);

	strlcpy(si->magic, "xen-3.0-x86_64p", sizeof(si->magic));
	si->nr_pages = b->nr_pages;
	si->shared_info = virt_to_mfn(b->d->shared_info) << PAGE_SHIFT;
	si->flags = SIF_PRIVILEGED | SIF_INITDOMAIN;
	si->pt_base = layout_va(l, l->pt_base_pfn);
	si->nr_pt_frames = l->pt_pages;
	si->mfn_list = l->p2m_va;
	if (l->initrd_pages) {
		si->mod_len = b->bi->modules[1].size_bytes;
		si->mod_start = l->initrd_mapped ? layout_va(l, l->initrd_pfn)
						 : l->initrd_pfn;
	}
	if (!l->initrd_mapped)
		si->flags |= SIF_MOD_START_PFN;
	if (!l->p2m_mapped) {
		si->first_p2m_pfn = l->p2m_pfn;
		si->nr_p2m_frames = l->p2m_pages;
	}
	/* An EFI frame buffer of no size: Linux then neither looks for VGA
	 * ports nor finds a screen (guest-abi 1.4). */
	video->video_type = XEN_VGATYPE_EFI_LFB;
	si->console.dom0.info_off = sizeof(*si);
	si->console.dom0.info_size = sizeof(*video);
	if (strlcpy((char *)si->cmd_line, kernel->line, sizeof(si->cmd_line)) >=
	    sizeof(si->cmd_line))
		return FAIL(b, -E2BIG,
			    "Domain 0 command line is longer than %zu bytes",
			    sizeof(si->cmd_line) - 1);
	return 0;
}

static void fill_hypercall_page(const struct builder *b)
{
	const struct kernel_notes *n = &b->kernel.notes;

	if (!kernel_note_present(n, XEN_ELFNOTE_HYPERCALL_PAGE))
		return;
	hypercall_page_fill(pfn_to_virt(b, (n->hypercall_page - n->virt_base) >>
						   PAGE_SHIFT));
}

/*
 * Validates the tables as if the guest had asked for it. Two references on
 * the L4 remain: the pin, which the guest takes away when it has tables of
 * its own, and that of vCPU 0's kernel_cr3.
 */
static int type_tables(const struct builder *b, u64 l4_mfn)
{
	struct frame_owner *o = &b->d->owner;
	int budget;
	int rc;

	do {
		budget = HYPERCALL_BUDGET;
		spin_lock(&o->mmu_lock);
		rc = frame_get_table_locked(o, frame_of_mfn(l4_mfn), FRAME_L4,
					    &budget);
		spin_unlock(&o->mmu_lock);
	} while (rc == -ERESTART);
	if (rc)
		return FAIL(b, rc, "built page tables are not valid: %d", rc);
	do {
		budget = HYPERCALL_BUDGET;
		rc = mmu_pin(o, l4_mfn, 4, &budget);
	} while (rc == -ERESTART);
	if (rc)
		return FAIL(b, rc, "built L4 cannot be pinned: %d", rc);
	return 0;
}

static int start_vcpu0(const struct builder *b)
{
	const struct guest_layout *l = &b->layout;
	struct vcpu *v = b->d->vcpus[0];
	u64 l4_mfn = b->p2m[l->pt_base_pfn];
	int rc;

	rc = type_tables(b, l4_mfn);
	if (rc)
		return rc;
	v->arch.regs = (struct guest_regs){
		.rip = b->kernel.notes.entry,
		.rsi = layout_va(l, l->start_info_pfn),
		.rsp = layout_va(l, l->stack_pfn + 1),
		.cs = FLAT_RING3_CS64,
		.ss = FLAT_RING3_SS64,
		.rflags = GUEST_RFLAGS,
	};
	v->arch.kernel_cr3 = l4_mfn << PAGE_SHIFT;
	v->arch.user_cr3 = 0;
	v->arch.in_kernel = 1;
	return 0;
}

static void report(const struct builder *b)
{
	const struct guest_layout *l = &b->layout;

	log_info("Domain 0: %lu MiB, %s kernel, entry %lx",
		 b->nr_pages >> (20 - PAGE_SHIFT),
		 compression_name(b->kernel.compression),
		 b->kernel.notes.entry);
	log_info("  kernel      %lx->%lx", layout_va(l, l->kernel_start_pfn),
		 layout_va(l, l->kernel_end_pfn));
	log_info("  start info  %lx", layout_va(l, l->start_info_pfn));
	log_info("  page tables %lx, %lu frames", layout_va(l, l->pt_base_pfn),
		 l->pt_pages);
	log_info("  stack end   %lx", layout_va(l, l->stack_pfn + 1));
	log_info("  initrd      pfn %lx, %lu pages", l->initrd_pfn,
		 l->initrd_pages);
	log_info("  p2m         %lx, pfn %lx, %lu frames", l->p2m_va,
		 l->p2m_pfn, l->p2m_pages);
}

static int build(struct builder *b, struct boot_scratch *scratch)
{
	int rc;

	rc = load_kernel(b, scratch);
	if (rc)
		return rc;
	rc = compute_layout(b);
	if (rc)
		return rc;
	move_p2m(b);
	set_m2p(b);
	load_initrd(b);
	rc = fill_start_info(b);
	if (rc)
		return rc;
	fill_hypercall_page(b);
	build_tables(b);
	return start_vcpu0(b);
}

int build_dom0(struct domain *d, const struct boot_info *bi,
	       const struct options *o, char *err, size_t err_size)
{
	struct builder *b = &the_builder;
	struct boot_scratch scratch;
	int rc;

	memset(b, 0, sizeof(*b));
	b->d = d;
	b->bi = bi;
	b->err = err;
	b->err_size = err_size;
	if (bi->module_count == 0)
		return FAIL(
			b, -ENOENT,
			"no module: the first one must be Domain 0's kernel");
	b->nr_pages = dom0_pages(o, frame_free_count());
	if (b->nr_pages < DOM0_PAGES_LEAST)
		return FAIL(
			b, -ENOMEM,
			"too little memory: %lu MiB left for Domain 0, at least %lu MiB needed",
			b->nr_pages >> (20 - PAGE_SHIFT),
			DOM0_PAGES_LEAST >> (20 - PAGE_SHIFT));
	d->owner.max_pages = b->nr_pages;
	boot_scratch_init(&scratch);
	rc = build(b, &scratch);
	boot_scratch_free(&scratch);
	if (rc == 0)
		report(b);
	return rc;
}
