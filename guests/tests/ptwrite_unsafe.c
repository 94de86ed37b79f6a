/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is a trapped store validated like a hypercall?
 * Rule:     an entry that would map a page table writable, or a foreign
 *           frame, is not installed; the guest gets its page fault.
 * Source:   checklist 1 and 9.
 * Expected: page faults, entry unchanged, for mov, xchg, or and cmpxchg.
 */
#include "xt.h"

#define WINDOW 0x600000000000UL

static volatile u64 *e;
static u64 before;

static void unchanged(const struct fault *f, const char *what)
{
	check(f->vector == VEC_PF && (f->error & 2), "%s: vector %d error %lx",
	      what, f->vector, f->error);
	check(*e == before, "%s: entry %lx", what, *e);
}

void test_main(void)
{
	u64 hv = (current_l4()[L4_INDEX(HV_START)] & PTE_ADDR) | PTE_KERNEL;
	u64 table, bad, v;

	map_at(WINDOW, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	e = pte_of((void *)WINDOW);
	table = va_to_mfn((void *)e);
	bad = mk_pte(table, PTE_KERNEL);
	/* First a read-only mapping of the table, to be raised to RW. */
	check_eq(update_va_mapping((void *)WINDOW, mk_pte(table, PTE_RO),
				   UVMF_INVLPG),
		 0);
	before = *e;
	unchanged(probe_write(e, bad), "mov");
	unchanged(probe_write(e, hv), "foreign");
	v = bad;
	unchanged(PROBE("xchg %0, (%1)", "+r"(v) : "r"(e) : "memory"), "xchg");
	unchanged(PROBE("lock orb $2, (%0)", : "r"(e) : "memory"), "or");
	unchanged(PROBE("lock btsq $1, (%0)", : "r"(e) : "memory"), "bts");
	unchanged(PROBE("lock cmpxchg %1, (%0)",
			: "r"(e), "r"(bad), "a"(before)
			: "memory"),
		  "cmpxchg");
	unchanged(probe_write(e, PTE_ADDR | PTE_KERNEL), "wild frame");
	pass("7 stores refused");
}
