// SPDX-License-Identifier: Apache-2.0
/* The audit finds every kind of mistake: made behind its back after an audit
 * that remembers, and before its first look. */
#include <hv/errno.h>
#include <hv/log.h>

#include <arch/host_machine.h>

#include "../../mm/frame_inline.h"
#include "../fake/mm_tree.h"
#include "unit.h"

struct mistake {
	const char *name;
	void (*make)(void);
};

static struct frame *frame(u64 mfn)
{
	return &frame_table[mfn];
}

static void a_reference_too_many(void)
{
	frame(tree.data)->ref++;
}

static void a_reference_too_few(void)
{
	frame(tree.data)->ref--;
}

static void a_type_reference_too_many(void)
{
	frame(tree.l2)->ref += FRAME_TCOUNT_ONE;
}

static void a_type_lost(void)
{
	frame(tree.data)->ref &= ~FRAME_TYPE_MASK;
}

static void a_mapped_frame_not_validated(void)
{
	frame(tree.data)->ref &= ~FRAME_VALIDATED;
}

static void a_table_not_validated(void)
{
	frame(tree.l1)->ref &= ~FRAME_VALIDATED;
}

static void an_entry_too_many(void)
{
	*tree_entry(tree.l1, 511) = tree_pte(tree.data, PTE_P | PTE_US);
}

static void an_entry_too_few(void)
{
	*tree_entry(tree.l1, 1) = 0;
}

static void an_entry_moved(void)
{
	*tree_entry(tree.l1, 1) = tree_pte(tree.l2, PTE_P | PTE_US);
}

static void a_table_writable(void)
{
	*tree_entry(tree.l1, 0) |= PTE_RW;
	frame(tree.l1)->ref += FRAME_TCOUNT_ONE;
}

static void an_entry_of_the_supervisor(void)
{
	*tree_entry(tree.l2, 0) &= ~PTE_US;
}

static void a_large_page(void)
{
	*tree_entry(tree.l2, 0) |= PTE_PSE;
}

static void a_frame_of_nobody_mapped(void)
{
	*tree_entry(tree.l1, 2) = tree_pte(TREE_FRAMES - 1, PTE_P | PTE_US);
}

static void no_memory_mapped(void)
{
	*tree_entry(tree.l1, 2) = tree_pte(1UL << 38, PTE_P | PTE_US);
}

static void a_mapped_frame_of_another(void)
{
	frame(tree.data)->owner_id = 2;
	tree.domain.owner.pages--;
}

static void a_pin_too_many(void)
{
	frame(tree.l3)->ref |= FRAME_PINNED;
}

static void a_pinned_page(void)
{
	frame(tree.data)->ref |= FRAME_PINNED;
	frame(tree.data)->ref += FRAME_REF_AND_TYPE;
}

static void a_page_on_its_way(void)
{
	frame(tree.data)->partial = FRAME_VALIDATING;
	frame(tree.data)->ref += FRAME_REF_AND_TYPE;
}

static void a_table_draining_unlisted(void)
{
	frame(tree.l1)->partial = FRAME_DRAINING;
	frame(tree.l1)->ref += FRAME_REF_AND_TYPE;
}

static void a_base_not_counted(void)
{
	tree.vcpu.arch.user_cr3 = tree.l4 << PAGE_SHIFT;
}

static void a_base_forgotten(void)
{
	tree.vcpu.arch.kernel_cr3 = 0;
}

static void a_page_too_many(void)
{
	tree.domain.owner.pages++;
}

static void a_mapped_frame_freed(void)
{
	frame(tree.data)->owner_id = OWNER_NONE;
	frame(tree.data)->ref = 0;
	tree.domain.owner.pages--;
}

static const struct mistake mistakes[] = {
#define MISTAKE(name)                                                          \
	{                                                                      \
#name, name                                                    \
	}
	MISTAKE(a_reference_too_many),
	MISTAKE(a_reference_too_few),
	MISTAKE(a_type_reference_too_many),
	MISTAKE(a_type_lost),
	MISTAKE(a_mapped_frame_not_validated),
	MISTAKE(a_table_not_validated),
	MISTAKE(an_entry_too_many),
	MISTAKE(an_entry_too_few),
	MISTAKE(an_entry_moved),
	MISTAKE(a_table_writable),
	MISTAKE(an_entry_of_the_supervisor),
	MISTAKE(a_large_page),
	MISTAKE(a_frame_of_nobody_mapped),
	MISTAKE(no_memory_mapped),
	MISTAKE(a_mapped_frame_of_another),
	MISTAKE(a_pin_too_many),
	MISTAKE(a_pinned_page),
	MISTAKE(a_page_on_its_way),
	MISTAKE(a_table_draining_unlisted),
	MISTAKE(a_base_not_counted),
	MISTAKE(a_base_forgotten),
	MISTAKE(a_page_too_many),
	MISTAKE(a_mapped_frame_freed),
};

/* ---- undoing a mistake ---- */

static struct frame frames_before[TREE_FRAMES];
static u64 tables_before[4][PT_ENTRIES];
static struct tree tree_before;

static u64 *table(unsigned int i)
{
	const u64 mfns[] = { tree.l1, tree.l2, tree.l3, tree.l4 };

	return tree_entry(mfns[i], 0);
}

static void save(void)
{
	memcpy(frames_before, frame_table, sizeof(frames_before));
	for (unsigned int i = 0; i < 4; i++)
		memcpy(tables_before[i], table(i), PAGE_SIZE);
	tree_before = tree;
}

static void restore(void)
{
	memcpy(frame_table, frames_before, sizeof(frames_before));
	tree = tree_before;
	for (unsigned int i = 0; i < 4; i++)
		memcpy(table(i), tables_before[i], PAGE_SIZE);
}

/* ---- tests ---- */

static int setup(void **state)
{
	(void)state;
	tree_build();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tree_destroy();
	return 0;
}

static void every_mistake_is_found(void **state)
{
	unsigned int missed = 0;

	(void)state;
	assert_int_equal(tree_audit(), 0);
	save();
	for (unsigned int i = 0; i < ARRAY_SIZE(mistakes); i++) {
		int later, first;

		mistakes[i].make();
		later = tree_audit(); /* after one that remembers */
		first = tree_audit(); /* after one that found something */
		restore();
		if (!later || !first) {
			print_message("%s: found %d, anew %d\n",
				      mistakes[i].name, later, first);
			missed++;
		}
		assert_int_equal(tree_audit(), 0);
		assert_int_equal(tree_audit(), 0);
	}
	assert_int_equal(missed, 0);
}

/* In one operation a frame may pass from a mapping to a table and another to
 * the first mapping: whoever holds it now counts. */
static void what_changes_rightly_is_no_mistake(void **state)
{
	struct frame_owner *o = &tree.domain.owner;
	int budget = 1 << 20;
	u64 mfn;

	(void)state;
	assert_int_equal(tree_audit(), 0);
	assert_int_equal(mmu_update_l1(o, o, tree_ma(tree.l1, 1), 0, false), 0);
	assert_int_equal(mmu_pin(o, tree.data, 1, &budget), 0);
	mfn = tree_page(o);
	assert_int_equal(mmu_update_l1(o, o, tree_ma(tree.l1, 1),
				       tree_pte(mfn, PTE_P | PTE_RW), false),
			 0);
	assert_int_equal(tree_audit(), 0);
	assert_int_equal(mmu_unpin(o, tree.data, &budget), 0);
	assert_int_equal(mmu_update_l1(o, o, tree_ma(tree.l1, 1),
				       tree_pte(tree.data, PTE_P | PTE_RW),
				       false),
			 0);
	assert_int_equal(mmu_pin(o, mfn, 2, &budget), 0);
	assert_int_equal(tree_audit(), 0);
	/* What CPUs set in entries is no change. */
	*tree_entry(tree.l1, 1) |= PTE_A | PTE_D;
	assert_int_equal(tree_audit(), 0);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_mistake_is_found),
		TEST(what_changes_rightly_is_no_mistake),
	};

	host_machine_init(TREE_FRAMES, 2);
	frame_alloc_add(0, TREE_FRAMES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
