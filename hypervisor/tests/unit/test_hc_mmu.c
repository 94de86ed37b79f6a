// SPDX-License-Identifier: Apache-2.0
/* mmu_update, update_va_mapping and mmuext_op as a guest calls them. */
#include <hv/errno.h>
#include <hv/hypercall.h>

#include <arch/host_machine.h>

#include "../fake/hc_fakes.h"
#include "../fake/mm_tree.h"
#include "unit.h"

#define ARGS_VA 0x10000UL
#define DONE_VA (ARGS_VA + sizeof(args) - 8)
#define PREEMPTED (1UL << 31)

static struct domain stranger;
static u8 args[65536];

static int setup(void **state)
{
	(void)state;
	tree_build();
	memset(args, 0xee, sizeof(args));
	host_guest_window(ARGS_VA, args, sizeof(args));
	memset(&stranger, 0, sizeof(stranger));
	stranger.id = 7;
	frame_owner_init(&stranger.owner, 7, 100);
	fake_other_domain = &stranger;
	fake_cr3_loads = fake_ldt_loads = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(tree_audit(), 0);
	while (frame_owner_destroy(&stranger.owner, 10) == -ERESTART)
		;
	tree_destroy();
	return 0;
}

static u32 done(void)
{
	u32 n;

	memcpy(&n, &args[DONE_VA - ARGS_VA], sizeof(n));
	return n;
}

static struct mmu_update *reqs(void)
{
	return (struct mmu_update *)args;
}

/* Re-executes as the guest's SYSCALL would until it is through. */
static long call(hypercall_fn fn, u64 count, u64 domid, unsigned int *restarts)
{
	struct guest_regs *r = &tree.vcpu.arch.regs;
	long rc;

	r->rdi = ARGS_VA;
	r->rsi = count;
	r->rdx = DONE_VA;
	r->r10 = domid;
	*restarts = 0;
	while ((rc = fn(r->rdi, r->rsi, r->rdx, r->r10, 0, 0)) == -ERESTART)
		++*restarts;
	return rc;
}

static void long_lists_restart_and_count_right(void **state)
{
	unsigned int i, restarts;

	(void)state;
	for (i = 0; i < 2000; i++)
		reqs()[i] = (struct mmu_update){
			tree_ma(tree.l1, 2 + i % 500),
			i < 1500 ? tree_pte(tree.data, PTE_P | PTE_RW) : 0
		};
	assert_int_equal(call(hc_mmu_update, 2000, DOMID_SELF, &restarts), 0);
	assert_int_equal(done(), 2000);
	assert_in_range(restarts, 3, 5);
	assert_int_equal(frame_tcount(frame_table[tree.data].ref), 1);
}

static void a_failure_reports_what_was_done_before(void **state)
{
	unsigned int i, restarts;

	(void)state;
	for (i = 0; i < 1000; i++)
		reqs()[i] = (struct mmu_update){
			tree_ma(tree.l1, 2 + i % 500),
			tree_pte(i == 777 ? tree.l2 : tree.data, PTE_P | PTE_RW)
		};
	assert_int_equal(call(hc_mmu_update, 1000, DOMID_SELF, &restarts),
			 -EBUSY);
	assert_int_equal(done(), 777);
	assert_true(restarts > 0);
}

static void hostile_lists_fail(void **state)
{
	unsigned int restarts;

	(void)state;
	assert_int_equal(
		hc_mmu_update(0xffff800000000000UL, 3, 0, DOMID_SELF, 0, 0),
		-EFAULT);
	assert_int_equal(hc_mmu_update(ARGS_VA, 0, 0, DOMID_SELF, 0, 0), 0);
	assert_int_equal(hc_mmu_update(0, 1, 0, DOMID_SELF, 0, 0), -EFAULT);
	reqs()[0] = (struct mmu_update){ ~3UL, 0 };
	assert_int_equal(call(hc_mmu_update, 1, DOMID_SELF, &restarts),
			 -EINVAL);
	assert_int_equal(done(), 0);
	/* A forged "done before" goes back to the guest and nowhere else. */
	*(u32 *)&args[DONE_VA - ARGS_VA] = 0xfffffff0U;
	assert_int_equal(
		hc_mmu_update(ARGS_VA, PREEMPTED, DONE_VA, DOMID_SELF, 0, 0),
		0);
	assert_int_equal(done(), 0xfffffff0U);
}

/* The short way of one update without a count, and what must not take it. */
static void single_updates_obey_the_same_rules(void **state)
{
	u64 val = tree_pte(tree.data, PTE_P | PTE_RW);
	u64 spare = tree_page(&tree.domain.owner);

	(void)state;
#define SINGLE(p, v)                                                           \
	(reqs()[0] = (struct mmu_update){ p, v },                              \
	 hc_mmu_update(ARGS_VA, 1, 0, DOMID_SELF, 0, 0))
	assert_int_equal(SINGLE(tree_ma(tree.l1, 8), val), 0);
	assert_int_equal(*tree_entry(tree.l1, 8), val | PTE_US);
	assert_int_equal(
		SINGLE(tree_ma(tree.l1, 8) | MMU_PT_UPDATE_PRESERVE_AD, val),
		0);
	for (u64 kind = MMU_NORMAL_PT_UPDATE;
	     kind <= MMU_PT_UPDATE_NO_TRANSLATE; kind++)
		if (kind != MMU_MACHPHYS_UPDATE)
			assert_int_equal(
				SINGLE(tree_ma(tree.l1, 8) | kind,
				       tree_pte(tree.l3, PTE_P | PTE_RW)),
				-EBUSY);
	*tree_entry(tree.l1, 8) |= PTE_A | PTE_D;
	assert_int_equal(
		SINGLE(tree_ma(tree.l1, 8) | MMU_PT_UPDATE_NO_TRANSLATE, val),
		0);
	assert_int_equal(*tree_entry(tree.l1, 8), val | PTE_US);
	assert_int_equal(SINGLE(tree_ma(tree.l1, 8) + 4, val), -EINVAL);
	/* Memory is written as it is, also what was a table before. */
	assert_int_equal(SINGLE(tree_ma(tree.data, 8), ~0UL), 0);
	assert_int_equal(*tree_entry(tree.data, 8), ~0UL);
	assert_int_equal(SINGLE(tree_ma(TREE_FRAMES, 8), val), -EINVAL);
	assert_int_equal(SINGLE(tree_ma(tree.l2, 8), tree_pte(spare, PTE_P)),
			 0);
	assert_int_equal(frame_type(frame_table[spare].ref), FRAME_L1);
	assert_int_equal(SINGLE(tree_ma(tree.l2, 8), 0), 0);
	assert_int_equal(SINGLE(tree_ma(spare, 8), ~0UL), 0);
	assert_int_equal(*tree_entry(spare, 8), ~0UL);
}

static void m2p_is_updated_for_own_frames_only(void **state)
{
	u64 theirs = tree_page(&stranger.owner);
	unsigned int restarts;

	(void)state;
	reqs()[0] = (struct mmu_update){
		tree.data << PAGE_SHIFT | MMU_MACHPHYS_UPDATE, 0x1234
	};
	assert_int_equal(call(hc_mmu_update, 1, DOMID_SELF, &restarts), 0);
	assert_int_equal(m2p_table[tree.data], 0x1234);
	reqs()[0].ptr = theirs << PAGE_SHIFT | MMU_MACHPHYS_UPDATE;
	assert_int_equal(call(hc_mmu_update, 1, DOMID_SELF, &restarts),
			 -EINVAL);
}

static void foreign_frames_need_privilege(void **state)
{
	u64 theirs = tree_page(&stranger.owner);
	unsigned int restarts;

	(void)state;
	reqs()[0] = (struct mmu_update){ tree_ma(tree.l1, 4),
					 tree_pte(theirs, PTE_P) };
	assert_int_equal(call(hc_mmu_update, 1, 7, &restarts), -EPERM);
	tree.domain.privileged = true;
	assert_int_equal(call(hc_mmu_update, 1, 7, &restarts), 0);
	assert_int_equal(call(hc_mmu_update, 1, 8, &restarts), -ESRCH);
	/* Tables of domain 7, frames of ours. */
	assert_int_equal(
		call(hc_mmu_update, 1, 8UL << 16 | DOMID_SELF, &restarts),
		-EINVAL);
	assert_int_equal(hc_update_va_mapping_otherdomain(
				 TREE_VA + 5 * PAGE_SIZE,
				 tree_pte(theirs, PTE_P | PTE_RW), UVMF_NONE, 7,
				 0, 0),
			 0);
	reqs()[0].val = 0;
	assert_int_equal(call(hc_mmu_update, 1, DOMID_SELF, &restarts), 0);
	assert_int_equal(hc_update_va_mapping(TREE_VA + 5 * PAGE_SIZE, 0,
					      UVMF_NONE, 0, 0, 0),
			 0);
}

static void mappings_change_by_address_with_the_flush_asked(void **state)
{
	u64 va = TREE_VA + 9 * PAGE_SIZE;
	u64 val = tree_pte(tree.data, PTE_P), full, page;

	(void)state;
	full = host_flushes;
	page = host_page_flushes;
	assert_int_equal(hc_update_va_mapping(va, val, UVMF_NONE, 0, 0, 0), 0);
	assert_int_equal(host_page_flushes, page);
	assert_int_equal(hc_update_va_mapping(va, val, UVMF_INVLPG, 0, 0, 0),
			 0);
	assert_int_equal(host_page_flushes, page + 1);
	assert_int_equal(host_flushes, full);
	assert_int_equal(hc_update_va_mapping(
				 va, val, UVMF_TLB_FLUSH | UVMF_ALL, 0, 0, 0),
			 0);
	assert_int_equal(host_flushes, full + 1);
	args[0] = 0;
	assert_int_equal(hc_update_va_mapping(va, val, UVMF_TLB_FLUSH | ARGS_VA,
					      0, 0, 0),
			 0);
	assert_int_equal(host_flushes, full + 1);
	assert_int_equal(hc_update_va_mapping(va, val, 3, 0, 0, 0), -EINVAL);
	assert_int_equal(
		hc_update_va_mapping(TREE_VA + (1UL << 30), val, 0, 0, 0, 0),
		-EINVAL);
}

static struct mmuext_op *ops(void)
{
	return (struct mmuext_op *)args;
}

static struct mmuext_op *op(unsigned int i, unsigned int cmd, u64 arg)
{
	memset(&ops()[i], 0, sizeof(ops()[i]));
	ops()[i].cmd = cmd;
	ops()[i].arg1.mfn = arg;
	return &ops()[i];
}

/* The builder's table stays in use after its unpin, until another is. */
static void base_pointers_hold_their_tables(void **state)
{
	struct frame_owner *o = &tree.domain.owner;
	u64 l4 = tree_page(o), user = tree_page(o);
	unsigned int restarts;

	(void)state;
	op(0, MMUEXT_PIN_L4_TABLE, l4);
	op(1, MMUEXT_PIN_L4_TABLE, user);
	op(2, MMUEXT_UNPIN_TABLE, tree.l4);
	assert_int_equal(call(hc_mmuext_op, 3, DOMID_SELF, &restarts), 0);
	assert_int_equal(tree_audit(), 0);
	assert_int_equal(frame_type(frame_table[tree.l4].ref), FRAME_L4);
	assert_int_equal(frame_tcount(frame_table[tree.l4].ref), 1);
	op(0, MMUEXT_NEW_BASEPTR, l4);
	op(1, MMUEXT_NEW_USER_BASEPTR, user);
	assert_int_equal(call(hc_mmuext_op, 2, DOMID_SELF, &restarts), 0);
	assert_int_equal(done(), 2);
	assert_int_equal(fake_cr3_loads, 1);
	assert_int_equal(tree.vcpu.arch.kernel_cr3, l4 << PAGE_SHIFT);
	assert_int_equal(tree.vcpu.arch.user_cr3, user << PAGE_SHIFT);
	assert_int_equal(frame_tcount(frame_table[tree.l4].ref), 0);
	assert_int_equal(frame_tcount(frame_table[tree.l1].ref), 0);
	op(0, MMUEXT_NEW_USER_BASEPTR, 0);
	op(1, MMUEXT_NEW_BASEPTR, 0);
	assert_int_equal(call(hc_mmuext_op, 2, DOMID_SELF, &restarts), -EINVAL);
	assert_int_equal(done(), 1);
	assert_int_equal(tree.vcpu.arch.user_cr3, 0);
}

/* 16 full L1s: neither pin nor unpin fits into one call; when unpin is
 * through, all of them are plain memory. */
static void big_trees_are_pinned_and_unpinned_in_parts(void **state)
{
	struct frame_owner *o = &tree.domain.owner;
	u64 l2 = tree_page(o), l1[16];
	unsigned int i, k, restarts;

	(void)state;
	for (i = 0; i < 16; i++) {
		l1[i] = tree_page(o);
		for (k = 0; k < PT_ENTRIES; k++)
			*tree_entry(l1[i], k) =
				tree_pte(tree.data, PTE_P | PTE_RW);
		*tree_entry(l2, i) = tree_pte(l1[i], PTE_P);
	}
	op(0, MMUEXT_PIN_L2_TABLE, l2);
	assert_int_equal(call(hc_mmuext_op, 1, DOMID_SELF, &restarts), 0);
	assert_in_range(restarts, 16, 20);
	assert_int_equal(frame_tcount(frame_table[tree.data].ref),
			 16 * PT_ENTRIES + 1);
	op(0, MMUEXT_UNPIN_TABLE, l2);
	assert_int_equal(call(hc_mmuext_op, 1, DOMID_SELF, &restarts), 0);
	assert_in_range(restarts, 16, 20);
	assert_int_equal(done(), 1);
	for (i = 0; i < 16; i++)
		assert_int_equal(frame_tcount(frame_table[l1[i]].ref), 0);
}

static void flushes_reach_whom_they_name(void **state)
{
	unsigned int restarts;
	u64 full = host_flushes, page = host_page_flushes;

	(void)state;
	tree.domain.owner.dirty_cpus = 3;
	tree.domain.vcpu_count = 2;
	op(0, MMUEXT_TLB_FLUSH_LOCAL, 0);
	assert_int_equal(call(hc_mmuext_op, 1, DOMID_SELF, &restarts), 0);
	assert_int_equal(host_flushes, full + 1);
	op(0, MMUEXT_TLB_FLUSH_ALL, 0);
	op(1, MMUEXT_INVLPG_ALL, 0x8000000000000000UL);
	assert_int_equal(call(hc_mmuext_op, 2, DOMID_SELF, &restarts), 0);
	assert_int_equal(host_flushes, full + 3);
	assert_int_equal(host_page_flushes, page + 2);
	args[4096] = 2; /* the other vCPU */
	op(0, MMUEXT_TLB_FLUSH_MULTI, 0)->arg2.vcpumask.p =
		(void *)(ARGS_VA + 4096);
	assert_int_equal(call(hc_mmuext_op, 1, DOMID_SELF, &restarts), 0);
	assert_int_equal(host_flushes, full + 5);
	ops()[0].arg2.vcpumask.p = NULL;
	assert_int_equal(call(hc_mmuext_op, 1, DOMID_SELF, &restarts), -EFAULT);
}

static void an_ldt_is_checked_and_held(void **state)
{
	struct frame_owner *o = &tree.domain.owner;
	u64 page = tree_page(o);
	unsigned int restarts;

	(void)state;
	*tree_entry(page, 3) = 0x00cff3000000ffffUL;
	assert_int_equal(hc_update_va_mapping(TREE_VA + 6 * PAGE_SIZE,
					      tree_pte(page, PTE_P), 0, 0, 0,
					      0),
			 0);
	op(0, MMUEXT_SET_LDT, TREE_VA + 6 * PAGE_SIZE)->arg2.nr_ents = 4;
	assert_int_equal(call(hc_mmuext_op, 1, DOMID_SELF, &restarts), 0);
	assert_int_equal(fake_ldt_loads, 1);
	assert_int_equal(tree_audit(), 0);
	assert_int_equal(frame_type(frame_table[page].ref), FRAME_SEGDESC);
	/* Twice as long: the page after it is not mapped. */
	ops()[0].arg2.nr_ents = 1024;
	assert_int_equal(call(hc_mmuext_op, 1, DOMID_SELF, &restarts), -EFAULT);
	ops()[0].arg2.nr_ents = 8193;
	assert_int_equal(call(hc_mmuext_op, 1, DOMID_SELF, &restarts), -EINVAL);
	assert_int_equal(tree_audit(), 0);
	ops()[0].arg2.nr_ents = 0;
	assert_int_equal(call(hc_mmuext_op, 1, DOMID_SELF, &restarts), 0);
	assert_int_equal(frame_tcount(frame_table[page].ref), 0);
}

static void pages_are_cleared_and_copied_if_writable(void **state)
{
	struct frame_owner *o = &tree.domain.owner;
	u64 page = tree_page(o);
	unsigned int restarts;

	(void)state;
	*tree_entry(tree.data, 5) = 55;
	op(0, MMUEXT_COPY_PAGE, page)->arg2.src_mfn = tree.data;
	op(1, MMUEXT_CLEAR_PAGE, tree.data);
	assert_int_equal(call(hc_mmuext_op, 2, DOMID_SELF, &restarts), 0);
	assert_int_equal(*tree_entry(page, 5), 55);
	assert_int_equal(*tree_entry(tree.data, 5), 0);
	op(0, MMUEXT_CLEAR_PAGE, tree.l1);
	assert_int_equal(call(hc_mmuext_op, 1, DOMID_SELF, &restarts), -EBUSY);
	op(0, MMUEXT_MARK_SUPER, tree.data);
	assert_int_equal(call(hc_mmuext_op, 1, DOMID_SELF, &restarts), -ENOSYS);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(long_lists_restart_and_count_right),
		TEST(a_failure_reports_what_was_done_before),
		TEST(hostile_lists_fail),
		TEST(single_updates_obey_the_same_rules),
		TEST(m2p_is_updated_for_own_frames_only),
		TEST(foreign_frames_need_privilege),
		TEST(mappings_change_by_address_with_the_flush_asked),
		TEST(base_pointers_hold_their_tables),
		TEST(big_trees_are_pinned_and_unpinned_in_parts),
		TEST(flushes_reach_whom_they_name),
		TEST(an_ldt_is_checked_and_held),
		TEST(pages_are_cleared_and_copied_if_writable),
	};

	host_machine_init(TREE_FRAMES, 2);
	frame_alloc_add(0, TREE_FRAMES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
