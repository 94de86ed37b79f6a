/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what do instructions do that the PTE emulator need not know?
 * Rule:     arithmetic, string, SSE and stack instructions on a live entry
 *           are carried out exactly, or fault in the guest with nothing
 *           written.
 * Source:   checklist 9.
 * Expected: old or new value, never another.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

static volatile u64 *e;
static u64 before;
static unsigned int landed;

static void judge(const struct fault *f, u64 want, const char *what)
{
	/* The hypervisor may add U and G of its own. */
	if (f->vector == VEC_NONE) {
		check(!((*e ^ want) & ~(PTE_US | PTE_G)), "%s: %lx, not %lx",
		      what, *e, want);
		landed++;
	} else {
		check((f->vector == VEC_PF || f->vector == VEC_GP) &&
			      *e == before,
		      "%s: vector %d entry %lx", what, f->vector, *e);
	}
	check_eq(write_entry((const u64 *)e, before), 0);
}

void test_main(void)
{
	u64 v;

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL | 0x200));
	e = pte_of((void *)WINDOW);
	before = *e;
	judge(PROBE("addq $0x400, (%0)",
		    : "r"(e)
		    : "memory", "cc"),
	      before + 0x400, "add");
	judge(PROBE("subq $0x200, (%0)",
		    : "r"(e)
		    : "memory", "cc"),
	      before - 0x200, "sub");
	judge(PROBE("lock xaddq %1, (%0)",
		    : "r"(e), "r"(0x400UL)
		    : "memory", "cc"),
	      before + 0x400, "xadd");
	judge(PROBE("incb 1(%0)",
		    : "r"(e)
		    : "memory", "cc"),
	      (before & ~0xff00UL) | ((before + 0x100) & 0xff00), "incb");
	judge(PROBE("notb 6(%0)",
		    : "r"(e)
		    : "memory"),
	      before ^ 0xffUL << 48, "notb");
	v = before ^ PTE_RW;
	judge(PROBE("cld; stosq", : "D"(e), "a"(v) : "memory"), v, "stos");
	judge(PROBE("cld; movsq", : "D"(e), "S"(&v) : "memory"), v, "movs");
	judge(PROBE("movq %1, %%xmm0; movq %%xmm0, (%0)",
		    : "r"(e), "r"(v)
		    : "memory"),
	      v, "movq");
	judge(PROBE("movnti %1, (%0)",
		    : "r"(e), "r"(v)
		    : "memory"),
	      v, "movnti");
	judge(PROBE("lock cmpxchg16b (%0)",
		    : "r"((u64)e & ~15UL), "a"(e[0]), "d"(e[1]), "b"(e[0]),
		      "c"(e[1])
		    : "memory", "cc"),
	      before, "cmpxchg16b");
	judge(PROBE("shlq $0, (%0)",
		    : "r"(e)
		    : "memory", "cc"),
	      before, "shl 0");
	pass("%u of 11 landed", landed);
}
