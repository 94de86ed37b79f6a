/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does SYSENTER in 32-bit user code reach its own callback?
 * Rule:     CALLBACKTYPE_sysenter gets it with user selectors and the flags
 *           kept, RIP and RSP being lost, events masked as asked; without a
 *           callback it is #GP.
 * Source:   xen/callback.h, guest-abi.md 4.2.
 * Expected: callback 0x104 twice, with all registers; #GP before it was
 *           registered.
 *
 * test: cpu=Haswell-noTSX
 */
#include "xt.h"

USER_ASM(user_code32, ".code32\n\tsysenter\n\tud2\n\t.code64");

static struct fault *call(struct regs *regs)
{
	*regs = user_regs(user_code32);
	regs->cs = 0xe023;
	regs->rax = 20;
	regs->rbx = 0x11111111;
	regs->rdx = 0x22222222;
	regs->rsi = 0x33333333;
	regs->rdi = 0x44444444;
	regs->rbp = 0x55555555;
	regs->rflags |= EFLAGS_CF | EFLAGS_ZF;
	return enter_user(regs);
}

static void check_none(void)
{
	struct regs regs;
	struct fault *f = call(&regs);

	check(f->vector == VEC_GP && !f->rip, "no callback: vector %d rip %lx",
	      f->vector, f->rip);
}

static void check_call(bool masked)
{
	struct regs regs;
	struct fault *f;

	check_eq(register_callback(CALLBACKTYPE_sysenter,
				   masked ? CALLBACKF_mask_events : 0,
				   sysenter_entry),
		 0);
	events_on();
	f = call(&regs);
	check(this_cpu()->vi->evtchn_upcall_mask == masked,
	      "event mask %u, asked %u", this_cpu()->vi->evtchn_upcall_mask,
	      masked);
	events_off();
	check(f->vector == VEC_SYSENTER, "vector %d", f->vector);
	check((f->regs.cs & 0xffff) == 3 && f->regs.ss == USER_SS,
	      "cs %lx ss %lx", f->regs.cs, f->regs.ss);
	check((f->regs.rflags & (EFLAGS_CF | EFLAGS_ZF | EFLAGS_IF)) ==
		      (EFLAGS_CF | EFLAGS_ZF | EFLAGS_IF),
	      "flags %lx", f->regs.rflags);
	check(f->regs.rax == 20 && f->regs.rbx == regs.rbx &&
		      f->regs.rdx == regs.rdx && f->regs.rsi == regs.rsi &&
		      f->regs.rdi == regs.rdi && f->regs.rbp == regs.rbp,
	      "registers lost");
}

void test_main(void)
{
	struct cpuid id;

	__asm__ volatile("cpuid"
			 : "=a"(id.eax), "=b"(id.ebx), "=c"(id.ecx),
			   "=d"(id.edx)
			 : "0"(0));
	if (id.ebx != 0x756e6547)
		skip("only Intel has SYSENTER in 32-bit code");
	setup_user();
	check_none();
	check_call(false);
	check_call(true);
	pass("delivered and refused");
}
