/* SPDX-License-Identifier: Apache-2.0 */
/*
 * user.c - a user address space and the way into it.
 *
 * One L3 with code, stack and data of user space hangs in slot 0 of the
 * user L4 and of the kernel L4, as with any PV kernel; the user L4 maps
 * nothing of the kernel.
 */
#include "xt.h"

void enter_user_asm(const struct regs *regs, struct cpu *cpu);

u64 *user_l4;
u8 *user_data;

void setup_user(void)
{
	unsigned long pages = (user_text_end - user_text_start) / PAGE_SIZE;
	u64 *l4 = alloc_page();

	for (unsigned long i = 0; i < pages; i++)
		map_at(USER_CODE + i * PAGE_SIZE,
		       mk_pte(va_to_mfn(user_text_start + i * PAGE_SIZE),
			      PTE_RO));
	user_data = alloc_page();
	map_at(USER_STACK, mk_pte(va_to_mfn(alloc_page()), PTE_KERNEL));
	map_at(USER_DATA, mk_pte(va_to_mfn(user_data), PTE_KERNEL));

	l4[0] = READ_ONCE(*entry_of((void *)USER_CODE, 4));
	seal(l4);
	check_eq(mmuext(MMUEXT_PIN_L4_TABLE, va_to_mfn(l4)), 0);
	check_eq(mmuext(MMUEXT_NEW_USER_BASEPTR, va_to_mfn(l4)), 0);
	user_l4 = l4;
}

struct regs user_regs(const u8 *label)
{
	return (struct regs){
		.rip = USER_VA(label),
		.cs = USER_CS,
		.ss = USER_SS,
		.rsp = USER_STACK + PAGE_SIZE,
		.rflags = EFLAGS_IF | 2,
	};
}

struct fault *enter_user(const struct regs *regs)
{
	struct cpu *cpu = this_cpu();

	cpu->fault.vector = VEC_NONE;
	enter_user_asm(regs, cpu);
	return &cpu->fault;
}

struct fault *run_user(const u8 *label)
{
	struct regs regs = user_regs(label);

	return enter_user(&regs);
}
