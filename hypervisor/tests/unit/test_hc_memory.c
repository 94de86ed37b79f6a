// SPDX-License-Identifier: Apache-2.0
/* memory_op as a guest calls it. */
#include <hv/errno.h>
#include <hv/hypercall.h>

#include <arch/host_machine.h>

#include <xen/memory.h>

#include "../fake/hc_fakes.h"
#include "../fake/mm_tree.h"
#include "unit.h"

#define ARGS_VA 0x10000UL
#define LIST_VA (ARGS_VA + 4096)
#define OUT_VA (ARGS_VA + 16384)

static u8 args[32768];

static int setup(void **state)
{
	(void)state;
	tree_build();
	memset(args, 0, sizeof(args));
	host_guest_window(ARGS_VA, args, sizeof(args));
	fake_other_domain = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(tree_audit(), 0);
	tree_destroy();
	return 0;
}

static u64 *list(void)
{
	return (u64 *)&args[LIST_VA - ARGS_VA];
}

static u64 *out_list(void)
{
	return (u64 *)&args[OUT_VA - ARGS_VA];
}

static struct xen_memory_reservation reservation(u64 list_va, u64 n,
						 unsigned int order)
{
	struct xen_memory_reservation r;

	memset(&r, 0, sizeof(r));
	r.extent_start.p = (void *)list_va;
	r.nr_extents = n;
	r.extent_order = order;
	r.domid = DOMID_SELF;
	return r;
}

static long call(u64 cmd, unsigned int *restarts)
{
	struct guest_regs *r = &tree.vcpu.arch.regs;
	long rc;

	r->rdi = cmd;
	*restarts = 0;
	while ((rc = hc_memory_op(r->rdi, ARGS_VA, 0, 0, 0, 0)) == -ERESTART)
		++*restarts;
	return rc;
}

static void a_balloon_deflates_and_inflates(void **state)
{
	struct frame_owner *o = &tree.domain.owner;
	struct xen_memory_reservation r = reservation(LIST_VA, 300, 0);
	unsigned int restarts, i;

	(void)state;
	for (i = 0; i < 300; i++)
		list()[i] = 1000 + i;
	memcpy(args, &r, sizeof(r));
	assert_int_equal(call(XENMEM_populate_physmap, &restarts), 300);
	assert_int_equal(o->pages, 305);
	for (i = 0; i < 300; i++)
		assert_int_equal(m2p_table[list()[i]], 1000 + i);
	assert_int_equal(call(XENMEM_decrease_reservation, &restarts), 300);
	assert_int_equal(o->pages, 5);
	assert_int_equal(m2p_table[list()[7]], M2P_INVALID);
	/* The same frames again: not ours any more. */
	assert_int_equal(call(XENMEM_decrease_reservation, &restarts), 0);
	/* What is mapped, pinned or nothing stays. */
	list()[0] = tree.data;
	assert_int_equal(call(XENMEM_decrease_reservation, &restarts), 0);
	list()[0] = TREE_FRAMES + 3;
	assert_int_equal(call(XENMEM_decrease_reservation, &restarts), 0);
}

static void long_lists_restart(void **state)
{
	struct frame_owner *o = &tree.domain.owner;
	struct xen_memory_reservation r = reservation(0, 24, 4);
	unsigned int restarts;

	(void)state;
	memcpy(args, &r, sizeof(r));
	assert_int_equal(call(XENMEM_increase_reservation, &restarts), 24);
	assert_int_equal(o->pages, 5 + 24 * 16);
	/* 512 units pay for six extents of 96. */
	assert_int_equal(restarts, 3);
	/* Nobody can ask for more at once than the bound on an entry allows. */
	r = reservation(0, 1, 9);
	memcpy(args, &r, sizeof(r));
	assert_int_equal(call(XENMEM_increase_reservation, &restarts), 0);
	assert_int_equal(o->pages, 5 + 24 * 16);
	r = reservation(LIST_VA, 3000, 0);
	memcpy(args, &r, sizeof(r));
	/* Frame 0 is nobody's: the list ends at once. */
	assert_int_equal(call(XENMEM_decrease_reservation, &restarts), 0);
	/* A forged continuation beyond the list, and one into it. */
	assert_int_equal(
		call(XENMEM_decrease_reservation | 1UL << 40, &restarts), 3000);
	assert_int_equal(
		call(XENMEM_decrease_reservation | 2000UL << 6, &restarts),
		2000);
}

static void no_more_than_the_maximum(void **state)
{
	struct xen_memory_reservation r = reservation(0, 10, 0);
	unsigned int restarts;

	(void)state;
	tree.domain.owner.max_pages = 9;
	memcpy(args, &r, sizeof(r));
	assert_int_equal(call(XENMEM_increase_reservation, &restarts), 4);
	r.domid = 9;
	memcpy(args, &r, sizeof(r));
	assert_int_equal(call(XENMEM_increase_reservation, &restarts), -EPERM);
}

static struct xen_memory_exchange *exchange(void)
{
	return (struct xen_memory_exchange *)args;
}

static void frames_are_exchanged_for_a_block_and_back(void **state)
{
	struct frame_owner *o = &tree.domain.owner;
	unsigned int restarts, i;
	u64 block;

	(void)state;
	o->max_pages = 5 + 64;
	for (i = 0; i < 64; i++)
		list()[i] = tree_page(o);
	out_list()[0] = 5000;
	exchange()->in = reservation(LIST_VA, 64, 0);
	exchange()->out = reservation(OUT_VA, 1, 6);
	exchange()->out.mem_flags = 32;
	assert_int_equal(call(XENMEM_exchange, &restarts), 0);
	assert_int_equal(exchange()->nr_exchanged, 64);
	block = out_list()[0];
	assert_int_equal(block % 64, 0);
	assert_int_equal(o->pages, 69);
	for (i = 0; i < 64; i++)
		assert_int_equal(m2p_table[block + i], 5000 + i);
	assert_int_equal(tree_audit(), 0);

	list()[0] = block;
	for (i = 0; i < 64; i++)
		out_list()[i] = 6000 + 2 * i;
	exchange()->in = reservation(LIST_VA, 1, 6);
	exchange()->out = reservation(OUT_VA, 64, 0);
	exchange()->nr_exchanged = 0;
	assert_int_equal(call(XENMEM_exchange, &restarts), 0);
	assert_int_equal(exchange()->nr_exchanged, 1);
	for (i = 0; i < 64; i++)
		assert_int_equal(m2p_table[out_list()[i]], 6000 + 2 * i);
	assert_int_equal(o->pages, 69);
}

static void a_failed_exchange_leaves_all_as_it_was(void **state)
{
	struct frame_owner *o = &tree.domain.owner;
	u64 kept[16];
	unsigned int restarts, i;

	(void)state;
	for (i = 0; i < 16; i++) {
		kept[i] = list()[i] = tree_page(o);
		*tree_entry(kept[i], 9) = i + 1;
		m2p_set(kept[i], 700 + i);
	}
	list()[15] = tree.data; /* in use */
	out_list()[0] = 5000;
	exchange()->in = reservation(LIST_VA, 16, 0);
	exchange()->out = reservation(OUT_VA, 1, 4);
	assert_int_equal(call(XENMEM_exchange, &restarts), -EBUSY);
	assert_int_equal(exchange()->nr_exchanged, 0);
	assert_int_equal(out_list()[0], 5000);
	list()[15] = kept[14]; /* named twice */
	assert_int_equal(call(XENMEM_exchange, &restarts), -EINVAL);
	list()[15] = kept[15];
	exchange()->out.mem_flags = 13; /* two pages of addresses */
	assert_int_equal(call(XENMEM_exchange, &restarts), -ENOMEM);
	for (i = 0; i < 16; i++) {
		assert_int_equal(*tree_entry(kept[i], 9), i + 1);
		assert_int_equal(m2p_table[kept[i]], 700 + i);
		assert_int_equal(frame_table[kept[i]].owner_id, o->id);
	}
	assert_int_equal(o->pages, 21);
	exchange()->out.nr_extents = 2;
	assert_int_equal(call(XENMEM_exchange, &restarts), -EINVAL);
	exchange()->out = reservation(OUT_VA, 1, 4);
	exchange()->out.extent_order = 40;
	assert_int_equal(call(XENMEM_exchange, &restarts), -EINVAL);
}

static void memory_maps_show_one_block(void **state)
{
	struct xen_memory_map *m = (void *)args;
	struct xen_machphys_mapping mapping;
	unsigned int restarts;
	u64 e820[2];
	u32 type;

	(void)state;
	m->nr_entries = 5;
	m->buffer.p = (void *)LIST_VA;
	tree.domain.owner.max_pages = 9;
	assert_int_equal(call(XENMEM_machine_memory_map, &restarts), -EPERM);
	assert_int_equal(call(XENMEM_memory_map, &restarts), 0);
	assert_int_equal(m->nr_entries, 1);
	memcpy(e820, list(), sizeof(e820));
	memcpy(&type, list() + 2, sizeof(type));
	assert_int_equal(e820[0], 0);
	assert_int_equal(e820[1], 9 * PAGE_SIZE);
	assert_int_equal(type, 1);
	assert_int_equal(args[LIST_VA - ARGS_VA + 20], 0);
	tree.domain.privileged = true;
	assert_int_equal(call(XENMEM_machine_memory_map, &restarts), 0);
	assert_int_equal(list()[1], 5 * PAGE_SIZE);

	assert_int_equal(call(XENMEM_machphys_mapping, &restarts), 0);
	memcpy(&mapping, args, sizeof(mapping));
	assert_int_equal(mapping.v_start, 0xffff800000000000UL);
	assert_int_equal(mapping.v_end, 0xffff804000000000UL);
	assert_int_equal(mapping.max_mfn, TREE_FRAMES - 1);
	assert_int_equal(call(XENMEM_maximum_ram_page, &restarts),
			 TREE_FRAMES - 1);
	*(domid_t *)args = DOMID_SELF;
	assert_int_equal(call(XENMEM_current_reservation, &restarts), 5);
	assert_int_equal(call(XENMEM_maximum_reservation, &restarts), 9);
	*(domid_t *)args = 77;
	assert_int_equal(call(XENMEM_current_reservation, &restarts), -ESRCH);
	assert_int_equal(call(XENMEM_add_to_physmap, &restarts), -ENOSYS);
	assert_int_equal(call(63, &restarts), -ENOSYS);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_balloon_deflates_and_inflates),
		TEST(long_lists_restart),
		TEST(no_more_than_the_maximum),
		TEST(frames_are_exchanged_for_a_block_and_back),
		TEST(a_failed_exchange_leaves_all_as_it_was),
		TEST(memory_maps_show_one_block),
	};

	host_machine_init(TREE_FRAMES, 2);
	frame_alloc_add(0, TREE_FRAMES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
