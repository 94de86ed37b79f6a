/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are user page faults delivered with every register intact?
 * Rule:     fault, fix the entry, return by iret: the instruction restarts
 *           and all registers and flags are as before.
 * Source:   guest-abi.md 4.2, 4.4.
 * Expected: 64 pages written by one loop through 64 faults.
 */
#include "xt.h"

#define AREA 0x10000000UL
#define PAGES 64

USER_ASM(user_fill,
	 "mov $0x1001, %ebx\n\tmov $0x1002, %ebp\n\tmov $0x1003, %r8d\n\t"
	 "mov $0x1004, %r9d\n\tmov $0x1005, %r10d\n\tmov $0x1006, %r11d\n\t"
	 "mov $0x1007, %r12d\n\tmov $0x1008, %r15d\n\tstc\n\tstd\n"
	 "1: mov %rcx, (%rdi)\n\tlea 4096(%rdi), %rdi\n\tloop 1b\n\t"
	 "ud2");

static u64 *data[PAGES];
static u32 faults;

static bool hook(struct regs *r)
{
	u64 cr2 = this_cpu()->vi->arch.cr2;

	if (r->vector != VEC_PF || (r->cs & 3) != 3)
		return false;
	check(r->error == 6 && cr2 == AREA + faults * PAGE_SIZE,
	      "fault %u: error %lx cr2 %lx", faults, r->error, cr2);
	check(r->rbx == 0x1001 && r->r8 == 0x1003 && r->r11 == 0x1006 &&
		      r->r15 == 0x1008 && r->rcx == PAGES - faults,
	      "fault %u: registers", faults);
	check(r->rflags & EFLAGS_CF && r->rflags & EFLAGS_DF, "flags %lx",
	      r->rflags);
	check_eq(write_entry(pte_of((void *)cr2),
			     mk_pte(va_to_mfn(data[faults]),
				    PTE_P | PTE_RW | PTE_US)),
		 0);
	faults++;
	return true;
}

void test_main(void)
{
	struct regs regs;
	struct fault *f;

	setup_user();
	for (unsigned int i = 0; i < PAGES; i++) {
		data[i] = alloc_page();
		map_at(AREA + i * PAGE_SIZE, 0);
	}
	trap_hook = hook;
	regs = user_regs(user_fill);
	regs.rdi = AREA;
	regs.rcx = PAGES;
	f = enter_user(&regs);
	check(f->vector == VEC_UD && faults == PAGES, "vector %d, %u faults",
	      f->vector, faults);
	check(f->regs.rbp == 0x1002 && f->regs.r9 == 0x1004 &&
		      f->regs.r10 == 0x1005 && f->regs.r12 == 0x1007,
	      "registers");
	check(f->regs.rflags & EFLAGS_CF && f->regs.rflags & EFLAGS_DF,
	      "flags %lx", f->regs.rflags);
	for (unsigned int i = 0; i < PAGES; i++)
		check(*data[i] == PAGES - i, "page %u holds %lx", i, *data[i]);
	pass("%u faults", faults);
}
