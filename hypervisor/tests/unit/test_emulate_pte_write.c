// SPDX-License-Identifier: Apache-2.0
/* Emulated writes to live page tables, from the fault to the counts. */
#include <hv/errno.h>
#include <hv/types.h>

#include <arch/host_machine.h>

#include "../fake/mm_tree.h"
#include "unit.h"

#define CODE_VA 0xffffffff81000ff0UL /* so that code can cross a page */
#define ENTRY_VA                                                               \
	(TREE_VA + 2 * 8UL) /* the L1's entry 2, in its own mapping            \
			     */

static u8 text[32];
static struct guest_regs regs;

static int setup(void **state)
{
	(void)state;
	tree_build();
	memset(&regs, 0, sizeof(regs));
	memset(text, 0xcc, sizeof(text));
	host_guest_window(CODE_VA, text, sizeof(text));
	regs.rip = CODE_VA;
	regs.rax = ENTRY_VA;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(tree_audit(), 0);
	tree_destroy();
	return 0;
}

static int emulate(u64 fault_va, const char *bytes, size_t n)
{
	memcpy(text + (regs.rip - CODE_VA), bytes, n);
	return mmu_emulate_write(&tree.domain.owner, tree.l4, fault_va, &regs);
}

#define EMULATE(va, s) emulate(va, s, sizeof(s) - 1)

static u64 entry(void)
{
	return *tree_entry(tree.l1, 2);
}

static void mov_maps_and_takes_references(void **state)
{
	u64 data = tree_page(&tree.domain.owner);

	(void)state;
	regs.rdx = tree_pte(data, PTE_P | PTE_RW);
	assert_int_equal(EMULATE(ENTRY_VA, "\x48\x89\x10"), 0);
	assert_int_equal(entry(), tree_pte(data, PTE_P | PTE_RW | PTE_US));
	assert_int_equal(regs.rip, CODE_VA + 3);
	assert_int_equal(frame_tcount(frame_table[data].ref), 1);
}

static void xchg_returns_the_entry_with_accessed_and_dirty(void **state)
{
	u64 old = tree_pte(tree.data, PTE_P | PTE_RW | PTE_US | PTE_A | PTE_D);

	(void)state;
	*tree_entry(tree.l1, 1) |= PTE_A | PTE_D;
	regs.rax = TREE_VA + 8;
	regs.rdx = 0;
	assert_int_equal(EMULATE(TREE_VA + 8, "\x48\x87\x10"), 0);
	assert_int_equal(regs.rdx, old);
	assert_int_equal(*tree_entry(tree.l1, 1), 0);
	assert_int_equal(frame_tcount(frame_table[tree.data].ref), 0);
}

static void one_byte_and_write_protects(void **state)
{
	(void)state;
	regs.r12 = TREE_VA + 8;
	assert_int_equal(EMULATE(TREE_VA + 8, "\xf0\x41\x80\x24\x24\xfd"), 0);
	assert_int_equal(*tree_entry(tree.l1, 1),
			 tree_pte(tree.data, PTE_P | PTE_US));
	assert_int_equal(frame_tcount(frame_table[tree.data].ref), 0);
	assert_int_equal(regs.rip, CODE_VA + 6);
}

static void a_register_bit_number_may_name_the_entry(void **state)
{
	(void)state;
	/* btr %rdx,(%rax): bit 65 of the table is RW of entry 1. */
	regs.rax = TREE_VA;
	regs.rdx = 65;
	regs.rflags = 0;
	assert_int_equal(EMULATE(TREE_VA + 8, "\xf0\x48\x0f\xb3\x10"), 0);
	assert_int_equal(*tree_entry(tree.l1, 1) & PTE_RW, 0);
	assert_int_equal(regs.rflags & X86_EFLAGS_CF, X86_EFLAGS_CF);
}

static void failed_cmpxchg_loads_the_entry(void **state)
{
	(void)state;
	regs.rbx = TREE_VA + 8;
	regs.rax = 1;
	regs.rdx = 0;
	assert_int_equal(EMULATE(TREE_VA + 8, "\xf0\x48\x0f\xb1\x13"), 0);
	assert_int_equal(regs.rax, *tree_entry(tree.l1, 1));
	assert_int_equal(regs.rflags & X86_EFLAGS_ZF, 0);
	/* Again, now with the right value. */
	assert_int_equal(EMULATE(TREE_VA + 8, "\xf0\x48\x0f\xb1\x13"), 0);
	assert_int_equal(regs.rflags & X86_EFLAGS_ZF, X86_EFLAGS_ZF);
	assert_int_equal(*tree_entry(tree.l1, 1), 0);
}

static void refused_values_change_nothing(void **state)
{
	struct guest_regs before;

	(void)state;
	regs.rdx = tree_pte(tree.l2, PTE_P | PTE_RW);
	before = regs;
	assert_int_equal(EMULATE(ENTRY_VA, "\x48\x87\x10"), -EINVAL);
	assert_memory_equal(&regs, &before, sizeof(regs));
	assert_int_equal(entry(), 0);
	regs.rdx = tree_pte(TREE_FRAMES, PTE_P);
	assert_int_equal(EMULATE(ENTRY_VA, "\x48\x89\x10"), -EINVAL);
}

static void only_writes_to_l1_tables_are_taken(void **state)
{
	(void)state;
	/* The data page, an unmapped page, the hypervisor's range. */
	assert_int_equal(EMULATE(TREE_VA + 4096, "\x48\x89\x10"), -ENOENT);
	assert_int_equal(EMULATE(TREE_VA + 8192, "\x48\x89\x10"), -ENOENT);
	assert_int_equal(EMULATE(HV_VIRT_START, "\x48\x89\x10"), -ENOENT);
	/* An L2 mapped read-only is for hypercalls. */
	assert_int_equal(mmu_update_l1(&tree.domain.owner, &tree.domain.owner,
				       tree_ma(tree.l1, 3),
				       tree_pte(tree.l2, PTE_P), false),
			 0);
	regs.rax = TREE_VA + 3 * PAGE_SIZE;
	assert_int_equal(EMULATE(TREE_VA + 3 * PAGE_SIZE, "\x48\x89\x10"),
			 -ENOENT);
}

static void the_operand_must_be_the_entry_that_faulted(void **state)
{
	(void)state;
	regs.rax = ENTRY_VA + 8;
	assert_int_equal(EMULATE(ENTRY_VA, "\x48\x09\x10"), -EINVAL);
	regs.rax = TREE_VA - 4; /* from the page before */
	assert_int_equal(EMULATE(TREE_VA, "\x48\x89\x10"), -EINVAL);
	regs.rax = ENTRY_VA + 1; /* across two entries */
	assert_int_equal(EMULATE(ENTRY_VA + 1, "\x48\x89\x10"), -EINVAL);
	regs.rax = ENTRY_VA + 5;
	assert_int_equal(EMULATE(ENTRY_VA + 5, "\x89\x10"), -EINVAL);
	regs.rax = ENTRY_VA + 4;
	regs.rdx = 7;
	assert_int_equal(EMULATE(ENTRY_VA + 4, "\x89\x10"), 0);
	assert_int_equal(entry(), 7UL << 32);
}

static void code_may_cross_into_the_next_page_or_end_there(void **state)
{
	(void)state;
	regs.rip = CODE_VA + 14;
	regs.rdx = 2;
	assert_int_equal(EMULATE(ENTRY_VA, "\x48\x89\x10"), 0);
	assert_int_equal(entry(), 2);
	host_guest_window(CODE_VA, text, 16);
	regs.rip = CODE_VA + 13;
	regs.rdx = 4;
	assert_int_equal(EMULATE(ENTRY_VA, "\x48\x89\x10"), 0);
	assert_int_equal(entry(), 4);
	regs.rip = CODE_VA + 14;
	assert_int_equal(EMULATE(ENTRY_VA, "\x48\x89\x10"), -EINVAL);
	host_guest_window(0, NULL, 0);
	assert_int_equal(
		mmu_emulate_write(&tree.domain.owner, tree.l4, ENTRY_VA, &regs),
		-EINVAL);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(mov_maps_and_takes_references),
		TEST(xchg_returns_the_entry_with_accessed_and_dirty),
		TEST(one_byte_and_write_protects),
		TEST(a_register_bit_number_may_name_the_entry),
		TEST(failed_cmpxchg_loads_the_entry),
		TEST(refused_values_change_nothing),
		TEST(only_writes_to_l1_tables_are_taken),
		TEST(the_operand_must_be_the_entry_that_faulted),
		TEST(code_may_cross_into_the_next_page_or_end_there),
	};

	host_machine_init(TREE_FRAMES, 2);
	frame_alloc_add(0, TREE_FRAMES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
