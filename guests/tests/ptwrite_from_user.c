/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can guest user space write a page table it can see?
 * Rule:     emulation is for the guest kernel only: user gets a page fault
 *           with U set, and the entry stays.
 * Source:   checklist 25, guest-abi.md 4.4.
 * Expected: #PF error 7, CR2 at the entry.
 */
#include "xt.h"

USER_ASM(user_store, "mov %rsi, (%rdi)\n\tud2");

void test_main(void)
{
	u64 before;
	u64 *e;
	struct regs regs;
	struct fault *f;

	setup_user();
	e = pte_of((void *)USER_DATA);
	before = *e;
	map_at(USER_DATA + PAGE_SIZE, mk_pte(va_to_mfn(e), PTE_RO));
	regs = user_regs(user_store);
	regs.rdi = USER_DATA + PAGE_SIZE + ((u64)e & 4095);
	regs.rsi = 0;
	f = enter_user(&regs);
	check(f->vector == VEC_PF && f->error == 7 && f->cr2 == regs.rdi,
	      "vector %d error %lx cr2 %lx", f->vector, f->error, f->cr2);
	check(READ_ONCE(*e) == before, "entry %lx", READ_ONCE(*e));
	pass("error %lx", f->error);
}
