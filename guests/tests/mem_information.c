/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do the memory operations that only tell something work?
 * Rule:     machphys_mapping names the M2P; the memory map covers the domain;
 *           maximum and current reservation fit start_info; bad buffers
 *           refused.
 * Source:   guest-abi.md 2.2, 14, 3.2.
 * Expected: m2p at ffff800000000000, max_mfn above every own frame.
 */
#include "xt.h"

void test_main(void)
{
	struct xen_machphys_mapping mm;
	static struct {
		u64 addr, size;
		u32 type;
	} __attribute__((packed)) map[128];
	struct xen_memory_map m = { .nr_entries = 128 };
	domid_t self = DOMID_SELF, other = 77;
	u64 highest = 0, ram = 0;
	u32 entries;

	for (u64 pfn = 0; pfn < start_info->nr_pages; pfn++)
		if (pfn_to_mfn(pfn) > highest)
			highest = pfn_to_mfn(pfn);
	check_eq(memory_op(XENMEM_machphys_mapping, &mm), 0);
	check(mm.v_start == HV_START && mm.v_end > mm.v_start &&
		      mm.max_mfn >= highest,
	      "m2p %lx %lx %lx", mm.v_start, mm.v_end, mm.max_mfn);
	set_xen_guest_handle(m.buffer, map);
	check_eq(memory_op(XENMEM_machine_memory_map, &m), 0);
	check(m.nr_entries >= 1 && m.nr_entries <= 128, "%u entries",
	      m.nr_entries);
	entries = m.nr_entries;
	for (unsigned int i = 0; i < entries; i++)
		ram += map[i].type == 1 ? map[i].size : 0;
	check(ram >= start_info->nr_pages * PAGE_SIZE, "%lx bytes of RAM", ram);
	check_eq(memory_op(XENMEM_current_reservation, &self),
		 start_info->nr_pages);
	check(memory_op(XENMEM_maximum_reservation, &self) >=
		      (long)start_info->nr_pages,
	      "maximum %ld", memory_op(XENMEM_maximum_reservation, &self));
	check_refused(memory_op(XENMEM_current_reservation, &other));
	check_eq(memory_op(XENMEM_machphys_mapping, (void *)HV_START),
		 -XEN_EFAULT);
	m.nr_entries = 128;
	m.buffer.p = (void *)HV_START;
	check_refused(memory_op(XENMEM_machine_memory_map, &m));
	pass("max_mfn %lx, %u map entries", mm.max_mfn, entries);
}
