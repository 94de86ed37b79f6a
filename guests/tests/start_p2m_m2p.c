/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do the p2m list and the M2P agree for every page?
 * Rule:     p2m[pfn] is a frame of its own and m2p[p2m[pfn]] == pfn; the M2P
 *           is readable and not writable by the guest.
 * Source:   guest-abi.md 1.3 and 2.2.
 * Expected: all pages agree; a write to the M2P faults.
 */
#include "xt.h"

void test_main(void)
{
	const u64 *p2m = (const u64 *)start_info->mfn_list;
	struct fault *f;

	for (u64 pfn = 0; pfn < start_info->nr_pages; pfn++) {
		check(p2m[pfn], "p2m[%lx] is 0", pfn);
		check(M2P[p2m[pfn]] == pfn, "m2p[%lx] = %lx, not %lx", p2m[pfn],
		      M2P[p2m[pfn]], pfn);
	}
	check(M2P[start_info->shared_info >> 12] >= start_info->nr_pages,
	      "shared_info has PFN %lx", M2P[start_info->shared_info >> 12]);
	f = probe_write((void *)&M2P[p2m[0]], 7);
	check(f->vector == VEC_PF && (f->error & 2),
	      "M2P write: vector %d error %lx", f->vector, f->error);
	check(M2P[p2m[0]] == 0, "M2P changed");
	pass("%lu pages", start_info->nr_pages);
}
