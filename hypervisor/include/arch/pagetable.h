/* SPDX-License-Identifier: Apache-2.0 */
/* Bits of page-table entries and what the hypervisor adds to a guest's. */
#ifndef ARCH_PAGETABLE_H
#define ARCH_PAGETABLE_H

#include <hv/types.h>

#define PTE_P 0x001UL
#define PTE_RW 0x002UL
#define PTE_US 0x004UL
#define PTE_PWT 0x008UL
#define PTE_PCD 0x010UL
#define PTE_A 0x020UL
#define PTE_D 0x040UL
#define PTE_PSE 0x080UL /* L2, L3; in L1 the PAT bit */
#define PTE_PAT 0x080UL
#define PTE_G 0x100UL
#define PTE_AVAIL 0xe00UL
#define PTE_NX (1UL << 63)
#define PTE_ADDR_MASK 0x000ffffffffff000UL
#define PTE_AVAIL_HIGH 0x7ff0000000000000UL

#define PT_ENTRIES 512

static inline u64 pte_mfn(u64 e)
{
	return (e & PTE_ADDR_MASK) >> PAGE_SHIFT;
}

/* Index of va in a table of level 1..4. */
static inline unsigned int pt_index(u64 va, unsigned int level)
{
	return (unsigned int)(va >> (12 + 9 * (level - 1))) & (PT_ENTRIES - 1);
}

/* Writes the hypervisor's slots (256..271) into the L4 in frame mfn. */
void pagetable_fill_hv_slots(u64 l4_mfn);

/* True when entries may carry NX (EFER.NXE is on). Constant after boot. */
extern u64 pte_allowed_nx; /* PTE_NX or 0 */

#endif
