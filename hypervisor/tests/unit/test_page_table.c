// SPDX-License-Identifier: Apache-2.0
/* The rules for page tables, one by one, on hand-made tables. */
#include <hv/audit.h>
#include <hv/errno.h>
#include <hv/mm.h>

#include <arch/host_machine.h>
#include <arch/pagetable.h>
#include <arch/tlb.h>

#include "../fake/audit_memory.h"
#include "unit.h"

#define FRAMES 256
#define VA 0xffffffff80001000UL /* L4 511, L3 510, L2 0, L1 1 */

static struct frame_owner me, other;
static struct frame_owner *const owners[] = { &me, &other };
AUDIT_MEMORY(audit_memory, FRAMES);
static u64 l1, l2, l3, l4, data; /* mfns */

static u64 *entry(u64 mfn, unsigned int idx)
{
	return (u64 *)mfn_to_virt(mfn) + idx;
}

static u64 entry_ma(u64 mfn, unsigned int idx)
{
	return mfn * PAGE_SIZE + idx * 8UL;
}

static u64 pte(u64 mfn, u64 flags)
{
	return mfn << PAGE_SHIFT | flags;
}

static u64 page(struct frame_owner *o)
{
	struct frame *f;

	assert_int_equal(frame_owner_alloc(o, 0, &f), 0);
	return frame_mfn(f);
}

static void audit(const struct audit_ref *refs, unsigned int n)
{
	const struct mm_audit a = { owners, 2, refs, n, &audit_memory };

	assert_int_equal(mm_audit(&a), 0);
}

static int pin(u64 mfn, unsigned int level)
{
	int budget = 1 << 20;

	return mmu_pin(&me, mfn, level, &budget);
}

static void unpin(u64 mfn)
{
	int budget = 1 << 20;

	assert_int_equal(mmu_unpin(&me, mfn, &budget), 0);
}

static int update(u64 ma, u64 val)
{
	int budget = 1 << 20, rc;

	spin_lock(&me.mmu_lock);
	rc = mmu_update_locked(&me, &me, ma, val, false, NULL, &budget);
	spin_unlock(&me.mmu_lock);
	return rc;
}

/* A tree that maps one page of data at VA, not pinned yet. */
static int setup(void **state)
{
	(void)state;
	frame_owner_init(&me, 1, 100);
	frame_owner_init(&other, 2, 100);
	l1 = page(&me);
	l2 = page(&me);
	l3 = page(&me);
	l4 = page(&me);
	data = page(&me);
	*entry(l4, 511) = pte(l3, PTE_P | PTE_RW);
	*entry(l3, 510) = pte(l2, PTE_P | PTE_RW);
	*entry(l2, 0) = pte(l1, PTE_P | PTE_RW);
	*entry(l1, 1) = pte(data, PTE_P | PTE_RW);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	while (frame_owner_destroy(&me, 50) == -ERESTART)
		;
	while (frame_owner_destroy(&other, 50) == -ERESTART)
		;
	assert_int_equal(me.pages + other.pages, 0);
	assert_int_equal(frame_free_count(), frame_total_count());
	return 0;
}

/* Entries made after validation, anywhere in the table, are dropped with it. */
static void a_table_lets_go_of_what_updates_added(void **state)
{
	static const unsigned int idx[] = { 0, 31, 32, 63, 255, 256, 480, 511 };
	u64 before = frame_table[data].ref;
	unsigned int i;

	(void)state;
	assert_int_equal(pin(l1, 1), 0);
	for (i = 0; i < ARRAY_SIZE(idx); i++) {
		assert_int_equal(mmu_update_l1(&me, &me, entry_ma(l1, idx[i]),
					       pte(data, PTE_P | PTE_RW),
					       false),
				 0);
		audit(NULL, 0);
	}
	/* Gone again before the end: nothing of it may be dropped twice. */
	assert_int_equal(mmu_update_l1(&me, &me, entry_ma(l1, 63), 0, false),
			 0);
	unpin(l1);
	audit(NULL, 0);
	assert_int_equal(frame_table[data].ref, before);
}

static void an_upper_table_lets_go_of_what_updates_added(void **state)
{
	static const unsigned int idx[] = { 0, 255, 272, 287, 288, 480 };
	unsigned int i;

	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	for (i = 0; i < ARRAY_SIZE(idx); i++) {
		assert_int_equal(update(entry_ma(l4, idx[i]), pte(l3, PTE_P)),
				 0);
		audit(NULL, 0);
	}
	unpin(l4);
	audit(NULL, 0);
	assert_int_equal(frame_tcount(frame_table[l3].ref), 0);
	assert_int_equal(frame_table[l3].ref & FRAME_COUNT_MASK, 1);
}

static void a_pinned_tree_maps_its_page(void **state)
{
	struct frame *f;

	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	audit(NULL, 0);
	assert_int_equal(page_table_l1e(l4, VA), entry_ma(l1, 1));
	assert_int_equal(page_table_l1e(l4, VA + 0x40000000), 0);
	assert_int_equal(page_table_l1e(l4, 0x0000800000000000UL), 0);
	assert_int_equal(page_table_l1e(l4, HV_VIRT_START), 0);
	assert_int_equal(page_table_get_frame(&me, l4, VA, true, &f), 0);
	assert_int_equal(frame_mfn(f), data);
	frame_put_writable(f);
	assert_int_equal(page_table_get_frame(&me, l4, VA + 4096, false, &f),
			 -EFAULT);
	assert_int_equal(page_table_get_frame(&other, l4, VA, false, &f),
			 -EINVAL);
}

static void present_entries_get_the_user_bit_at_every_level(void **state)
{
	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	assert_true(*entry(l4, 511) & PTE_US);
	assert_true(*entry(l3, 510) & PTE_US);
	assert_true(*entry(l2, 0) & PTE_US);
	assert_true(*entry(l1, 1) & PTE_US);
	assert_int_equal(update(entry_ma(l1, 2), pte(data, PTE_P)), 0);
	assert_true(*entry(l1, 2) & PTE_US);
}

static void entries_are_kept_but_for_global_and_cache_bits(void **state)
{
	const u64 kept = PTE_P | PTE_A | PTE_AVAIL | PTE_NX | 0x7fUL << 52;

	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	assert_int_equal(
		update(entry_ma(l1, 2),
		       pte(data, kept | PTE_G | PTE_PWT | PTE_PCD | PTE_PAT)),
		0);
	assert_int_equal(*entry(l1, 2), pte(data, kept | PTE_US));
	assert_int_equal(update(entry_ma(l1, 2), 0xfffffffffffffffeUL), 0);
	assert_int_equal(*entry(l1, 2), 0xfffffffffffffffeUL);
}

static void bad_entries_are_refused(void **state)
{
	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	assert_int_equal(update(entry_ma(l1, 2), pte(FRAMES, PTE_P)), -EINVAL);
	assert_int_equal(update(entry_ma(l1, 2), pte(1UL << 39, PTE_P)),
			 -EINVAL);
	assert_int_equal(update(entry_ma(l1, 2), pte(data, PTE_P | 1UL << 59)),
			 -EINVAL);
	assert_int_equal(update(entry_ma(l2, 1), pte(l1, PTE_P | PTE_PSE)),
			 -EINVAL);
	assert_int_equal(update(entry_ma(l3, 1), pte(l2, PTE_P | PTE_PSE)),
			 -EINVAL);
	assert_int_equal(update(entry_ma(l1, 2) + 1, 0), -EINVAL);
	assert_int_equal(update(entry_ma(data, 2), 0), -EINVAL);
	assert_int_equal(update(entry_ma(l1, 2), pte(page(&other), PTE_P)),
			 -EINVAL);
	audit(NULL, 0);
}

static void no_table_is_mapped_writable(void **state)
{
	u64 tables[] = { l1, l2, l3, l4 };
	unsigned int i;

	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	for (i = 0; i < 4; i++) {
		assert_int_equal(
			update(entry_ma(l1, 2), pte(tables[i], PTE_P | PTE_RW)),
			-EBUSY);
		assert_int_equal(update(entry_ma(l1, 2), pte(tables[i], PTE_P)),
				 0);
		assert_int_equal(
			update(entry_ma(l1, 2), pte(tables[i], PTE_P | PTE_RW)),
			-EBUSY);
	}
	audit(NULL, 0);
}

static void what_is_mapped_writable_becomes_no_table(void **state)
{
	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	assert_int_equal(pin(data, 1), -EBUSY);
	assert_int_equal(update(entry_ma(l2, 1), pte(data, PTE_P)), -EBUSY);
	assert_int_equal(update(entry_ma(l1, 1), pte(data, PTE_P)), 0);
	assert_int_equal(update(entry_ma(l2, 1), pte(data, PTE_P)), 0);
	audit(NULL, 0);
}

static void tables_never_map_their_own_kind(void **state)
{
	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	assert_int_equal(update(entry_ma(l4, 1), pte(l4, PTE_P)), -EBUSY);
	assert_int_equal(update(entry_ma(l3, 1), pte(l3, PTE_P)), -EBUSY);
	assert_int_equal(update(entry_ma(l4, 1), pte(l2, PTE_P)), -EBUSY);
	audit(NULL, 0);
}

static void the_hypervisors_slots_stay_its_own(void **state)
{
	(void)state;
	*entry(l4, 256) = pte(data, PTE_P | PTE_RW);
	*entry(l4, 271) = ~0UL;
	assert_int_equal(pin(l4, 4), 0);
	assert_int_not_equal(*entry(l4, 256), pte(data, PTE_P | PTE_RW));
	assert_int_equal(*entry(l4, 256), *entry(l4, 271));
	assert_int_equal(update(entry_ma(l4, 256), 0), -EINVAL);
	assert_int_equal(update(entry_ma(l4, 271), 0), -EINVAL);
	assert_int_equal(update(entry_ma(l4, 255), 0), 0);
	assert_int_equal(update(entry_ma(l4, 272), 0), 0);
}

static void a_bad_entry_undoes_the_whole_pin(void **state)
{
	(void)state;
	*entry(l1, 511) = pte(FRAMES + 1, PTE_P);
	assert_int_equal(pin(l4, 4), -EINVAL);
	audit(NULL, 0);
	assert_int_equal(frame_tcount(frame_table[l1].ref), 0);
	assert_int_equal(frame_tcount(frame_table[data].ref), 0);
	*entry(l1, 511) = 0;
	assert_int_equal(pin(l4, 4), 0);
}

static void unpinned_tables_are_memory_again(void **state)
{
	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	assert_int_equal(pin(l4, 4), -EINVAL);
	unpin(l4);
	audit(NULL, 0);
	assert_int_equal(frame_get_writable(&frame_table[l1], 1), 0);
	frame_put_writable(&frame_table[l1]);
	assert_int_equal(frame_owner_release(&me, &frame_table[l4]), 0);
}

/* Pins in steps of one budget unit, recounting after each. */
static void preempted_validation_resumes_where_it_was(void **state)
{
	unsigned int i, restarts = 0;
	int rc, budget;

	(void)state;
	for (i = 0; i < 40; i++)
		*entry(l1, 100 + i) = pte(data, PTE_P | (i & 1 ? PTE_RW : 0));
	do {
		budget = 1;
		rc = mmu_pin(&me, l4, 4, &budget);
		audit(NULL, 0);
	} while (rc == -ERESTART && ++restarts < 1000);
	assert_int_equal(rc, 0);
	assert_true(restarts > 5);
	restarts = 0;
	budget = 1;
	assert_int_equal(mmu_unpin(&me, l4, &budget), 0);
	do {
		audit(NULL, 0);
		budget = 1;
		spin_lock(&me.mmu_lock);
		rc = frame_drain_locked(&me, &budget);
		spin_unlock(&me.mmu_lock);
	} while (rc == -ERESTART && ++restarts < 1000);
	assert_int_equal(rc, 0);
	assert_true(restarts > 5);
	assert_int_equal(frame_tcount(frame_table[l1].ref), 0);
}

/* The table we write to hangs on one that is being drained. */
static void an_update_does_not_outlive_its_table(void **state)
{
	u64 ma, child = page(&me);
	int budget = 1 << 20, small = 1;

	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	*entry(child, 0) = pte(data, PTE_P);
	assert_int_equal(update(entry_ma(l2, 5), pte(child, PTE_P)), 0);
	/* Both the L2 and a table to put into it are on their way out. */
	assert_int_equal(mmu_unpin(&me, l4, &small), 0);
	assert_int_not_equal(me.drain_mfn, 0);
	ma = entry_ma(l2, 7);
	spin_lock(&me.mmu_lock);
	assert_int_not_equal(mmu_update_locked(&me, &me, ma, pte(child, PTE_P),
					       false, NULL, &budget),
			     0);
	spin_unlock(&me.mmu_lock);
	audit(NULL, 0);
	assert_int_equal(*entry(l2, 7), 0);
}

static void accessed_and_dirty_survive_when_asked(void **state)
{
	u64 ma = entry_ma(l1, 1);

	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	*entry(l1, 1) |= PTE_A | PTE_D;
	assert_int_equal(mmu_update_l1(&me, &me, ma, pte(data, PTE_P), true),
			 0);
	assert_int_equal(*entry(l1, 1),
			 pte(data, PTE_P | PTE_US | PTE_A | PTE_D));
	assert_int_equal(mmu_update_l1(&me, &me, ma, pte(data, PTE_P), false),
			 0);
	assert_int_equal(*entry(l1, 1), pte(data, PTE_P | PTE_US));
	audit(NULL, 0);
}

static void foreign_frames_are_mapped_only_by_name(void **state)
{
	u64 theirs = page(&other), ma = entry_ma(l1, 9);
	u64 val = pte(theirs, PTE_P | PTE_RW);

	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	assert_int_equal(mmu_update_l1(&me, &me, ma, val, false), -EINVAL);
	assert_int_equal(mmu_update_l1(&me, &other, ma, val, false), 0);
	audit(NULL, 0);
	assert_int_equal(frame_owner_release(&other, &frame_table[theirs]),
			 -EBUSY);
	while (frame_owner_destroy(&other, 10) == -ERESTART)
		;
	assert_int_equal(frame_owner_destroy(&other, 10), -EBUSY);
	assert_int_equal(mmu_update_l1(&me, &other, ma + 8, val, false),
			 -EINVAL);
	assert_int_equal(mmu_update_l1(&me, &me, ma, 0, false), 0);
	assert_int_equal(frame_owner_destroy(&other, 10), 0);
	audit(NULL, 0);
}

static void descriptor_pages_are_checked_and_not_writable(void **state)
{
	struct frame *f = &frame_table[data];

	(void)state;
	*entry(data, 0) = 0;
	*entry(data, 1) = 0x00af9a000000ffffUL;
	*entry(data, 511) = 0x00008b0000000067UL; /* busy TSS */
	assert_int_equal(frame_get_segdesc(&me, f), -EINVAL);
	audit(NULL, 0);
	*entry(data, 511) = 0;
	assert_int_equal(frame_get_segdesc(&me, f), 0);
	assert_int_equal(*entry(data, 1), 0x00affb000000ffffUL);
	assert_int_equal(frame_get_writable(f, 1), -EBUSY);
	assert_int_equal(pin(l4, 4), -EBUSY); /* its L1 maps data writable */
	*entry(l1, 1) = pte(data, PTE_P);
	assert_int_equal(pin(l4, 4), 0);
	audit(&(struct audit_ref){ (u32)data, AUDIT_SEGDESC }, 1);
	frame_put_segdesc(f);
}

static void shared_frames_become_neither_tables_nor_descriptors(void **state)
{
	struct frame *f;

	(void)state;
	assert_int_equal(frame_owner_alloc(&me, FRAME_FLAG_SHARED, &f), 0);
	assert_int_equal(me.state_pages, 1);
	assert_int_equal(pin(frame_mfn(f), 1), -EINVAL);
	assert_int_equal(frame_get_segdesc(&me, f), -EINVAL);
	assert_int_equal(frame_owner_release(&me, f), -EINVAL);
	assert_int_equal(pin(l4, 4), 0);
	assert_int_equal(
		update(entry_ma(l1, 2), pte(frame_mfn(f), PTE_P | PTE_RW)), 0);
	assert_int_equal(frame_owner_release_shared(&me, f), -EBUSY);
	assert_int_equal(update(entry_ma(l1, 2), 0), 0);
	assert_int_equal(frame_owner_release_shared(&me, f), 0);
	assert_int_equal(me.state_pages, 0);
}

/* A CPU may have cached the read-only mapping since its last flush. */
static void a_freed_frame_is_flushed_before_it_is_handed_out(void **state)
{
	u64 before;

	(void)state;
	assert_int_equal(pin(l4, 4), 0);
	assert_int_equal(update(entry_ma(l1, 1), pte(data, PTE_P)), 0);
	tlb_flush_mask(3);
	tlb_flush_mask(3);
	assert_int_equal(update(entry_ma(l1, 1), 0), 0);
	assert_int_equal(frame_owner_release(&me, &frame_table[data]), 0);
	before = host_flushes;
	assert_int_equal(page(&other), data);
	assert_true(host_flushes >= before + 2);
	assert_int_equal(frame_owner_release(&other, &frame_table[data]), 0);
	tlb_flush_mask(3);
	before = host_flushes;
	assert_int_equal(page(&other), data);
	assert_int_equal(host_flushes, before);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_pinned_tree_maps_its_page),
		TEST(a_table_lets_go_of_what_updates_added),
		TEST(an_upper_table_lets_go_of_what_updates_added),
		TEST(present_entries_get_the_user_bit_at_every_level),
		TEST(entries_are_kept_but_for_global_and_cache_bits),
		TEST(bad_entries_are_refused),
		TEST(no_table_is_mapped_writable),
		TEST(what_is_mapped_writable_becomes_no_table),
		TEST(tables_never_map_their_own_kind),
		TEST(the_hypervisors_slots_stay_its_own),
		TEST(a_bad_entry_undoes_the_whole_pin),
		TEST(unpinned_tables_are_memory_again),
		TEST(preempted_validation_resumes_where_it_was),
		TEST(an_update_does_not_outlive_its_table),
		TEST(accessed_and_dirty_survive_when_asked),
		TEST(foreign_frames_are_mapped_only_by_name),
		TEST(descriptor_pages_are_checked_and_not_writable),
		TEST(shared_frames_become_neither_tables_nor_descriptors),
		TEST(a_freed_frame_is_flushed_before_it_is_handed_out),
	};

	host_machine_init(FRAMES, 2);
	frame_alloc_add(0, FRAMES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
