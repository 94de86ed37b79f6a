/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is everything as it was when NMIs hit at any instruction?
 * Rule:     an NMI interrupts the hypervisor before and after SWAPGS, on the
 *           guest's stack pointer and while a selector load has replaced its
 *           own GS base; neither side may notice.
 * Source:   guest-abi.md 4.2 and 4.7.
 * Expected: GS bases, selectors, registers and results right for 8 seconds.
 *
 * test: nmi=4000 time=240
 */
#include "xt.h"

#define MAGIC_RBX 0x1122334455667788UL

USER_ASM(user_selector, "mov %gs:0, %rax\n\tmov %edi, %gs\n\tsyscall");
USER_ASM(user_fault, "mov %gs:0, %rax\n\tmov %edi, %gs\n\tmov 0, %ecx");

static void check_kernel(const char *what)
{
	u64 v;

	__asm__ volatile("mov %%gs:0, %0" : "=r"(v));
	check(v == 0x4242, "after %s the kernel's GS reads %lx", what, v);
}

static void load_selectors(void)
{
	static const u64 selectors[] = { USER_SS, 0, 0xfffb, USER_SS, 3 };

	for (unsigned int i = 0; i < ARRAY_SIZE(selectors); i++) {
		set_segment_base(SEGBASE_GS_USER_SEL, selectors[i]);
		check_kernel("a selector load");
	}
}

/* One way out and back with this selector loaded by user code. */
static void visit_user(const u8 *label, int vector, u32 selector)
{
	struct regs regs = user_regs(label);
	struct fault *f;
	u32 gs;

	check_eq(set_segment_base(SEGBASE_GS_USER, USER_DATA), 0);
	regs.rdi = selector;
	regs.rbx = MAGIC_RBX;
	f = enter_user(&regs);
	__asm__ volatile("mov %%gs, %0" : "=r"(gs));
	check(f->vector == vector, "vector %d, not %d", f->vector, vector);
	check(f->regs.rax == 0x22, "user GS reads %lx", f->regs.rax);
	check(f->regs.rbx == MAGIC_RBX && f->regs.rdi == selector,
	      "rbx %lx rdi %lx", f->regs.rbx, f->regs.rdi);
	check((gs & 0xffff) == selector, "selector %x, not %x", gs, selector);
	check_kernel("user mode");
}

static void visits(void)
{
	visit_user(user_selector, VEC_SYSCALL, USER_SS);
	visit_user(user_fault, VEC_PF, USER_SS);
	set_segment_base(SEGBASE_GS_USER_SEL, 0);
	visit_user(user_selector, VEC_SYSCALL, 0);
	visit_user(user_fault, VEC_PF, 0);
}

/* Each by itself: a stretch of few instructions is hit if it's all there is. */
static u32 repeat(void (*fn)(void), const char *name, u64 ns)
{
	u64 end = now_ns() + ns;
	u32 rounds = 0;

	for (; now_ns() < end; rounds++) {
		fn();
		check_refused(xen_version(77, NULL));
		if (rounds % 256 == 0)
			print("%s %u\n", name, rounds);
	}
	return rounds;
}

void test_main(void)
{
	u64 *page = alloc_page();
	u32 loads, trips;

	setup_user();
	/* What the hypervisor finds if it takes this for its own. */
	memset(page, 0xee, PAGE_SIZE);
	memset(user_data, 0xee, PAGE_SIZE);
	page[0] = 0x4242;
	*(u64 *)user_data = 0x22;
	check_eq(set_segment_base(SEGBASE_GS_KERNEL, (u64)page), 0);
	ready("for NMIs");
	loads = repeat(load_selectors, "loads", MS(4000));
	trips = repeat(visits, "visits", MS(4000));
	pass("%u rounds of loads, %u of visits", loads, trips);
}
