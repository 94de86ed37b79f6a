/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do writes to control registers keep the machine's bits?
 * Rule:     CR0: only TS counts; CR4: bits the guest can't have are ignored
 *           or #GP; CR3 takes only a valid L4; CR2 reads the guest's own
 *           fault address.
 * Source:   guest-abi.md 5, 4.4.
 * Expected: PG, WP, PAE stay; a bad CR3 is refused; CR2 follows the last
 *           fault.
 */
#include "xt.h"

void test_main(void)
{
	u64 cr0, cr4, cr2, v;
	int bad;

	check_eq(PROBE("mov %%cr0, %0", "=r"(cr0))->vector, VEC_NONE);
	PROBE("mov %0, %%cr0", : "r"(cr0 & ~0x80010000UL));
	check_eq(PROBE("mov %%cr0, %0", "=r"(v))->vector, VEC_NONE);
	check(v & 0x80000000, "PG cleared: %lx", v);
	check_eq(PROBE("mov %0, %%cr0", : "r"(cr0 | 8))->vector, VEC_NONE);
	check_eq(PROBE("fninit", )->vector, VEC_NM);
	check_eq(PROBE("fninit", )->vector, VEC_NONE);
	check_eq(PROBE("mov %%cr4, %0", "=r"(cr4))->vector, VEC_NONE);
	PROBE("mov %0, %%cr4", : "r"(cr4 & ~0x20UL));
	PROBE("mov %0, %%cr4", : "r"(cr4 | 1UL << 13 | 1UL << 20));
	check_eq(PROBE("mov %%cr4, %0", "=r"(v))->vector, VEC_NONE);
	check(v & 0x20 && !(v & 1UL << 13), "cr4 %lx", v);
	bad = PROBE("mov %0, %%cr3",
		    : "r"(va_to_maddr(alloc_page()))
		    : "memory")
		      ->vector;
	check(bad == VEC_GP, "bad CR3: vector %d", bad);
	probe_read((void *)0x700000123000, NULL);
	check_eq(PROBE("mov %%cr2, %0", "=r"(cr2))->vector, VEC_NONE);
	check(cr2 == 0x700000123000, "cr2 %lx", cr2);
	pass("cr0 %lx cr4 %lx", cr0, cr4);
}
