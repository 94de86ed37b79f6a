/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a kernel page fault arrive with the right code and CR2?
 * Rule:     error code as hardware but with U meaning guest user, so clear
 *           here; vcpu_info.arch.cr2 holds the address; RIP is the
 *           instruction's own.
 * Source:   guest-abi.md 4.4, 4.2.
 * Expected: read 0, write 2, protection write 3, fetch 0x10 without P.
 */
#include "xt.h"

void test_main(void)
{
	static const char fixed[4096] __attribute__((aligned(4096))) = "r";
	u64 hole = 0x700000000000;
	struct fault *f;

	f = probe_read((void *)hole, NULL);
	check(f->vector == VEC_PF && f->error == 0 && f->cr2 == hole,
	      "read: vector %d error %lx cr2 %lx", f->vector, f->error, f->cr2);
	f = probe_write((void *)(hole + 8), 1);
	check(f->vector == VEC_PF && f->error == 2 && f->cr2 == hole + 8,
	      "write: vector %d error %lx cr2 %lx", f->vector, f->error,
	      f->cr2);
	check_eq(map_ro(fixed), 0);
	f = probe_write((void *)fixed, 1);
	check(f->vector == VEC_PF && f->error == 3 &&
		      f->cr2 == (unsigned long)fixed,
	      "protection: vector %d error %lx cr2 %lx", f->vector, f->error,
	      f->cr2);
	check((f->regs.cs & 0xffff) == KERNEL_CS &&
		      (f->regs.ss & 0xffff) == KERNEL_SS,
	      "cs %lx ss %lx", f->regs.cs, f->regs.ss);
	f = run_guarded((void (*)(void *))hole, NULL);
	check(f->vector == VEC_PF && (f->error & ~0x10UL) == 0 &&
		      f->cr2 == hole && f->rip == hole,
	      "fetch: vector %d error %lx cr2 %lx", f->vector, f->error,
	      f->cr2);
	pass("errors 0, 2, 3 and %lx", f->error);
}
