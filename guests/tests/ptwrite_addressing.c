/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are direct PTE stores right in every addressing form?
 * Rule:     segment bases, index registers, displacement, RIP-relative,
 *           high-byte and extended registers: the address is the one that
 *           faulted, the source the one named.
 * Source:   guest-abi.md 8.3, checklist 9 and 25.
 * Expected: the value lands, or the guest gets its fault and nothing lands.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

static volatile u64 *e;
static u64 before;
static unsigned int landed;

static void judge(const struct fault *f, u64 want, const char *what)
{
	if (f->vector == VEC_NONE) {
		check(*e == want, "%s: %lx, not %lx", what, *e, want);
		landed++;
	} else {
		check(f->vector == VEC_PF && *e == before,
		      "%s: vector %d entry %lx", what, f->vector, *e);
	}
	check_eq(write_entry((const u64 *)e, before), 0);
}

void test_main(void)
{
	u64 ro, rbx, base;
	struct fault *f;

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	e = pte_of((void *)WINDOW);
	before = *e;
	ro = before & ~PTE_RW;
	base = (u64)e - 0x10;
	check_eq(set_segment_base(SEGBASE_FS, base), 0);
	f = PROBE("mov %0, %%fs:0x10", : "r"(ro) : "memory");
	judge(f, ro, "fs");
	check_eq(set_segment_base(SEGBASE_GS_KERNEL, base), 0);
	f = PROBE("mov %0, %%gs:(%1)", : "r"(ro), "r"(0x10UL) : "memory");
	judge(f, ro, "gs");
	f = PROBE("mov %0, -0x7f(%1,%2,8)",
		  : "r"(ro), "r"((u64)e + 0x7f - 80), "r"(10UL)
		  : "memory");
	judge(f, ro, "sib");
	rbx = (ro & 0xff) << 8;
	f = PROBE("mov %%bh, (%1)", : "b"(rbx), "a"(e) : "memory");
	judge(f, ro, "bh");
	f = PROBE("mov %0, %%rsi; mov %1, %%rdi; mov %%sil, (%%rdi)",
		  : "r"(ro), "r"(e)
		  : "rsi", "rdi", "memory");
	judge(f, ro, "sil");
	f = PROBE("mov %0, %%r15; mov %1, %%r14; xchg %%r15, (%%r14)",
		  : "r"(ro), "r"(e)
		  : "r14", "r15", "memory");
	judge(f, ro, "r15");
	f = PROBE("mov %0, %%r13; mov %1, %%r12; lock cmpxchg %%r13, (%%r12)",
		  : "r"(ro), "r"(e), "a"(before)
		  : "r12", "r13", "memory");
	judge(f, ro, "cmpxchg r13");
	pass("%u of 7 landed", landed);
}
