/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mm.h - frames and page tables of a test guest.
 *
 * The builder maps PFN n at VIRT_BASE + n * 4 KiB; every page the library
 * hands out lies in that linear map.  Page tables are read there too, and
 * changed only by hypercalls unless a test does otherwise on purpose.
 */
#ifndef XT_MM_H
#define XT_MM_H

#define PAGE_SHIFT 12
#define PAGE_SIZE 4096UL
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define VIRT_BASE 0xffffffff80000000UL
#define HV_START 0xffff800000000000UL
#define HV_END 0xffff880000000000UL
#define M2P ((const u64 *)HV_START)
#define NONCANONICAL 0x8000000000000000UL

#define PTE_P 0x001UL
#define PTE_RW 0x002UL
#define PTE_US 0x004UL
#define PTE_PWT 0x008UL
#define PTE_PCD 0x010UL
#define PTE_A 0x020UL
#define PTE_D 0x040UL
#define PTE_PSE 0x080UL
#define PTE_G 0x100UL
#define PTE_NX (1UL << 63)
#define PTE_ADDR 0x000ffffffffff000UL
#define PTE_KERNEL (PTE_P | PTE_RW | PTE_US | PTE_A | PTE_D)
#define PTE_RO (PTE_P | PTE_US | PTE_A | PTE_D)

#define L1_INDEX(va) (((unsigned long)(va) >> 12) & 511)
#define L2_INDEX(va) (((unsigned long)(va) >> 21) & 511)
#define L3_INDEX(va) (((unsigned long)(va) >> 30) & 511)
#define L4_INDEX(va) (((unsigned long)(va) >> 39) & 511)

static inline u64 pfn_to_mfn(u64 pfn)
{
	return ((const u64 *)start_info->mfn_list)[pfn];
}

static inline u64 va_to_pfn(const volatile void *va)
{
	return ((unsigned long)va - VIRT_BASE) >> PAGE_SHIFT;
}

static inline u64 va_to_mfn(const volatile void *va)
{
	return pfn_to_mfn(va_to_pfn(va));
}

/* Machine address of a linear-map VA, with its offset in the page. */
static inline u64 va_to_maddr(const volatile void *va)
{
	return va_to_mfn(va) << PAGE_SHIFT | ((unsigned long)va & 4095);
}

static inline void *pfn_to_va(u64 pfn)
{
	return (void *)(VIRT_BASE + (pfn << PAGE_SHIFT));
}

static inline void *mfn_to_va(u64 mfn)
{
	return pfn_to_va(M2P[mfn]);
}

static inline u64 mk_pte(u64 mfn, u64 flags)
{
	return mfn << PAGE_SHIFT | flags;
}

/* A zeroed page from a pool of 512; never freed, fails the test when dry. */
void *alloc_page(void);
/* The entry of the active kernel tables at a level (4..1), NULL if none. */
u64 *entry_of(const volatile void *va, int level);
static inline u64 *pte_of(const volatile void *va)
{
	return entry_of(va, 1);
}
/* The active kernel L4, through the linear map. */
u64 *current_l4(void);
void set_current_l4(u64 *l4);

/* One checked entry write at a machine address; the hypercall's result. */
long write_entry(const u64 *entry, u64 value);
long write_entry_at(u64 maddr, u64 value);
/* One MMUEXT operation with arg1.mfn, and one with a linear address. */
long mmuext(unsigned int cmd, u64 mfn);
long mmuext_linear(unsigned int cmd, const void *va);

/* Changes the linear-map protection of a page; the hypercall's result. */
long map_ro(const void *va);
long map_rw(const void *va);

/*
 * A fresh table page, mapped read-only.  make_table() with entries already
 * filled in: fill the page first, then call seal().
 */
void *alloc_table(void);
void seal(void *table);

/*
 * Maps one page at any VA of the active kernel tables, building the levels
 * above from fresh tables.  Fails the test when refused.
 */
void map_at(unsigned long va, u64 pte);

/* Builds an unpinned but sealed L4 with copies of the kernel's slots. */
u64 *clone_l4(void);

/* mmfuzz.c: random operations, the invariant, and an exact clean-up. */
u64 fuzz_random(u64 *state);
void fuzz_init(void);
void fuzz_step(u64 *rng);
void fuzz_check(void);
void fuzz_finish(void);
/* What was not refused, to show that the fuzz bites. */
extern u32 fuzz_pins, fuzz_updates, fuzz_stores;

#endif /* XT_MM_H */
