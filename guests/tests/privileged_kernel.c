/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: which privileged instructions does the kernel get emulated?
 * Rule:     CLI, STI (with IOPL asked for), CLTS, reads and writes of control
 *           and debug registers, INVLPG and WBINVD are emulated, ignored or
 *           #GP; LGDT and friends #GP; none has an effect on the machine.
 * Source:   guest-abi.md 5.
 * Expected: CLI, STI and CR reads work; the table-register loads #GP.
 */
#include "xt.h"

static u64 table[2] __attribute__((aligned(16)));

void test_main(void)
{
	struct physdev_set_iopl iopl = { .iopl = 1 };
	u64 cr0 = 0, cr3 = 0, cr4 = 0;
	int vectors[4];

	check_eq(physdev_op(PHYSDEVOP_set_iopl, &iopl), 0);
	check_eq(PROBE("cli", )->vector, VEC_NONE);
	check_eq(PROBE("sti", )->vector, VEC_NONE);
	check_eq(PROBE("clts", )->vector, VEC_NONE);
	check_eq(PROBE("mov %%cr0, %0", "=r"(cr0))->vector, VEC_NONE);
	check((cr0 & 0x80000001) == 0x80000001, "cr0 %lx", cr0);
	check_eq(PROBE("mov %%cr3, %0", "=r"(cr3))->vector, VEC_NONE);
	check(cr3 >> 12 == va_to_mfn(current_l4()), "cr3 %lx", cr3);
	check_eq(PROBE("mov %%cr4, %0", "=r"(cr4))->vector, VEC_NONE);
	check(cr4 & 0x20, "cr4 %lx", cr4);
	check_eq(PROBE("mov %0, %%cr4", : "r"(cr4))->vector, VEC_NONE);
	check_eq(PROBE("mov %0, %%cr0", : "r"(cr0))->vector, VEC_NONE);
	check_eq(PROBE("lgdt %0", : "m"(table))->vector, VEC_GP);
	check_eq(PROBE("lidt %0", : "m"(table))->vector, VEC_GP);
	check_eq(PROBE("ltr %w0", : "r"(0x40))->vector, VEC_GP);
	check_eq(PROBE("lldt %w0", : "r"(0))->vector, VEC_GP);
	check_eq(PROBE("mov %0, %%cr8", : "r"(0UL))->vector, VEC_GP);
	check_eq(PROBE("swapgs", )->vector, VEC_GP);
	check_eq(PROBE("sysretq", )->vector, VEC_GP);
	vectors[0] = PROBE("wbinvd", )->vector;
	vectors[1] = PROBE("invlpg %0", : "m"(table))->vector;
	vectors[2] = PROBE("rdpmc", : "c"(0) : "rax", "rdx")->vector;
	vectors[3] = PROBE("invd", )->vector;
	for (unsigned int i = 0; i < 4; i++)
		check(vectors[i] == VEC_NONE || vectors[i] == VEC_GP ||
			      vectors[i] == VEC_UD,
		      "case %u: vector %d", i, vectors[i]);
	pass("cr0 %lx cr4 %lx, wbinvd %d invlpg %d rdpmc %d invd %d", cr0, cr4,
	     vectors[0], vectors[1], vectors[2], vectors[3]);
}
