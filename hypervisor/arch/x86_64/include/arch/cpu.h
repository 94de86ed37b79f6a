/* SPDX-License-Identifier: Apache-2.0 */
/* This CPU and the others. */
#ifndef ARCH_CPU_H
#define ARCH_CPU_H

#include <hv/types.h>

#include <arch/layout.h>

#define MAX_CPUS 64

struct vcpu;

/* Work that the way out to a guest must do first (struct cpu.work). */
#define CPU_WORK_RESCHED 1U  /* call the scheduler */
#define CPU_WORK_FLUSH 2U    /* serve TLB flush requests */
#define CPU_WORK_DEFERRED 4U /* run what work_queue left */
#define CPU_WORK_STOP 8U     /* wait at the rendezvous */
#define CPU_WORK_NMI 16U     /* tell of NMIs that came */

/* Per-CPU data, at GS base while in the hypervisor. Fields used by entry.S
 * come first; asm_offsets.c lists them. Owner CPU only, except work, which
 * others set atomically before sending an interrupt. */
struct cpu {
	struct cpu *self;
	struct vcpu *vcpu; /* loaded vCPU, NULL while idle */
	u64 stack_top;
	u64 regs_end; /* end of vcpu->arch.regs, as TSS.RSP0 */
	u64 scratch;  /* guest RSP during SYSCALL entry */
	u32 work;
	u32 id;
	u32 apic_id;
	u32 online;
	u64 entries; /* from guests into the hypervisor */
	u64 cr3_loads;
	u64 copied_bytes; /* guest_copy_in/out */
	/* hv/hold.h, in LATENCY=1 builds: when the entry began, scratch */
	u64 hold_start, hold_rax, hold_rdx;
	u32 hold_kind;
	struct vcpu *fpu_owner; /* whose FPU state the registers hold */
	struct tss *tss;
	struct desc_page *desc; /* hypervisor's page of the GDT, per CPU */
	u64 desc_mfn;
	u32 ldt_loaded;  /* LDTR is not null */
	u64 cr3;         /* loaded value */
	u64 tlb_flushed; /* tlb_clock at the last full flush */
	u32 flush_all;   /* mailbox: full flush asked */
	u64 gdt_vcpu;    /* descriptor window loaded; ~0: own table */
};

extern struct cpu *cpus[MAX_CPUS];
extern unsigned int cpu_count; /* online after boot */

static inline struct cpu *this_cpu(void)
{
	struct cpu *c;

	__asm__("movq %%gs:0, %0" : "=r"(c));
	return c;
}

static inline unsigned int cpu_id(void)
{
	u32 id;

	__asm__ volatile("movl %%gs:%c1, %0"
			 : "=r"(id)
			 : "i"(offsetof(struct cpu, id)));
	return id;
}

static inline void cpu_relax(void)
{
	__asm__ volatile("pause" ::: "memory");
}

/* Makes cpu look at its work soon: sets the bits and interrupts it unless it
 * is this one. */
void cpu_kick(unsigned int cpu, u32 work);

#endif
