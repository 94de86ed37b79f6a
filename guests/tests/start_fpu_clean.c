/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is the FPU of a new vCPU in its reset state?
 * Rule:     no x87, SSE or control state of the hypervisor or of another
 *           domain is visible; FCW 37f, MXCSR 1f80.
 * Source:   checklist 49 and 50.
 * Expected: XMM0-15 zero, x87 stack empty.
 */
#include "xt.h"

void test_main(void)
{
	static struct {
		u16 fcw, fsw;
		u8 ftw, pad;
		u16 fop;
		u64 fip, fdp;
		u32 mxcsr, mxcsr_mask;
		u64 st[8][2];
		u64 xmm[16][2];
		u64 rest[12];
	} area __attribute__((aligned(64)));

	_Static_assert(sizeof(area) == 512, "fxsave area");
	__asm__ volatile("fxsave64 %0" : "=m"(area));
	check(area.fcw == 0x37f && !area.fsw && !area.ftw,
	      "fcw %x fsw %x ftw %x", area.fcw, area.fsw, area.ftw);
	check(area.mxcsr == 0x1f80, "mxcsr %x", area.mxcsr);
	for (unsigned int i = 0; i < 16; i++)
		check(!area.xmm[i][0] && !area.xmm[i][1], "xmm%u %lx %lx", i,
		      area.xmm[i][0], area.xmm[i][1]);
	for (unsigned int i = 0; i < 8; i++)
		check(!area.st[i][0] && !(area.st[i][1] & 0xffff), "st%u %lx",
		      i, area.st[i][0]);
	pass("fcw %x mxcsr %x", area.fcw, area.mxcsr);
}
