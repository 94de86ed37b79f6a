/* SPDX-License-Identifier: Apache-2.0 */
/* What a CPU does without a vCPU. */
#ifndef ARCH_IDLE_H
#define ARCH_IDLE_H

#include <hv/hold.h>

#include <arch/rendezvous.h>
#include <arch/tlb.h>

/* Returns after one interrupt; interrupts are off before and after. */
static inline void idle_until_interrupt(void)
{
	hold_end();
	__asm__ volatile("sti; hlt; cli" : : : "memory");
}

static inline void arch_serve_requests(void)
{
	tlb_serve_requests();
	rendezvous_point();
}

/* Leaves the hypervisor for the loaded vCPU. */
void exit_to_guest(void) __attribute__((noreturn));

static inline void __attribute__((noreturn)) arch_enter_guest(void)
{
	exit_to_guest();
}

#endif
