/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IDT, GDT, TSS and the descriptor windows. Every vCPU has a window of 32
 * pages of address space: 16 for its GDT (14 of the guest's, then the page of
 * the CPU that runs it), 16 for its LDT. Windows lie in one hypervisor-wide
 * area; their page tables are made on demand and never freed.
 */
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/counters.h>
#include <arch/internal.h>
#include <arch/pagetable.h>
#include <arch/x86.h>

#define WINDOW_PAGES 32
#define WINDOW_BYTES (WINDOW_PAGES * PAGE_SIZE)
#define WINDOW_COUNT 8192
_Static_assert(WINDOW_PAGES * sizeof(u64) == VCPU_WINDOW_BYTES, "its entries");
#define HV_DESC_PAGE 14

struct idt_gate {
	u16 offset_low, selector;
	u8 ist, type;
	u16 offset_mid;
	u32 offset_high, reserved;
};

static struct idt_gate idt[256] ALIGNED(4096);
/* What a window shows where the guest has no table: null descriptors, so that
 * a bad selector is #GP and not a fault at an address of ours. */
static const u8 empty_page[PAGE_SIZE] ALIGNED(4096);
static u64 window_used[WINDOW_COUNT / 64];
static struct spinlock window_lock = SPINLOCK_INIT(RANK_FRAMES - 1);

void idt_init(void)
{
	for (unsigned int v = 0; v < 256; v++) {
		u64 handler = (u64)vector_stubs + v * 16;
		bool user = v == 3 || v == 4 || v == VEC_INT80;

		idt[v] = (struct idt_gate){
			.offset_low = (u16)handler,
			.selector = SEL_HV_CS,
			.type = (u8)(0x8e | (user ? 0x60 : 0)),
			.offset_mid = (u16)(handler >> 16),
			.offset_high = (u32)(handler >> 32),
		};
	}
	idt[VEC_DB].ist = 1;
	idt[VEC_NMI].ist = 2;
	idt[VEC_DF].ist = 3;
	idt[VEC_MC].ist = 4;
}

static void set_system_descriptor(struct cpu *c, u16 sel, u64 base, u32 limit,
				  u8 type)
{
	u64 *e = &c->desc->entry[(sel - 0xe000) / 8];

	e[0] = (limit & 0xffff) | (base & 0xffffff) << 16 |
	       (u64)(0x80 | type) << 40 | (u64)(limit >> 16 & 0xf) << 48 |
	       (base >> 24 & 0xff) << 56;
	e[1] = base >> 32;
}

static void fill_desc_page(struct cpu *c)
{
	u64 *e = c->desc->entry;

	e[1] = 0x00af9b000000ffff; /* e008: hypervisor code */
	e[2] = 0x00cf93000000ffff; /* e010: hypervisor data */
	e[4] = 0x00cffb000000ffff; /* e023: flat 32-bit code, ring 3 */
	e[5] = 0x00cff3000000ffff; /* e02b: flat data, ring 3 */
	e[6] = 0x00affb000000ffff; /* e033: flat 64-bit code, ring 3 */
	set_system_descriptor(c, SEL_TSS, (u64)c->tss, sizeof(*c->tss) - 1, 9);
}

static void load_gdt(u64 base)
{
	struct {
		u16 limit;
		u64 base;
	} PACKED ptr = { 0xefff, base };

	__asm__ volatile("lgdt %0" : : "m"(ptr));
}

/* The CPU's own table, used while it runs no vCPU: its descriptor page seen
 * through an address 14 pages lower, of which only that page is mapped. */
void descriptor_tables_load(struct cpu *c)
{
	__asm__ volatile("lldt %w0" : : "r"(0));
	c->ldt_loaded = 0;
	load_gdt((u64)c->desc - HV_DESC_PAGE * PAGE_SIZE);
	c->gdt_vcpu = ~0UL;
}

/* First load on this CPU: also IDT, task register and code segment. */
void descriptor_tables_start(struct cpu *c)
{
	struct {
		u16 limit;
		u64 base;
	} PACKED idt_ptr = { sizeof(idt) - 1, (u64)idt };

	fill_desc_page(c);
	descriptor_tables_load(c);
	__asm__ volatile("lidt %0" : : "m"(idt_ptr));
	__asm__ volatile("pushq %0\n"
			 "leaq 1f(%%rip), %%rax\n"
			 "pushq %%rax\n"
			 "lretq\n"
			 "1: movl %1, %%ss\n"
			 "movl %2, %%ds\n"
			 "movl %2, %%es\n"
			 "movl %2, %%fs\n"
			 "movl %2, %%gs\n"
			 :
			 : "i"(SEL_HV_CS), "r"(SEL_HV_DS), "r"(0)
			 : "rax", "memory");
	__asm__ volatile("ltr %w0" : : "r"(SEL_TSS));
}

void cpu_set_rsp0(struct cpu *c, u64 rsp0)
{
	c->tss->rsp[0] = rsp0;
}

/* ---- windows ---- */

static u64 *table_below(u64 *entry)
{
	if (!(*entry & PTE_P)) {
		struct frame *f = frame_alloc(0);

		if (!f)
			return NULL;
		WRITE_ONCE(*entry, frame_mfn(f) << PAGE_SHIFT | PTE_P | PTE_RW |
					   PTE_A | PTE_D);
	}
	return mfn_to_virt(pte_mfn(*entry));
}

/* The entry, making tables on the way; NULL: no memory. Lock held. */
static u64 *window_make(u32 window)
{
	u64 va = DESC_WINDOWS_VIRT + window * WINDOW_BYTES;
	u64 *t = maddr_to_virt(hv_cr3());

	for (unsigned int level = 4; level > 1; level--) {
		t = table_below(&t[pt_index(va, level)]);
		if (!t)
			return NULL;
	}
	return &t[pt_index(va, 1)];
}

static u64 *window_l1e(u32 window, unsigned int page)
{
	u64 va = DESC_WINDOWS_VIRT + window * WINDOW_BYTES + page * PAGE_SIZE;
	u64 *t = maddr_to_virt(hv_cr3());

	for (unsigned int level = 4; level > 1; level--)
		t = mfn_to_virt(pte_mfn(t[pt_index(va, level)]));
	return &t[pt_index(va, 1)];
}

void desc_window_map(u32 window, unsigned int page, u64 mfn)
{
	u64 *e = window_l1e(window, page);
	u64 entry = PTE_P | PTE_A | PTE_D | pte_allowed_nx;

	if (mfn)
		entry |= mfn << PAGE_SHIFT | PTE_RW;
	else
		entry |= (u64)empty_page - IMAGE_VIRT;

	if (*e != entry) {
		WRITE_ONCE(*e, entry);
		invlpg(DESC_WINDOWS_VIRT + window * WINDOW_BYTES +
		       page * PAGE_SIZE);
	}
}

int desc_window_alloc(u32 *window)
{
	int err = -ENOMEM;

	spin_lock(&window_lock);
	for (u32 w = 0; w < WINDOW_COUNT; w++) {
		if (window_used[w / 64] >> (w % 64) & 1)
			continue;
		if (window_make(w)) {
			for (unsigned int i = 0; i < WINDOW_PAGES; i++)
				desc_window_map(w, i, 0);
			window_used[w / 64] |= 1UL << (w % 64);
			*window = w;
			err = 0;
		}
		break;
	}
	spin_unlock(&window_lock);
	return err;
}

void desc_window_free(u32 window)
{
	for (unsigned int i = 0; i < WINDOW_PAGES; i++)
		desc_window_map(window, i, 0);
	spin_lock(&window_lock);
	window_used[window / 64] &= ~(1UL << (window % 64));
	spin_unlock(&window_lock);
}

void desc_window_load_gdt(u32 window)
{
	struct cpu *c = this_cpu();

	desc_window_map(window, HV_DESC_PAGE, c->desc_mfn);
	if (c->gdt_vcpu != window) {
		load_gdt(DESC_WINDOWS_VIRT + window * WINDOW_BYTES);
		c->gdt_vcpu = window;
	}
}

void desc_window_load_ldt(u32 window, u32 entries)
{
	struct cpu *c = this_cpu();

	if (!entries) {
		if (c->ldt_loaded)
			__asm__ volatile("lldt %w0" : : "r"(0));
		c->ldt_loaded = 0;
		return;
	}
	set_system_descriptor(c, SEL_LDT,
			      DESC_WINDOWS_VIRT + window * WINDOW_BYTES +
				      16 * PAGE_SIZE,
			      entries * 8 - 1, 2);
	__asm__ volatile("lldt %w0" : : "r"(SEL_LDT));
	c->ldt_loaded = 1;
}
