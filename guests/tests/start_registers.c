/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are the registers at the entry point those of the contract?
 * Rule:     RSI = start_info, RSP = top of the boot stack page, CS e033,
 *           SS e02b, data segments null, other registers zero, IF set,
 *           IOPL 0, vCPU 0's upcall mask 1.
 * Source:   guest-abi.md 0.2 and 1.6, checklist 49.
 * Expected: exactly these values; nothing leaks from the builder.
 */
#include "xt.h"

void test_main(void)
{
	const struct entry_regs *r = &entry_regs;
	u64 dirty = r->rax | r->rbx | r->rcx | r->rdx | r->rdi | r->rbp |
		    r->r8 | r->r9 | r->r10 | r->r11 | r->r12 | r->r13 | r->r14 |
		    r->r15;

	check(r->rsi == (unsigned long)start_info && !(r->rsi & 4095),
	      "rsi %lx", r->rsi);
	check(!memcmp(start_info->magic, "xen-3.0-x86_64", 14), "magic");
	check(!dirty, "other registers hold bits %lx", dirty);
	check(r->rsp > VIRT_BASE && !(r->rsp & 7), "rsp %lx", r->rsp);
	check(r->cs == USER_CS && r->ss == USER_SS, "cs %x ss %x", r->cs,
	      r->ss);
	check(!(r->ds & ~3) && !(r->es & ~3) && !(r->fs & ~3) && !(r->gs & ~3),
	      "segments %x %x %x %x", r->ds, r->es, r->fs, r->gs);
	check((r->rflags & ~0x8d5UL) == (EFLAGS_IF | 2), "rflags %lx",
	      r->rflags);
	check(shared_info->vcpu_info[0].evtchn_upcall_mask == 1, "mask open");
	pass("rsi %lx rsp %lx cs %x ss %x rflags %lx", r->rsi, r->rsp, r->cs,
	     r->ss, r->rflags);
}
