/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a frame from user space be pushed across the hypervisor's end?
 * Rule:     system calls and page faults push up to 64 bytes below a stack
 *           pointer that was checked when it was set, so one that is nearer
 *           to the hypervisor is no kernel stack; the next one is.
 * Source:   guest-abi.md 4.2, checklist 18 and 23, XSA-183.
 * Expected: pointers at the edges refused; frames above the end as usual.
 *
 * test: vcpus=2
 */
#include "xt.h"

USER_ASM(user_call, "mov $0x77, %ebx\n\tsyscall");
USER_ASM(user_fault, "mov $0x77, %ebx\n\tmov 8, %eax");

static u64 frame_end;
static const u8 *label;
static u32 seen;

static void go(void)
{
	struct regs regs = user_regs(label);

	iret_to(&regs);
}

static bool hook(struct regs *r)
{
	if ((r->cs & 3) != 3)
		return false;
	check(r->rbx == 0x77 && (u64)(r + 1) == frame_end,
	      "vector %d, frame ends at %lx", (int)r->vector, (u64)(r + 1));
	if (seen++)
		pass("frames of a system call and a fault above the end");
	label = user_fault;
	go();
	return true;
}

static void idle(void)
{
}

void test_main(void)
{
	static const u64 bad[] = {
		HV_END,
		HV_END + 8,
		HV_END + 48,
		HV_END + 56,
		HV_START,
		HV_START + 64,
		HV_END - 16,
		HV_START - 16,
		0x800000000000UL,
		HV_END + 63,
		0x7fffffffffff0000UL,
	};
	struct cpu *me = this_cpu();
	struct cpu *copy;

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		struct vcpu_guest_context *ctx = vcpu_context(1, idle);

		check_refused(stack_switch(USER_SS, bad[i]));
		ctx->kernel_sp = bad[i];
		check_refused(vcpu_op(VCPUOP_initialise, 1, ctx));
	}
	/* A stack of the library whose low end is the hypervisor's. */
	for (u64 va = HV_END; va < HV_END + STACK_SIZE; va += PAGE_SIZE)
		map_at(va, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	copy = (struct cpu *)HV_END;
	*copy = *me;
	setup_user();
	trap_hook = hook;
	frame_end = HV_END + STACK_SIZE;
	label = user_call;
	check_eq(stack_switch(USER_SS, HV_END + 64), 0);
	check_eq(stack_switch(USER_SS, frame_end), 0);
	go();
}
