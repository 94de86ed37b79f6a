// SPDX-License-Identifier: Apache-2.0
/*
 * Grants on the real memory management: maps and unmaps are exact inverses,
 * entries are claimed and given back, hostile arguments are refused.
 */
#include <string.h>

#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/mm.h>

#include <arch/cpu.h>
#include <arch/host_machine.h>
#include <arch/pagetable.h>

#include "../fake/domains.h"
#include "check.h"

static struct domain *zero, *one, *two;
static u64 l1_ma; /* of zero, the mapper */
static u64 page;  /* of one, the granter */

static struct grant_entry_v1 *entry(struct domain *d, u32 ref)
{
	struct grant_entry_v1 *e = mfn_to_virt(grant_frame_mfn(d, ref / 512));

	return &e[ref % 512];
}

static void permit(struct domain *d, u32 ref, u16 domid, u64 mfn, u16 flags)
{
	*entry(d, ref) = (struct grant_entry_v1){
		.domid = domid,
		.frame = (u32)mfn,
		.flags = (u16)(GTF_permit_access | flags),
	};
}

static int setup(void **state)
{
	(void)state;
	fake_machine_init(512, 2);
	zero = fake_domain_create(0, 1, true);
	one = fake_domain_create(1, 1, false);
	two = fake_domain_create(2, 1, false);
	fake_become(zero, 0);
	zero->owner.dirty_cpus = 3;
	l1_ma = fake_tables(zero);
	page = fake_frame(one);
	assert_int_equal(grant_setup(one, 2), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_become(zero, 0);
	assert_true(fake_domain_destroy(zero));
	assert_true(fake_domain_destroy(one));
	assert_true(fake_domain_destroy(two));
	fake_machine_exit();
	return 0;
}

static u64 refs(u64 mfn)
{
	return frame_table[mfn].ref;
}

static u64 *pte(u32 i)
{
	return (u64 *)maddr_to_virt(l1_ma) + i;
}

static struct gnttab_map_grant_ref map_at(u64 addr, u32 flags, u16 dom, u32 ref)
{
	struct gnttab_map_grant_ref op = {
		.host_addr = addr,
		.flags = flags,
		.dom = dom,
		.ref = ref,
	};

	grant_map(zero, &op);
	return op;
}

static struct gnttab_map_grant_ref map_pte(u32 i, u32 flags, u32 ref)
{
	return map_at(l1_ma + i * 8UL,
		      GNTMAP_host_map | GNTMAP_contains_pte | flags, 1, ref);
}

static int unmap(u64 addr, u32 handle)
{
	struct gnttab_unmap_grant_ref op = {
		.host_addr = addr,
		.handle = handle,
	};

	grant_unmap(zero, &op, 1);
	return op.status;
}

static void a_map_by_pte_and_its_unmap_are_inverses(void **state)
{
	u64 before = refs(page), flushes;
	struct gnttab_map_grant_ref m;

	(void)state;
	permit(one, 9, 0, page, 0);
	m = map_pte(3, GNTMAP_application_map | 1 << _GNTMAP_guest_avail0, 9);
	assert_int_equal(m.status, GNTST_okay);
	assert_int_equal(m.dev_bus_addr, page << PAGE_SHIFT);
	assert_int_equal(pte_mfn(*pte(3)), page);
	assert_int_equal(*pte(3) & (PTE_P | PTE_RW | PTE_US | PTE_AVAIL),
			 PTE_P | PTE_RW | PTE_US | 0x200);
	assert_int_equal(entry(one, 9)->flags,
			 GTF_permit_access | GTF_reading | GTF_writing);
	assert_int_equal(frame_type(refs(page)), FRAME_WRITABLE);
	/* One pair of references for the handle, one for the entry. */
	assert_int_equal(frame_tcount(refs(page)) - frame_tcount(before), 2);

	flushes = host_flushes;
	assert_int_equal(unmap(m.host_addr, m.handle), GNTST_okay);
	assert_true(host_flushes >= flushes + 2);
	assert_int_equal(*pte(3), 0);
	assert_int_equal(entry(one, 9)->flags, GTF_permit_access);
	assert_int_equal(refs(page) & (FRAME_COUNT_MASK | FRAME_TCOUNT_MASK),
			 before & (FRAME_COUNT_MASK | FRAME_TCOUNT_MASK));
	assert_int_equal(unmap(m.host_addr, m.handle), GNTST_bad_handle);
}

static void a_map_by_virtual_address(void **state)
{
	u64 va = FAKE_VA + 7 * PAGE_SIZE;
	struct gnttab_map_grant_ref m;

	(void)state;
	permit(one, 9, 0, page, GTF_readonly);
	m = map_at(va, GNTMAP_host_map | GNTMAP_readonly, 1, 9);
	assert_int_equal(m.status, GNTST_okay);
	assert_int_equal(pte_mfn(*pte(7)), page);
	assert_int_equal(*pte(7) & PTE_RW, 0);
	assert_int_equal(entry(one, 9)->flags,
			 GTF_permit_access | GTF_readonly | GTF_reading);
	/* Another address is not what was mapped. */
	assert_int_equal(unmap(va + PAGE_SIZE, m.handle), GNTST_bad_virt_addr);
	assert_int_equal(unmap(va, m.handle + 1), GNTST_bad_handle);
	/* No address: nothing to do. */
	assert_int_equal(unmap(0, m.handle), GNTST_okay);
	assert_int_equal(pte_mfn(*pte(7)), page);
	assert_int_equal(unmap(va, m.handle), GNTST_okay);
	assert_int_equal(*pte(7), 0);
}

static void bad_places_are_refused_and_cost_nothing(void **state)
{
	static const u64 bad_va[] = {
		FAKE_VA + 512 * PAGE_SIZE,
		1UL << 46,
		HV_VIRT_START,
		1UL << 63,
		FAKE_VA + 8,
	};
	u64 own = fake_frame(zero), before = refs(page);

	(void)state;
	permit(one, 9, 0, page, 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(
			map_at(bad_va[i], GNTMAP_host_map, 1, 9).status,
			GNTST_bad_virt_addr);
	/* Not aligned; no table; another's table; no memory at all. */
	assert_int_equal(
		map_at(l1_ma + 4, GNTMAP_host_map | GNTMAP_contains_pte, 1, 9)
			.status,
		GNTST_bad_virt_addr);
	assert_int_equal(map_at(own << PAGE_SHIFT,
				GNTMAP_host_map | GNTMAP_contains_pte, 1, 9)
				 .status,
			 GNTST_bad_virt_addr);
	assert_int_equal(
		map_at(1UL << 50, GNTMAP_host_map | GNTMAP_contains_pte, 1, 9)
			.status,
		GNTST_bad_virt_addr);
	assert_int_equal(map_at(fake_tables(two),
				GNTMAP_host_map | GNTMAP_contains_pte, 1, 9)
				 .status,
			 GNTST_bad_virt_addr);
	assert_int_equal(refs(page) & FRAME_COUNT_MASK,
			 before & FRAME_COUNT_MASK);
	assert_int_equal(entry(one, 9)->flags, GTF_permit_access);
}

static void what_is_not_granted_is_not_mapped(void **state)
{
	u64 own = fake_frame(zero);

	(void)state;
	assert_int_equal(map_pte(0, 0, 9).status, GNTST_bad_gntref);
	permit(one, 9, 2, page, 0);
	assert_int_equal(map_pte(0, 0, 9).status, GNTST_permission_denied);
	permit(one, 9, 0, page, GTF_readonly);
	assert_int_equal(map_pte(0, 0, 9).status, GNTST_permission_denied);
	permit(one, 9, 0, page, 0);
	entry(one, 9)->flags = GTF_accept_transfer;
	assert_int_equal(map_pte(0, 0, 9).status, GNTST_bad_gntref);
	/* A frame that is not the granter's, or none. */
	permit(one, 9, 0, own, 0);
	assert_int_equal(map_pte(0, 0, 9).status, GNTST_bad_page);
	permit(one, 9, 0, 0xfffffff0, 0);
	assert_int_equal(map_pte(0, 0, 9).status, GNTST_bad_page);
	assert_int_equal(entry(one, 9)->flags, GTF_permit_access);
	assert_int_equal(map_pte(0, 0, 1024).status, GNTST_bad_gntref);
	assert_int_equal(map_pte(0, 0, ~0U).status, GNTST_bad_gntref);
	permit(one, 9, 0, page, 0);
	assert_int_equal(
		map_at(l1_ma, GNTMAP_host_map | GNTMAP_contains_pte, 5, 9)
			.status,
		GNTST_bad_domain);
	assert_int_equal(map_at(l1_ma, GNTMAP_contains_pte, 1, 9).status,
			 GNTST_general_error);
	assert_int_equal(map_pte(0, GNTMAP_device_map, 9).status,
			 GNTST_general_error);
	assert_int_equal(*pte(0), 0);
	/* And it would have worked. */
	assert_int_equal(map_pte(0, 0, 9).status, GNTST_okay);
}

static void a_page_table_can_be_granted_read_only_at_most(void **state)
{
	u64 table = fake_tables(one) >> PAGE_SHIFT;

	(void)state;
	permit(one, 9, 0, table, 0);
	assert_int_equal(map_pte(0, 0, 9).status, GNTST_bad_page);
	assert_int_equal(entry(one, 9)->flags, GTF_permit_access);
	assert_int_equal(map_pte(0, GNTMAP_readonly, 9).status, GNTST_okay);
}

static void flags_follow_the_counts(void **state)
{
	struct gnttab_map_grant_ref r1, r2, w1, w2;
	u16 ro = GTF_permit_access | GTF_reading, rw = ro | GTF_writing;

	(void)state;
	permit(one, 200, 0, page, 0); /* beyond the first counts */
	r1 = map_pte(0, GNTMAP_readonly, 200);
	r2 = map_pte(1, GNTMAP_readonly, 200);
	assert_int_equal(entry(one, 200)->flags, ro);
	w1 = map_pte(2, 0, 200);
	w2 = map_pte(3, 0, 200);
	assert_int_equal(w2.status, GNTST_okay);
	assert_int_equal(entry(one, 200)->flags, rw);
	assert_int_equal(unmap(r1.host_addr, r1.handle), 0);
	assert_int_equal(unmap(w1.host_addr, w1.handle), 0);
	assert_int_equal(entry(one, 200)->flags, rw);
	assert_int_equal(unmap(w2.host_addr, w2.handle), 0);
	assert_int_equal(entry(one, 200)->flags, ro);
	assert_int_equal(unmap(r2.host_addr, r2.handle), 0);
	assert_int_equal(entry(one, 200)->flags, GTF_permit_access);
}

static void a_pinned_entry_keeps_its_frame_and_grantee(void **state)
{
	u64 other = fake_frame(one);
	struct frame *f;

	(void)state;
	permit(one, 9, 0, page, 0);
	assert_int_equal(map_pte(0, GNTMAP_readonly, 9).status, GNTST_okay);
	/* The granter breaks the rules and rewrites the entry. */
	entry(one, 9)->frame = (u32)other;
	assert_int_equal(map_pte(1, GNTMAP_readonly, 9).status, GNTST_okay);
	assert_int_equal(pte_mfn(*pte(1)), page);
	entry(one, 9)->domid = 2;
	assert_int_equal(grant_acquire(one, 2, 9, false, &f),
			 GNTST_permission_denied);
	/* A write needs the entry's word again. */
	assert_int_equal(grant_acquire(one, 0, 9, true, &f),
			 GNTST_permission_denied);
}

/* The guest takes the mapping away behind the handle's back. */
static void an_entry_that_was_overwritten_is_left_alone(void **state)
{
	u64 own = fake_frame(zero), before = refs(page);
	struct gnttab_map_grant_ref m;

	(void)state;
	permit(one, 9, 0, page, 0);
	m = map_pte(5, 0, 9);
	assert_int_equal(
		mmu_update_l1(&zero->owner, &zero->owner, l1_ma + 5 * 8UL,
			      own << PAGE_SHIFT | PTE_P | PTE_RW | PTE_US,
			      false),
		0);
	assert_int_equal(unmap(m.host_addr, m.handle), GNTST_okay);
	assert_int_equal(pte_mfn(*pte(5)), own);
	assert_int_equal(entry(one, 9)->flags, GTF_permit_access);
	assert_int_equal(refs(page) & FRAME_COUNT_MASK,
			 before & FRAME_COUNT_MASK);
}

/* A detached table still holds the mapping: unmapping by address finds it. */
static void a_mapping_in_a_detached_table_is_found(void **state)
{
	u64 va = FAKE_VA + 9 * PAGE_SIZE, l1_mfn = l1_ma >> PAGE_SHIFT;
	struct gnttab_map_grant_ref m;
	int budget = 1000;

	(void)state;
	permit(one, 9, 0, page, 0);
	m = map_at(va, GNTMAP_host_map, 1, 9);
	assert_int_equal(m.status, GNTST_okay);
	assert_int_equal(mmu_pin(&zero->owner, l1_mfn, 1, &budget), 0);
	zero->vcpus[0]->arch.kernel_cr3 = 0;
	assert_int_equal(unmap(va, m.handle), GNTST_okay);
	assert_int_equal(*pte(9), 0);
}

static void two_handles_on_one_entry_end_with_none(void **state)
{
	u64 other = fake_frame(one), before = refs(page);
	struct gnttab_map_grant_ref a, b, c;

	(void)state;
	permit(one, 9, 0, page, 0);
	permit(one, 10, 0, other, 0);
	a = map_pte(0, GNTMAP_readonly, 9);
	b = map_pte(0, 0, 9);
	c = map_pte(0, 0, 10);
	assert_int_equal(pte_mfn(*pte(0)), other);
	assert_int_equal(unmap(a.host_addr, a.handle), 0);
	assert_int_equal(unmap(b.host_addr, b.handle), 0);
	assert_int_equal(pte_mfn(*pte(0)), other);
	assert_int_equal(refs(page) & FRAME_COUNT_MASK,
			 before & FRAME_COUNT_MASK);
	assert_int_equal(unmap(c.host_addr, c.handle), 0);
	assert_int_equal(*pte(0), 0);
}

static void handles_run_out_cleanly_and_come_back(void **state)
{
	u64 before = zero->owner.state_pages;
	struct gnttab_map_grant_ref m;
	u32 handles[400];

	(void)state;
	permit(one, 9, 0, page, 0);
	for (u32 i = 0; i < 400; i++) {
		m = map_pte(i, 0, 9);
		assert_int_equal(m.status, GNTST_okay);
		for (u32 j = 0; j < i; j++)
			assert_int_not_equal(handles[j], m.handle);
		handles[i] = m.handle;
	}
	assert_true(zero->owner.state_pages > before + 3);
	before = zero->owner.state_pages;
	for (u32 i = 0; i < 400; i++)
		assert_int_equal(unmap(l1_ma + i * 8UL, handles[i]), 0);
	for (u32 i = 0; i < 400; i++)
		assert_int_equal(map_pte(i, 0, 9).status, GNTST_okay);
	assert_int_equal(zero->owner.state_pages, before);
}

static void a_batch_of_unmaps_flushes_once(void **state)
{
	struct gnttab_unmap_grant_ref ops[GRANT_UNMAP_BATCH];
	u64 flushes;

	(void)state;
	permit(one, 9, 0, page, 0);
	for (u32 i = 0; i < GRANT_UNMAP_BATCH; i++) {
		struct gnttab_map_grant_ref m = map_pte(i, 0, 9);

		ops[i] = (struct gnttab_unmap_grant_ref){
			.host_addr = m.host_addr,
			.handle = m.handle,
		};
	}
	ops[3].handle = ops[4].handle; /* the same one twice */
	ops[3].host_addr = ops[4].host_addr;
	flushes = host_flushes;
	grant_unmap(zero, ops, GRANT_UNMAP_BATCH);
	assert_int_equal(host_flushes, flushes + 2); /* both CPUs, once */
	for (u32 i = 0; i < GRANT_UNMAP_BATCH; i++)
		assert_int_equal(ops[i].status,
				 i == 4 ? GNTST_bad_handle : GNTST_okay);
	assert_int_equal(entry(one, 9)->flags,
			 GTF_permit_access | GTF_reading | GTF_writing);
}

static int copy_op(struct gnttab_copy op)
{
	op.status = 99;
	grant_copy(zero, &op);
	return op.status;
}

static void copies_move_bytes_between_domains(void **state)
{
	u64 own = fake_frame(zero), theirs = fake_frame(two), before;
	u8 *src = mfn_to_virt(page), *dst = mfn_to_virt(theirs);
	struct gnttab_copy op = {
		.source = { .u.ref = 9, .domid = 1, .offset = 100 },
		.dest = { .u.ref = 20, .domid = 2, .offset = 3000 },
		.len = 1000,
		.flags = GNTCOPY_source_gref | GNTCOPY_dest_gref,
	};

	(void)state;
	before = refs(page);
	assert_int_equal(grant_setup(two, 1), 0);
	permit(one, 9, 0, page, GTF_readonly);
	permit(two, 20, 0, theirs, 0);
	for (int i = 0; i < 4096; i++)
		src[i] = (u8)(i * 7);
	assert_int_equal(copy_op(op), GNTST_okay);
	assert_memory_equal(dst + 3000, src + 100, 1000);
	assert_int_equal(dst[2999], 0);
	assert_int_equal(dst[4000], 0);
	assert_int_equal(entry(one, 9)->flags,
			 GTF_permit_access | GTF_readonly);
	assert_int_equal(entry(two, 20)->flags, GTF_permit_access);
	assert_int_equal(refs(page) & FRAME_COUNT_MASK,
			 before & FRAME_COUNT_MASK);

	op.dest.offset = 3097;
	assert_int_equal(copy_op(op), GNTST_bad_copy_arg);
	op.dest.offset = 0;
	op.source.offset = 4000;
	assert_int_equal(copy_op(op), GNTST_bad_copy_arg);
	op.source.offset = 0;
	/* Writing to what is granted read-only. */
	op.dest = op.source;
	assert_int_equal(copy_op(op), GNTST_permission_denied);
	assert_int_equal(entry(one, 9)->flags,
			 GTF_permit_access | GTF_readonly);
	/* Own frames by number; others' never. */
	op.flags = GNTCOPY_source_gref;
	op.dest.u.gmfn = own;
	op.dest.domid = DOMID_SELF;
	assert_int_equal(copy_op(op), GNTST_okay);
	assert_memory_equal(mfn_to_virt(own), src, 1000);
	op.dest.domid = 2;
	assert_int_equal(copy_op(op), GNTST_permission_denied);
	op.dest.domid = DOMID_SELF;
	op.dest.u.gmfn = theirs;
	assert_int_equal(copy_op(op), GNTST_bad_page);
	op.dest.u.gmfn = ~0UL;
	assert_int_equal(copy_op(op), GNTST_bad_page);
	/* A page table is no destination. */
	op.dest.u.gmfn = l1_ma >> PAGE_SHIFT;
	assert_int_equal(copy_op(op), GNTST_bad_page);
	/* Nothing to copy is checked all the same. */
	op.len = 0;
	op.dest.u.gmfn = own;
	assert_int_equal(copy_op(op), GNTST_okay);
	op.source.u.ref = 11;
	assert_int_equal(copy_op(op), GNTST_bad_gntref);
}

static void a_copy_within_one_page_may_overlap(void **state)
{
	u64 own = fake_frame(zero);
	u8 *bytes = mfn_to_virt(own);
	struct gnttab_copy op = {
		.source = { .u.gmfn = own, .domid = DOMID_SELF, .offset = 0 },
		.dest = { .u.gmfn = own, .domid = DOMID_SELF, .offset = 1 },
		.len = 64,
	};

	(void)state;
	for (int i = 0; i < 64; i++)
		bytes[i] = (u8)i;
	assert_int_equal(copy_op(op), GNTST_okay);
	for (int i = 0; i < 64; i++)
		assert_int_equal(bytes[i + 1], i);
}

static void a_map_outlives_its_granter(void **state)
{
	struct gnttab_map_grant_ref m;
	struct domain *d = fake_domain_create(3, 1, false);
	u64 mfn = fake_frame(d);

	(void)state;
	assert_int_equal(grant_setup(d, 1), 0);
	permit(d, 9, 0, mfn, 0);
	m = map_at(l1_ma, GNTMAP_host_map | GNTMAP_contains_pte, 3, 9);
	assert_int_equal(m.status, GNTST_okay);
	assert_false(fake_domain_destroy(d));
	/* The frame is still its, and no one else's. */
	assert_int_equal(frame_table[mfn].owner_id, 3);
	assert_int_equal(pte_mfn(*pte(0)), mfn);
	assert_int_equal(unmap(m.host_addr, m.handle), GNTST_okay);
	assert_true(fake_domain_destroy(d));
	assert_int_not_equal(frame_table[mfn].owner_id, 3);
}

static void a_dying_granter_grants_nothing(void **state)
{
	(void)state;
	permit(one, 9, 0, page, 0);
	one->owner.dying = true;
	assert_int_equal(map_pte(0, 0, 9).status, GNTST_bad_domain);
	one->owner.dying = false;
}

static void exit_drops_every_map_piecewise(void **state)
{
	u64 before = refs(page);
	int budget, calls = 0, rc;

	(void)state;
	permit(one, 9, 0, page, 0);
	for (u32 i = 0; i < 100; i++)
		assert_int_equal(map_pte(i, 0, 9).status, GNTST_okay);
	do {
		budget = 7;
		rc = grant_domain_exit(zero, &budget);
		calls++;
	} while (rc == -ERESTART);
	assert_int_equal(rc, 0);
	assert_int_equal(calls, 15);
	assert_int_equal(entry(one, 9)->flags, GTF_permit_access);
	/* What is left are the entries of its page tables. */
	assert_int_equal((refs(page) & FRAME_COUNT_MASK) -
				 (before & FRAME_COUNT_MASK),
			 100);
}

static void the_table_grows_to_its_limit(void **state)
{
	u64 first = grant_frame_mfn(one, 0);

	(void)state;
	assert_int_equal(grant_setup(one, GRANT_MAX_FRAMES + 1), -EINVAL);
	assert_int_equal(grant_frame_count(one), 2);
	assert_int_equal(grant_setup(one, GRANT_MAX_FRAMES), 0);
	assert_int_equal(grant_setup(one, 1), 0);
	assert_int_equal(grant_frame_count(one), GRANT_MAX_FRAMES);
	assert_int_equal(grant_frame_mfn(one, 0), first);
	assert_int_equal(m2p_table[first], M2P_INVALID);
	permit(one, GRANT_MAX_FRAMES * 512 - 1, 0, page, 0);
	assert_int_equal(map_pte(0, 0, GRANT_MAX_FRAMES * 512 - 1).status,
			 GNTST_okay);
	assert_int_equal(map_pte(0, 0, GRANT_MAX_FRAMES * 512).status,
			 GNTST_bad_gntref);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_map_by_pte_and_its_unmap_are_inverses),
		TEST(a_map_by_virtual_address),
		TEST(bad_places_are_refused_and_cost_nothing),
		TEST(what_is_not_granted_is_not_mapped),
		TEST(a_page_table_can_be_granted_read_only_at_most),
		TEST(flags_follow_the_counts),
		TEST(a_pinned_entry_keeps_its_frame_and_grantee),
		TEST(an_entry_that_was_overwritten_is_left_alone),
		TEST(a_mapping_in_a_detached_table_is_found),
		TEST(two_handles_on_one_entry_end_with_none),
		TEST(handles_run_out_cleanly_and_come_back),
		TEST(a_batch_of_unmaps_flushes_once),
		TEST(copies_move_bytes_between_domains),
		TEST(a_copy_within_one_page_may_overlap),
		TEST(a_map_outlives_its_granter),
		TEST(a_dying_granter_grants_nothing),
		TEST(exit_drops_every_map_piecewise),
		TEST(the_table_grows_to_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
