/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does an exception frame hold what the contract says?
 * Rule:     rcx, r11, error, rip, cs with RPL 0 and the saved mask in byte 4,
 *           rflags with IF = !mask, rsp, ss; pushed from rsp aligned down to
 *           16; other registers untouched.
 * Source:   guest-abi.md 4.2.
 * Expected: checked with upcalls masked and open.
 */
#include "xt.h"

static struct regs seen;
static u64 at_rsp, seen_end;

static bool hook(struct regs *r)
{
	if (r->vector != VEC_UD)
		return false;
	seen = *r;
	seen_end = (u64)(r + 1);
	r->rip += 2;
	return true;
}

static void try(u8 mask)
{
	u64 rbx = 0x1111, rcx = 0x3333, r11;

	this_cpu()->vi->evtchn_upcall_mask = mask;
	__asm__ volatile("mov $0x4444, %%r11d; mov %%rsp, %0; stc; std\n\t"
			 "ud2; cld; mov %%r11, %1"
			 : "=m"(at_rsp), "=&r"(r11), "+b"(rbx), "+c"(rcx)
			 :
			 : "r11", "memory", "cc");
	check(seen.rcx == 0x3333 && seen.r11 == 0x4444 && seen.rbx == 0x1111,
	      "registers %lx %lx %lx", seen.rcx, seen.r11, seen.rbx);
	check(rcx == 0x3333 && r11 == 0x4444 && rbx == 0x1111, "restored");
	check((seen.cs & 0xffff) == KERNEL_CS, "cs %lx", seen.cs);
	check((seen.cs >> 32 & 0xff) == mask, "mask %u cs %lx", mask, seen.cs);
	check(!!(seen.rflags & EFLAGS_IF) != mask, "mask %u flags %lx", mask,
	      seen.rflags);
	check(seen.rflags & EFLAGS_CF && seen.rflags & EFLAGS_DF, "flags %lx",
	      seen.rflags);
	check(!(seen.rflags & EFLAGS_IOPL), "flags %lx", seen.rflags);
	check((seen.ss & 0xffff) == KERNEL_SS, "ss %lx", seen.ss);
	check(seen.rsp == at_rsp, "rsp %lx not %lx", seen.rsp, at_rsp);
	check(seen_end == (at_rsp & ~15UL), "frame ends at %lx for rsp %lx",
	      seen_end, at_rsp);
	check(this_cpu()->vi->evtchn_upcall_mask == mask, "mask after iret");
}

void test_main(void)
{
	trap_hook = hook;
	try(1);
	try(0);
	pass("cs %lx flags %lx", seen.cs, seen.rflags);
}
