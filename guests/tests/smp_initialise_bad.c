/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is a bad context for a new vCPU refused?
 * Rule:     a frame that is no L4, hypervisor addresses, wild GDT frames and
 *           bad pointers fail; the vCPU stays uninitialised and a good
 *           context works later.
 * Source:   checklist 13, 17, 53; guest-abi.md 9.
 * Expected: refused, then vCPU 1 starts at CPL 3 whatever selectors it named.
 *
 * test: vcpus=2
 */
#include "xt.h"

static volatile u32 second_cs, second_flags;

static void second(void)
{
	u32 cs;
	u64 flags;

	__asm__ volatile("mov %%cs, %0; pushf; pop %1" : "=r"(cs), "=r"(flags));
	second_flags = (u32)flags;
	second_cs = cs;
}

void test_main(void)
{
	struct vcpu_guest_context *c;
	u64 hv = current_l4()[L4_INDEX(HV_START)] & PTE_ADDR;

	check_eq(vcpu_op(VCPUOP_initialise, 1, (void *)HV_START), -XEN_EFAULT);
	check_eq(vcpu_op(VCPUOP_initialise, 1, (void *)NONCANONICAL),
		 -XEN_EFAULT);
	c = vcpu_context(1, second);
	c->ctrlreg[3] = va_to_maddr(alloc_page()) & PAGE_MASK;
	check_refused(vcpu_op(VCPUOP_initialise, 1, c));
	c->ctrlreg[3] = hv;
	check_refused(vcpu_op(VCPUOP_initialise, 1, c));
	c->ctrlreg[3] = ~4095UL;
	check_refused(vcpu_op(VCPUOP_initialise, 1, c));
	c = vcpu_context(1, second);
	c->gdt_ents = 512;
	c->gdt_frames[0] = hv >> 12;
	check_refused(vcpu_op(VCPUOP_initialise, 1, c));
	check_refused(vcpu_op(VCPUOP_up, 1, NULL));
	check_eq(init_vcpu(1, second), 0);
	check_eq(vcpu_op(VCPUOP_up, 1, NULL), 0);
	check(spin_until(second_cs, MS(5000)), "vCPU 1 did not run");
	check((second_cs & 3) == 3, "cs %x", second_cs);
	check(!(second_flags & EFLAGS_IOPL) && second_flags & EFLAGS_IF,
	      "flags %x", second_flags);
	pass("cs %x flags %x", second_cs, second_flags);
}
