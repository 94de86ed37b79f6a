/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does start_info describe the domain it was handed to?
 * Rule:     magic, flags for a privileged initial domain with MOD_START_PFN,
 *           memory size as asked for, page tables and p2m inside memory, an
 *           empty command line, an info_off that can be read.
 * Source:   guest-abi.md 1.4.
 * Expected: the fields agree with each other and with 64 MiB.
 */
#include "xt.h"

void test_main(void)
{
	const struct start_info *si = start_info;
	u64 pt_pfn = va_to_pfn((void *)si->pt_base);
	u64 limit_pages = 64 << 8;

	check(!memcmp(si->magic, "xen-3.0-x86_64", 14), "magic");
	check((si->flags & (SIF_PRIVILEGED | SIF_INITDOMAIN)) ==
		      (SIF_PRIVILEGED | SIF_INITDOMAIN),
	      "flags %x", si->flags);
	check(si->nr_pages > limit_pages / 2 && si->nr_pages <= limit_pages,
	      "nr_pages %lx", si->nr_pages);
	check(si->shared_info && !(si->shared_info & 4095), "shared_info %lx",
	      si->shared_info);
	check(!(si->pt_base & 4095) && si->nr_pt_frames >= 4 &&
		      pt_pfn + si->nr_pt_frames <= si->nr_pages,
	      "page tables");
	check(si->mfn_list == 0x8000000000, "mfn_list %lx", si->mfn_list);
	check(si->nr_p2m_frames >= (si->nr_pages * 8 + 4095) / 4096,
	      "p2m frames %lx", si->nr_p2m_frames);
	check(si->first_p2m_pfn + si->nr_p2m_frames <= si->nr_pages,
	      "first p2m pfn %lx", si->first_p2m_pfn);
	check(!si->mod_len, "mod_len %lx", si->mod_len);
	check(!si->cmd_line[0], "command line %s", (const char *)si->cmd_line);
	check(!si->store_mfn && !si->store_evtchn, "store page for Domain 0");
	check(si->console.dom0.info_off >= sizeof(*si) &&
		      si->console.dom0.info_off < PAGE_SIZE,
	      "info_off %x", si->console.dom0.info_off);
	pass("%lu pages, %lu table frames, flags %x", si->nr_pages,
	     si->nr_pt_frames, si->flags);
}
