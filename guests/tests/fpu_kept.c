/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does FPU state survive hypercalls, traps and sleeping?
 * Rule:     the hypervisor keeps or switches the guest's FPU state
 *           completely; its own code leaves no trace in it.
 * Source:   checklist 50.
 * Expected: XMM0, XMM15, x87 and MXCSR unchanged after 3 kinds of entry.
 */
#include "xt.h"

static u64 pattern[4] = { 0x1122334455667788, 0x99aabbccddeeff00,
			  0xdeadbeefcafef00d, 0x0123456789abcdef };
static u64 got[4];

static void compare(const char *what)
{
	u32 csr;
	u64 st;

	__asm__ volatile("movups %%xmm0, %0; movups %%xmm15, %1; stmxcsr %2;"
			 "fld %%st; fistpll %3"
			 : "=m"(*(u64(*)[2])got), "=m"(*(u64(*)[2])(got + 2)),
			   "=m"(csr), "=m"(st));
	check(!memcmp(got, pattern, sizeof(got)), "%s: xmm %lx %lx %lx %lx",
	      what, got[0], got[1], got[2], got[3]);
	check((csr & ~0x3fU) == 0x7f80, "%s: mxcsr %x", what, csr);
	check(st == 1, "%s: st %lx", what, st);
}

void test_main(void)
{
	u32 csr = 0x7f80;
	long port = bind_virq(VIRQ_TIMER, 0);

	__asm__ volatile("fninit; fld1; movups %0, %%xmm0; movups %1, %%xmm15;"
			 "ldmxcsr %2"
			 :
			 : "m"(*(u64(*)[2])pattern),
			   "m"(*(u64(*)[2])(pattern + 2)), "m"(csr));
	compare("at once");
	for (int i = 0; i < 5000; i++)
		xen_version(XENVER_version, NULL);
	compare("hypercalls");
	for (int i = 0; i < 500; i++)
		PROBE("ud2", );
	compare("traps");
	for (int i = 0; i < 5; i++) {
		clear_event((u32)port);
		check_eq(set_singleshot(now_ns() + MS(2)), 0);
		check_eq(poll_port((u32)port, now_ns() + MS(500)), 0);
	}
	compare("sleep");
	pass("5000 hypercalls, 500 traps, 5 sleeps");
}
