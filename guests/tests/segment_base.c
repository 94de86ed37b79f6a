/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do set_segment_base and the base MSRs set FS and GS?
 * Rule:     FS, user GS and kernel GS by hypercall or WRMSR; RDMSR gives them
 *           back, in kernel mode with GS_BASE the kernel's and KERNEL_GS_BASE
 *           the user's.
 * Source:   guest-abi.md 4.7, 5.1.
 * Expected: loads through FS and GS hit the page named.
 */
#include "xt.h"

void test_main(void)
{
	u64 *page = alloc_page();
	u64 v, base = (u64)page;

	page[0] = 0xaaaa;
	page[1] = 0xbbbb;
	check_eq(set_segment_base(SEGBASE_FS, base), 0);
	__asm__ volatile("mov %%fs:0, %0" : "=r"(v));
	check_eq(v, 0xaaaa);
	check_eq(set_segment_base(SEGBASE_GS_KERNEL, base + 8), 0);
	__asm__ volatile("mov %%gs:0, %0" : "=r"(v));
	check_eq(v, 0xbbbb);
	check_eq(set_segment_base(SEGBASE_GS_USER, 0x1234000), 0);
	__asm__ volatile("mov %%gs:0, %0" : "=r"(v));
	check_eq(v, 0xbbbb);
	check_eq(probe_rdmsr(0xc0000100, &v)->vector, VEC_NONE);
	check(v == base, "FS_BASE %lx", v);
	check_eq(probe_rdmsr(0xc0000101, &v)->vector, VEC_NONE);
	check(v == base + 8, "GS_BASE %lx", v);
	check_eq(probe_rdmsr(0xc0000102, &v)->vector, VEC_NONE);
	check(v == 0x1234000, "KERNEL_GS_BASE %lx", v);
	check_eq(probe_wrmsr(0xc0000100, base + 8)->vector, VEC_NONE);
	check_eq(probe_wrmsr(0xc0000101, base)->vector, VEC_NONE);
	check_eq(probe_wrmsr(0xc0000102, 0x5678000)->vector, VEC_NONE);
	__asm__ volatile("mov %%fs:0, %0" : "=r"(v));
	check_eq(v, 0xbbbb);
	__asm__ volatile("mov %%gs:0, %0" : "=r"(v));
	check_eq(v, 0xaaaa);
	check_eq(probe_rdmsr(0xc0000102, &v)->vector, VEC_NONE);
	check_eq(v, 0x5678000);
	pass("3 bases by hypercall and by MSR");
}
