/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does NX keep the guest from executing a page?
 * Rule:     bit 63 passes through; a fetch from such a page faults with code
 *           P|I and not U.
 * Source:   guest-abi.md 2.4, 4.4.
 * Expected: error 0x11, CR2 and RIP at the target.
 */
#include "xt.h"

void test_main(void)
{
	u8 *page = alloc_page();
	struct fault *f;

	page[0] = 0xc3;
	f = run_guarded((void (*)(void *))page, NULL);
	check(f->vector == VEC_NONE, "executable page: vector %d", f->vector);
	check_eq(update_va_mapping(page,
				   mk_pte(va_to_mfn(page), PTE_KERNEL | PTE_NX),
				   UVMF_INVLPG),
		 0);
	f = run_guarded((void (*)(void *))page, NULL);
	check(f->vector == VEC_PF && f->error == 0x11 && f->cr2 == (u64)page &&
		      f->rip == (u64)page,
	      "vector %d error %lx cr2 %lx", f->vector, f->error, f->cr2);
	pass("error %lx", f->error);
}
