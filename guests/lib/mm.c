/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mm.c - page tables of the running test guest.
 *
 * Invariant: a page given out by alloc_table() has no writable mapping, so
 * it can take any page-table type at once.
 */
#include "xt.h"

#define POOL_PAGES 512

static u8 pool[POOL_PAGES][PAGE_SIZE] __attribute__((aligned(4096)));
static u32 pool_used;
static u64 *active_l4;

void *alloc_page(void)
{
	u32 n = __atomic_fetch_add(&pool_used, 1, __ATOMIC_RELAXED);

	check(n < POOL_PAGES, "page pool of the test is empty");
	return pool[n];
}

u64 *current_l4(void)
{
	return active_l4 ? active_l4 : (u64 *)start_info->pt_base;
}

void set_current_l4(u64 *l4)
{
	active_l4 = l4;
}

u64 *entry_of(const volatile void *va, int level)
{
	unsigned long a = (unsigned long)va;
	u64 *table = current_l4();

	for (int l = 4;; l--) {
		u64 *e = &table[(a >> (12 + 9 * (l - 1))) & 511];

		if (l == level)
			return e;
		if (!(READ_ONCE(*e) & PTE_P) || (READ_ONCE(*e) & PTE_PSE))
			return NULL;
		table = mfn_to_va((READ_ONCE(*e) & PTE_ADDR) >> PAGE_SHIFT);
	}
}

long write_entry_at(u64 maddr, u64 value)
{
	struct mmu_update req = { .ptr = maddr, .val = value };

	return mmu_update(&req, 1, NULL, DOMID_SELF);
}

long write_entry(const u64 *entry, u64 value)
{
	return write_entry_at(va_to_maddr(entry) | MMU_NORMAL_PT_UPDATE, value);
}

long mmuext(unsigned int cmd, u64 mfn)
{
	struct mmuext_op op = { .cmd = cmd, .arg1.mfn = mfn };

	return mmuext_op(&op, 1, NULL, DOMID_SELF);
}

long mmuext_linear(unsigned int cmd, const void *va)
{
	struct mmuext_op op = { .cmd = cmd };

	op.arg1.linear_addr = (unsigned long)va;
	return mmuext_op(&op, 1, NULL, DOMID_SELF);
}

long map_ro(const void *va)
{
	return update_va_mapping(va, mk_pte(va_to_mfn(va), PTE_RO),
				 UVMF_INVLPG | UVMF_ALL);
}

long map_rw(const void *va)
{
	return update_va_mapping(va, mk_pte(va_to_mfn(va), PTE_KERNEL),
				 UVMF_INVLPG | UVMF_ALL);
}

void seal(void *table)
{
	check_eq(map_ro(table), 0);
}

void *alloc_table(void)
{
	void *table = alloc_page();

	seal(table);
	return table;
}

void map_at(unsigned long va, u64 pte)
{
	for (int level = 4; level > 1; level--) {
		u64 *e = entry_of((void *)va, level);

		if (READ_ONCE(*e) & PTE_P)
			continue;
		check_eq(write_entry(e, mk_pte(va_to_mfn(alloc_table()),
					       PTE_KERNEL)),
			 0);
	}
	check_eq(write_entry(entry_of((void *)va, 1), pte), 0);
	check_eq(mmuext_linear(MMUEXT_INVLPG_LOCAL, (void *)va), 0);
}

u64 *clone_l4(void)
{
	u64 *l4 = alloc_page();

	for (unsigned int i = 0; i < 512; i++)
		if (i < L4_INDEX(HV_START) || i >= L4_INDEX(HV_END))
			l4[i] = current_l4()[i];
	seal(l4);
	return l4;
}
