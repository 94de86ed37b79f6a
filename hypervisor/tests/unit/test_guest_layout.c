// SPDX-License-Identifier: Apache-2.0
/* Tests of boot/guest_layout.c. */
#include <hv/errno.h>
#include <hv/guest_layout.h>

#include <xen/elfnote.h>

#include "boot_unit.h"

static struct kernel_notes notes;
static struct layout_request req;
static struct guest_layout l;
static char err[160];

/* The stock kernel in a domain of 1 GiB, as real Xen was seen to build it. */
static int stock_kernel(void **state)
{
	(void)state;
	notes = (struct kernel_notes){
		.present = 1U << XEN_ELFNOTE_ENTRY |
			   1U << XEN_ELFNOTE_VIRT_BASE |
			   1U << XEN_ELFNOTE_INIT_P2M |
			   1U << XEN_ELFNOTE_MOD_START_PFN,
		.entry = 0xffffffff830791c0,
		.virt_base = 0xffffffff80000000,
		.init_p2m = 0x8000000000,
		.mod_start_pfn = true,
	};
	req = (struct layout_request){ .notes = &notes,
				       .start_paddr = 0x1000000,
				       .end_paddr = 0x4a00000,
				       .initrd_bytes = 0xfbbdb,
				       .nr_pages = 0x40000 };
	return 0;
}

static int compute(void)
{
	err[0] = '\0';
	return guest_layout_compute(&l, &req, err, sizeof(err));
}

/* What must hold of any layout: parts in order, none overlapping, exactly the
 * tables that the area needs. */
static void expect_sound(void)
{
	u64 area_va = l.virt_base, bytes = l.area_end_pfn << PAGE_SHIFT;
	u64 l1 = ((area_va + bytes - 1) >> 21) - (area_va >> 21) + 1;
	u64 initrd_end = l.initrd_pfn + l.initrd_pages;

	assert_true(l.kernel_start_pfn < l.kernel_end_pfn);
	assert_true(l.kernel_end_pfn <= l.start_info_pfn);
	assert_int_equal(l.pt_base_pfn, l.start_info_pfn + 1);
	assert_int_equal(l.stack_pfn, l.pt_base_pfn + l.pt_pages);
	assert_true(l.area_end_pfn >= l.stack_pfn + 1 + 128);
	assert_int_equal(l.area_end_pfn % 1024, 0);
	assert_true(l.area_end_pfn - (l.stack_pfn + 129) < 1024);
	assert_int_equal(l.area_tables.l1, l1);
	assert_int_equal(l.pt_pages, 1 + l.area_tables.l1 + l.area_tables.l2 +
					     l.area_tables.l3);
	if (l.initrd_mapped)
		assert_true(l.initrd_pfn >= l.kernel_end_pfn &&
			    initrd_end <= l.start_info_pfn);
	else
		assert_int_equal(l.initrd_pfn, l.area_end_pfn);
	if (l.p2m_mapped)
		assert_true(l.p2m_pfn >= l.kernel_end_pfn &&
			    l.p2m_pfn + l.p2m_data_pages <= l.start_info_pfn);
	else
		assert_true(l.p2m_pfn >= l.area_end_pfn &&
			    l.p2m_pfn + l.p2m_pages == l.needed_pages);
	assert_true(l.needed_pages <= req.nr_pages);
	assert_true(l.p2m_data_pages * 512 >= req.nr_pages);
}

static void stock_kernel_gets_what_real_xen_gives_it(void **state)
{
	(void)state;
	assert_int_equal(compute(), 0);
	expect_sound();
	assert_int_equal(layout_va(&l, l.kernel_start_pfn), 0xffffffff81000000);
	assert_int_equal(layout_va(&l, l.start_info_pfn), 0xffffffff84a00000);
	assert_int_equal(layout_va(&l, l.pt_base_pfn), 0xffffffff84a01000);
	assert_int_equal(l.pt_pages, 0x29);
	assert_int_equal(l.area_tables.l1, 38);
	assert_int_equal(layout_va(&l, l.stack_pfn), 0xffffffff84a2a000);
	assert_int_equal(layout_va(&l, l.area_end_pfn), 0xffffffff84c00000);
	assert_int_equal(l.initrd_pages, 0xfc);
	assert_int_equal(l.p2m_va, 0x8000000000);
	/* 512 pages of entries, and 4 KiB mappings: one table per level. */
	assert_int_equal(l.p2m_data_pages, 512);
	assert_int_equal(l.p2m_tables.l1, 1);
	assert_int_equal(l.p2m_tables.l2, 1);
	assert_int_equal(l.p2m_tables.l3, 1);
	assert_int_equal(l.p2m_pages, 515);
}

static void large_domain_needs_more_p2m_tables(void **state)
{
	(void)state;
	/* 1 TiB: 2 GiB of p2m. */
	req.nr_pages = 1UL << 28;
	assert_int_equal(compute(), 0);
	expect_sound();
	assert_int_equal(l.p2m_data_pages, 1UL << 19);
	assert_int_equal(l.p2m_tables.l1, 1024);
	assert_int_equal(l.p2m_tables.l2, 2);
	assert_int_equal(l.p2m_tables.l3, 1);
}

static void p2m_that_crosses_slots_counts_its_tables(void **state)
{
	(void)state;
	/* One page before the next L4 slot. */
	notes.init_p2m = 0xfffffff000;
	assert_int_equal(compute(), 0);
	expect_sound();
	assert_int_equal(l.p2m_tables.l1, 2);
	assert_int_equal(l.p2m_tables.l2, 2);
	assert_int_equal(l.p2m_tables.l3, 2);
}

static void initrd_and_p2m_are_mapped_for_an_old_kernel(void **state)
{
	(void)state;
	notes.present &= ~(1U << XEN_ELFNOTE_INIT_P2M);
	notes.mod_start_pfn = false;
	assert_int_equal(compute(), 0);
	expect_sound();
	assert_true(l.initrd_mapped && l.p2m_mapped);
	assert_int_equal(l.initrd_pfn, 0x4a00);
	assert_int_equal(l.p2m_pfn, 0x4a00 + 0xfc);
	assert_int_equal(l.p2m_va, 0xffffffff84afc000);
	assert_int_equal(l.p2m_pages, 512);
	assert_int_equal(l.needed_pages, l.area_end_pfn);
}

static void any_size_of_kernel_gives_a_sound_layout(void **state)
{
	u64 pages;

	(void)state;
	req.nr_pages = 1UL << 20;
	notes.entry = 0xffffffff81000000;
	for (pages = 1; pages < 60000; pages += 37) {
		req.end_paddr = req.start_paddr + (pages << PAGE_SHIFT);
		req.initrd_bytes = pages * 1000;
		assert_int_equal(compute(), 0);
		expect_sound();
	}
}

static void too_little_memory_is_said_with_numbers(void **state)
{
	u64 needed;

	(void)state;
	assert_int_equal(compute(), 0);
	/* p2m pages shrink with the domain, so approach from below. */
	for (needed = req.nr_pages = 0x4c00; compute() == -ENOMEM;)
		req.nr_pages = ++needed;
	req.nr_pages = needed - 1;
	assert_int_equal(compute(), -ENOMEM);
	assert_non_null(strstr(err, "the domain has"));
	req.nr_pages = needed;
	assert_int_equal(compute(), 0);
	assert_int_equal(l.needed_pages, needed);
}

static void contradicting_notes_are_refused(void **state)
{
	(void)state;
	notes.init_p2m = 0xffffffff00000000;
	assert_int_equal(compute(), -EINVAL);
	assert_non_null(strstr(err, "share an L4 entry"));
	stock_kernel(NULL);
	notes.entry = 0xffffffff80fff000;
	assert_int_equal(compute(), -EINVAL);
	assert_non_null(strstr(err, "entry"));
	stock_kernel(NULL);
	notes.entry = 0xffffffff84a00000;
	assert_int_equal(compute(), -EINVAL);
	stock_kernel(NULL);
	notes.virt_base = 0xfffffffffff00000;
	assert_int_equal(compute(), -EINVAL);
	assert_non_null(strstr(err, "leaves the guest's addresses"));
	stock_kernel(NULL);
	notes.init_p2m = 0x7ffffffff000;
	assert_int_equal(compute(), -EINVAL);
	stock_kernel(NULL);
	notes.paddr_offset = 0x1001000;
	assert_int_equal(compute(), -EINVAL);
	assert_non_null(strstr(err, "paddr_offset"));
	stock_kernel(NULL);
	notes.present |= 1U << XEN_ELFNOTE_HYPERCALL_PAGE;
	notes.hypercall_page = 0xffffffff84a00000;
	assert_int_equal(compute(), -EINVAL);
	assert_non_null(strstr(err, "hypercall page"));
}

static void huge_numbers_do_not_overflow(void **state)
{
	(void)state;
	req.end_paddr = 0xfffffffffffff000;
	assert_int_equal(compute(), -EINVAL);
	stock_kernel(NULL);
	req.initrd_bytes = 1UL << 62;
	assert_int_equal(compute(), -EINVAL);
	stock_kernel(NULL);
	req.nr_pages = ~0UL;
	assert_int_equal(compute(), -EINVAL);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, stock_kernel)
	const struct CMUnitTest tests[] = {
		TEST(stock_kernel_gets_what_real_xen_gives_it),
		TEST(large_domain_needs_more_p2m_tables),
		TEST(p2m_that_crosses_slots_counts_its_tables),
		TEST(initrd_and_p2m_are_mapped_for_an_old_kernel),
		TEST(any_size_of_kernel_gives_a_sound_layout),
		TEST(too_little_memory_is_said_with_numbers),
		TEST(contradicting_notes_are_refused),
		TEST(huge_numbers_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
