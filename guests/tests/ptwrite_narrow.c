/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are 1, 2 and 4-byte stores into a live L1 entry safe?
 * Rule:     the whole resulting entry is validated; what can't be carried out
 *           is a page fault for the guest, never a half-written entry.
 * Source:   checklist 9.
 * Expected: each store lands exactly or faults and changes nothing.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

static unsigned int landed;

#define STORE(insn, reg, value, want)                                          \
	do {                                                                   \
		u64 old_ = *e;                                                 \
		struct fault *f_;                                              \
                                                                               \
		f_ = PROBE(insn " %" reg "1, (%0)",                            \
			   : "r"(e), "r"((u64)(value))                         \
			   : "memory");                                        \
		if (f_->vector == VEC_NONE) {                                  \
			check(*e == (want), "%s: %lx", insn, *e);              \
			landed++;                                              \
		} else {                                                       \
			check(f_->vector == VEC_PF && *e == old_,              \
			      "%s: vector %d entry %lx", insn, f_->vector,     \
			      *e);                                             \
		}                                                              \
	} while (0)

void test_main(void)
{
	volatile u64 *e;
	u64 before;

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	e = pte_of((void *)WINDOW);
	before = *e;
	STORE("movb", "b", before & 0xfd, before & ~PTE_RW);
	before = *e;
	STORE("movw", "w", (before & 0xffff) | PTE_RW, before | PTE_RW);
	before = *e;
	STORE("movl", "k", before & ~PTE_RW, before & ~PTE_RW);
	before = *e;
	STORE("movl", "k", before & ~PTE_P & 0xffffffff, before & ~PTE_P);
	pass("%u of 4 stores landed", landed);
}
