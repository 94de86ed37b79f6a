/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can iret to kernel code choose privileged selectors?
 * Rule:     RPL 0 in the frame still means CPL 3: the kernel resumes with
 *           e033 and e02b, or the selector faults and the guest gets the
 *           event.
 * Source:   guest-abi.md 4.6, checklist 15 and 18.
 * Expected: e033/e02b or a guest exception for hypervisor, guest and null
 *           selectors; the flat ones always work.
 */
#include "xt.h"

static u16 want;
static u64 resume;
static unsigned int faults;

static bool hook(struct regs *r)
{
	if (r->vector == VEC_UD) {
		resume = r->rip += 2;
		r->cs = r->ss = want;
		if (want == KERNEL_CS)
			r->ss = KERNEL_SS;
		return true;
	}
	check(r->vector == VEC_GP || r->vector == VEC_NP ||
		      r->vector == VEC_SS || r->vector == VEC_FAILSAFE,
	      "selector %x: vector %d", want, (int)r->vector);
	check(want != KERNEL_CS, "flat selectors faulted");
	faults++;
	r->rip = resume;
	r->cs = KERNEL_CS;
	r->ss = KERNEL_SS;
	return true;
}

void test_main(void)
{
	static const u16 selectors[] = {
		KERNEL_CS, 0xe008, 0xe010, 0x10,   0x18,
		0,         0xe028, 0xfff8, 0xe040, KERNEL_CS,
	};
	u32 cs, ss;

	trap_hook = hook;
	for (unsigned int i = 0; i < ARRAY_SIZE(selectors); i++) {
		want = selectors[i];
		__asm__ volatile("ud2; mov %%cs, %0; mov %%ss, %1"
				 : "=r"(cs), "=r"(ss)
				 :
				 : "memory");
		check(cs == USER_CS && ss == USER_SS,
		      "selector %x gave cs %x ss %x", want, cs, ss);
	}
	pass("%u selectors, %u faulted", (u32)ARRAY_SIZE(selectors), faults);
}
