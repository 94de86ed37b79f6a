/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: how long does one entry last for batches of grants?
 * Rule:     maps, unmaps and copies are counted, copies by their length.
 * Source:   checklist 43.
 * Expected: 1000 of each done; the bound is judged from what a LATENCY=1
 *           build prints.
 */
#include "xt.h"

#define OPS	1000
#define FRAMES	64
#define WINDOW	0x600000000000UL

static struct gnttab_map_grant_ref maps[OPS];
static struct gnttab_unmap_grant_ref unmaps[OPS];
static struct gnttab_copy copies[OPS];

static void map_all(void)
{
	for (unsigned int i = 0; i < OPS; i++)
		maps[i] = (struct gnttab_map_grant_ref){
			.host_addr = WINDOW + i % 512 * PAGE_SIZE,
			.flags = GNTMAP_host_map, .ref = 8, .dom = 0,
		};
	check_eq(grant_op(GNTTABOP_map_grant_ref, maps, 512), 0);
	for (unsigned int i = 0; i < 512; i++) {
		check_eq(maps[i].status, GNTST_okay);
		unmaps[i] = (struct gnttab_unmap_grant_ref){
			.host_addr = maps[i].host_addr,
			.handle = maps[i].handle,
		};
	}
	check_eq(grant_op(GNTTABOP_unmap_grant_ref, unmaps, 512), 0);
	for (unsigned int i = 0; i < 512; i++)
		check_eq(unmaps[i].status, GNTST_okay);
}

static void copy_all(u16 from, u16 to)
{
	for (unsigned int i = 0; i < OPS; i++)
		copies[i] = (struct gnttab_copy){
			.source = { .u.ref = 8, .domid = 0, .offset = from },
			.dest = { .u.ref = 8, .domid = 0, .offset = to },
			.len = 4032,
			.flags = GNTCOPY_source_gref | GNTCOPY_dest_gref,
		};
	check_eq(grant_op(GNTTABOP_copy, copies, OPS), 0);
	for (unsigned int i = 0; i < OPS; i++)
		check_eq(copies[i].status, GNTST_okay);
}

void test_main(void)
{
	struct gnttab_setup_table s = { .dom = DOMID_SELF, .nr_frames = FRAMES };
	struct grant_entry_v1 *table = alloc_page();
	u64 *page = alloc_page();
	static xen_pfn_t frames[FRAMES];

	set_xen_guest_handle(s.frame_list, frames);
	check_eq(grant_op(GNTTABOP_setup_table, &s, 1), 0);
	check_eq(update_va_mapping(table, mk_pte(frames[0], PTE_KERNEL),
				   UVMF_INVLPG), 0);
	table[8] = (struct grant_entry_v1){
		.domid = 0, .frame = (u32)va_to_mfn(page),
	};
	barrier();
	table[8].flags = GTF_permit_access;
	map_at(WINDOW, 0);
	map_all();
	copy_all(0, 64);
	copy_all(64, 0);
	check_eq(table[8].flags, GTF_permit_access);
	pass("512 maps and unmaps, %u copies", 2 * OPS);
}
