/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hypervisor's page tables: made once at boot from the memory map. Their
 * L4 entries 256..271 never change afterwards, so every guest's L4 holds the
 * same copies; what is added later (descriptor windows) hangs below shared L3
 * tables.
 */
#include <hv/boot_info.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/internal.h>
#include <arch/pagetable.h>
#include <arch/x86.h>

#define SIZE_2M 0x200000UL
#define EARLY_LIMIT 0x100000000UL /* head.S maps this much */
#define ENTRY_DATA (PTE_P | PTE_RW | PTE_A | PTE_D)

extern char image_start[], image_text_end[], image_rodata_end[], image_end[];
extern u64 boot_l4[PT_ENTRIES];

u64 frame_max_mfn;
static u64 hv_l4_maddr;
static u64 *hv_l4;

/* Memory taken before the allocator exists: downwards from the end of the
 * largest range that the early tables map. */
static u64 early_bottom, early_next, early_end;
static bool allocator_ready;

/* The RAM of the memory map. */
static struct boot_range ram[BOOT_RANGES_MAX];
static unsigned int ram_count;

static void find_ram(const struct boot_info *bi)
{
	for (u32 i = 0; i < bi->range_count; i++) {
		if (bi->ranges[i].type != BOOT_RANGE_RAM)
			continue;
		ram[ram_count++] = bi->ranges[i];
		frame_max_mfn = MAX(frame_max_mfn,
				    bi->ranges[i].end_maddr >> PAGE_SHIFT);
	}
}

static u64 image_phys(const void *p)
{
	return (u64)p - IMAGE_VIRT;
}

static void early_choose(const struct boot_info *bi)
{
	u64 best = 0;

	for (unsigned int i = 0; i < ram_count; i++) {
		u64 start = ram[i].start_maddr, end = ram[i].end_maddr;

		end = MIN(end, EARLY_LIMIT);
		start = MAX(start, image_phys(image_end));
		for (unsigned int m = 0; m < bi->module_count; m++) {
			const struct boot_module *mod = &bi->modules[m];

			if (mod->start_maddr < end &&
			    mod->start_maddr + mod->size_bytes > start)
				start = ALIGN_UP(mod->start_maddr +
							 mod->size_bytes,
						 PAGE_SIZE);
		}
		if (start < end && end - start > best) {
			best = end - start;
			early_bottom = start;
			early_end = early_next = end;
		}
	}
	if (best < 16 * SIZE_2M)
		panic("boot error: too little memory: no free 32 MiB range below 4 GiB");
}

void *boot_alloc_pages(u64 pages)
{
	u64 bytes = pages * PAGE_SIZE;
	void *p;

	if (early_next - early_bottom < bytes)
		panic("boot error: too little memory for the hypervisor's tables: %lu KiB more needed",
		      (unsigned long)(bytes - (early_next - early_bottom)) /
			      1024);
	early_next -= bytes;
	p = maddr_to_virt(early_next);
	memset(p, 0, bytes);
	return p;
}

static u64 early_alloc_2m(void)
{
	early_next = ALIGN_DOWN(early_next, SIZE_2M);
	return virt_to_mfn(boot_alloc_pages(SIZE_2M / PAGE_SIZE)) << PAGE_SHIFT;
}

static u64 new_table(void)
{
	struct frame *f;

	if (!allocator_ready)
		return virt_to_mfn(boot_alloc_pages(1)) << PAGE_SHIFT;
	f = frame_alloc(0);
	if (!f)
		panic("boot error: too little memory for device mappings");
	return frame_mfn(f) << PAGE_SHIFT;
}

static u64 *table_at(u64 va, unsigned int level)
{
	u64 *t = hv_l4;

	for (unsigned int l = 4; l > level; l--) {
		u64 *e = &t[pt_index(va, l)];

		if (!(*e & PTE_P))
			*e = new_table() | ENTRY_DATA;
		t = mfn_to_virt(pte_mfn(*e));
	}
	return t;
}

static void map_2m(u64 va, u64 maddr, u64 flags)
{
	table_at(va, 2)[pt_index(va, 2)] = maddr | PTE_PSE | flags;
}

static void map_4k(u64 va, u64 maddr, u64 flags)
{
	table_at(va, 1)[pt_index(va, 1)] = maddr | flags;
}

/* Text is read-only, constants not executable, data neither. */
static void map_image(void)
{
	for (u64 va = (u64)image_start; va < (u64)image_end; va += PAGE_SIZE) {
		u64 flags = PTE_P | PTE_A | PTE_D;

		if (va >= (u64)image_text_end)
			flags |= pte_allowed_nx;
		if (va >= (u64)image_rodata_end)
			flags |= PTE_RW;
		map_4k(va, va - IMAGE_VIRT, flags);
	}
}

static void map_direct(void)
{
	u64 flags = ENTRY_DATA | pte_allowed_nx;

	for (u64 a = 0; a < EARLY_LIMIT; a += SIZE_2M)
		map_2m(DIRECT_MAP_VIRT + a, a, flags);
	for (unsigned int i = 0; i < ram_count; i++) {
		u64 a = ALIGN_DOWN(MAX(ram[i].start_maddr, EARLY_LIMIT),
				   SIZE_2M);

		for (; a < ram[i].end_maddr; a += SIZE_2M)
			map_2m(DIRECT_MAP_VIRT + a, a, flags);
	}
}

static bool chunk_has_ram(u64 start, u64 end)
{
	for (unsigned int i = 0; i < ram_count; i++)
		if (ram[i].start_maddr < end && ram[i].end_maddr > start)
			return true;
	return false;
}

/*
 * A table with one element per frame, in 2 MiB pieces; pieces that describe
 * only holes share one piece. guest_va, if not 0, gets the same pieces
 * read-only for everybody.
 */
static void map_per_frame_table(u64 va, u64 element_bytes, u64 guest_va)
{
	u64 span = SIZE_2M / element_bytes * PAGE_SIZE, hole = 0;

	for (u64 a = 0; a < frame_max_mfn << PAGE_SHIFT; a += span) {
		u64 offset = a / PAGE_SIZE * element_bytes, piece;

		if (chunk_has_ram(a, a + span)) {
			piece = early_alloc_2m();
		} else {
			if (!hole)
				hole = early_alloc_2m();
			piece = hole;
		}
		map_2m(va + offset, piece, ENTRY_DATA | pte_allowed_nx);
		if (!guest_va)
			continue;
		map_2m(guest_va + offset, piece,
		       PTE_P | PTE_US | PTE_A | PTE_D | pte_allowed_nx);
		table_at(guest_va + offset,
			 3)[pt_index(guest_va + offset, 3)] |= PTE_US;
		hv_l4[pt_index(guest_va, 4)] |= PTE_US;
	}
}

/* The M2P is what guests see of us; it must not show stale memory. */
static void init_tables(void)
{
	u64 frames = ALIGN_UP(frame_max_mfn, SIZE_2M / sizeof(u64));
	u64 *m2p = m2p_table;

	for (u64 i = 0; i < frames; i++)
		m2p[i] = M2P_INVALID;
	frames = ALIGN_UP(frame_max_mfn, SIZE_2M / sizeof(struct frame));
	for (u64 i = 0; i < frames; i++)
		frame_table[i].owner_id = OWNER_NONE;
}

static void give_range(const struct boot_info *bi, u64 start, u64 end,
		       unsigned int module)
{
	if (start >= end)
		return;
	for (; module < bi->module_count; module++) {
		u64 m_start =
			ALIGN_DOWN(bi->modules[module].start_maddr, PAGE_SIZE);
		u64 m_end = ALIGN_UP(bi->modules[module].start_maddr +
					     bi->modules[module].size_bytes,
				     PAGE_SIZE);

		if (m_start < end && m_end > start) {
			give_range(bi, start, m_start, module + 1);
			give_range(bi, MAX(start, m_end), end, module + 1);
			return;
		}
	}
	frame_alloc_add(start >> PAGE_SHIFT, end >> PAGE_SHIFT);
}

static void give_free_memory(const struct boot_info *bi)
{
	u64 image_start_phys = image_phys(image_start);
	u64 image_end_phys = image_phys(image_end);

	for (unsigned int i = 0; i < ram_count; i++) {
		u64 start = MAX(ram[i].start_maddr, 0x100000UL);
		u64 end = ram[i].end_maddr;

		for (u64 mfn = start >> PAGE_SHIFT; mfn < end >> PAGE_SHIFT;
		     mfn++) {
			frame_table[mfn].flags = FRAME_FLAG_RAM;
		}
		if (start < image_end_phys && end > image_start_phys) {
			give_range(bi, start, image_start_phys, 0);
			start = MAX(start, image_end_phys);
		}
		if (start < early_end && end > early_next) {
			give_range(bi, start, early_next, 0);
			start = MAX(start, early_end);
		}
		give_range(bi, start, end, 0);
	}
}

void paging_init(const struct boot_info *bi)
{
	find_ram(bi);
	early_choose(bi);
	if (frame_max_mfn > (DIRECT_MAP_END - DIRECT_MAP_VIRT) >> PAGE_SHIFT)
		panic("boot error: memory above 5 TiB is not supported");
	hv_l4 = boot_alloc_pages(1);
	hv_l4_maddr = virt_to_mfn(hv_l4) << PAGE_SHIFT;
	for (unsigned int i = HV_L4_FIRST; i <= HV_L4_LAST; i++)
		hv_l4[i] = virt_to_mfn(boot_alloc_pages(1)) << PAGE_SHIFT |
			   ENTRY_DATA;
	map_image();
	map_direct();
	map_per_frame_table(FRAME_TABLE_VIRT, sizeof(struct frame), 0);
	map_per_frame_table(M2P_WRITABLE_VIRT, sizeof(u64), M2P_VIRT);
	write_cr3(hv_l4_maddr);
	init_tables();
	give_free_memory(bi);
	allocator_ready = true;
}

u64 hv_cr3(void)
{
	return hv_l4_maddr;
}

void pagetable_copy_hv_slots(u64 *l4)
{
	for (unsigned int i = HV_L4_FIRST; i <= HV_L4_LAST; i++)
		l4[i] = hv_l4[i];
}

void pagetable_fill_hv_slots(u64 l4_mfn)
{
	pagetable_copy_hv_slots(mfn_to_virt(l4_mfn));
}

/* Of slot 260 the lower half shows addresses below 256 GiB at their place, the
 * upper one what lies above, one after the other. */
#define DEVICES_DIRECT_BYTES 0x4000000000UL

void *map_device(u64 maddr, u64 bytes)
{
	static u64 above = DEVICES_VIRT + DEVICES_DIRECT_BYTES;
	u64 start = ALIGN_DOWN(maddr, PAGE_SIZE);
	u64 end = ALIGN_UP(maddr + bytes, PAGE_SIZE);
	u64 va = DEVICES_VIRT + start;

	if (maddr >> cpu_features.physical_bits ||
	    (maddr + bytes - 1) >> cpu_features.physical_bits)
		return NULL;
	if (end > DEVICES_DIRECT_BYTES) {
		if (end - start > M2P_WRITABLE_VIRT - above)
			return NULL;
		va = above;
		above += end - start;
	}
	for (u64 at = 0; at < end - start; at += PAGE_SIZE)
		map_4k(va + at, start + at,
		       ENTRY_DATA | PTE_PCD | PTE_PWT | pte_allowed_nx);
	return (void *)(va + (maddr - start));
}
