/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does an entry change by the kernel reach user space at once?
 * Rule:     kernel and user tables share lower levels; after an update with a
 *           flush the user sees the new mapping, or its absence.
 * Source:   guest-abi.md 8.4, 2.3.
 * Expected: 100 changes, each seen; a cleared entry faults with the user bit.
 */
#include "xt.h"

USER_ASM(user_read, "mov (%rdi), %rax\n\tsyscall");

void test_main(void)
{
	u64 *page[2] = { alloc_page(), alloc_page() };
	u64 va = USER_DATA + 16 * PAGE_SIZE;
	struct regs regs;
	struct fault *f;

	setup_user();
	*page[0] = 100;
	*page[1] = 101;
	map_at(va, 0);
	for (u32 i = 0; i < 100; i++) {
		regs = user_regs(user_read);
		regs.rdi = va;
		check_eq(update_va_mapping(
				 (void *)va,
				 mk_pte(va_to_mfn(page[i & 1]), PTE_RO),
				 UVMF_INVLPG),
			 0);
		f = enter_user(&regs);
		check(f->vector == VEC_SYSCALL && f->regs.rax == 100 + (i & 1),
		      "round %u: vector %d read %lu", i, f->vector,
		      f->regs.rax);
		if (i % 10)
			continue;
		check_eq(update_va_mapping((void *)va, 0, UVMF_INVLPG), 0);
		f = enter_user(&regs);
		check(f->vector == VEC_PF && f->error == 4 && f->cr2 == va,
		      "round %u: vector %d error %lx", i, f->vector, f->error);
	}
	pass("100 changes");
}
