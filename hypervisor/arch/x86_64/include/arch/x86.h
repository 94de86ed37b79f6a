/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions and register numbers of the machine; for arch/x86_64 only. */
#ifndef ARCH_X86_H
#define ARCH_X86_H

#include <hv/types.h>

#define MSR_APIC_BASE 0x1b
#define MSR_SYSENTER_CS 0x174
#define MSR_SYSENTER_ESP 0x175
#define MSR_SYSENTER_EIP 0x176
#define MSR_PAT 0x277
#define MSR_EFER 0xc0000080
#define MSR_STAR 0xc0000081
#define MSR_LSTAR 0xc0000082
#define MSR_CSTAR 0xc0000083
#define MSR_FMASK 0xc0000084
#define MSR_FS_BASE 0xc0000100
#define MSR_GS_BASE 0xc0000101
#define MSR_KERNEL_GS_BASE 0xc0000102

#define CR0_TS 0x8UL
#define CR0_NE 0x20UL
#define CR0_WP 0x10000UL
#define CR4_PAE 0x20UL
#define CR4_MCE 0x40UL
#define CR4_DE 0x8UL
#define CR4_OSFXSR 0x200UL
#define CR4_OSXMMEXCPT 0x400UL
#define CR4_OSXSAVE 0x40000UL
#define CR4_SMEP 0x100000UL

/* Selectors of the hypervisor's page of the GDT (ABI: arch-x86/xen-x86_64.h) */
#define SEL_HV_CS 0xe008
#define SEL_HV_DS 0xe010
#define SEL_FLAT_CS32 0xe023
#define SEL_FLAT_SS 0xe02b
#define SEL_FLAT_CS64 0xe033
#define SEL_TSS 0xe040
#define SEL_LDT 0xe050

/* Page-fault error code */
#define PF_PRESENT 1U
#define PF_WRITE 2U
#define PF_USER 4U
#define PF_RESERVED 8U
#define PF_FETCH 16U

#define DR6_SINGLE_STEP 0x4000UL

#define VEC_DB 1
#define VEC_NMI 2
#define VEC_BP 3
#define VEC_OF 4
#define VEC_UD 6
#define VEC_NM 7
#define VEC_DF 8
#define VEC_GP 13
#define VEC_PF 14
#define VEC_MC 18
#define VEC_INT80 0x80
#define VEC_SERIAL 0x30
#define VEC_TIMER 0xf0
#define VEC_KICK 0xf1
#define VEC_APIC_ERROR 0xfe
#define VEC_SPURIOUS 0xff
/* Pseudo-vectors of entry.S */
#define VEC_SYSCALL 0x100
#define VEC_SYSCALL32 0x101
#define VEC_SYSENTER 0x102

static inline u64 rdmsr(u32 msr)
{
	u32 lo, hi;

	__asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr));
	return (u64)hi << 32 | lo;
}

static inline void wrmsr(u32 msr, u64 v)
{
	__asm__ volatile("wrmsr"
			 :
			 : "c"(msr), "a"((u32)v), "d"((u32)(v >> 32))
			 : "memory");
}

static inline void cpuid(u32 leaf, u32 sub, u32 *a, u32 *b, u32 *c, u32 *d)
{
	__asm__ volatile("cpuid"
			 : "=a"(*a), "=b"(*b), "=c"(*c), "=d"(*d)
			 : "a"(leaf), "c"(sub));
}

static inline u64 rdtsc(void)
{
	u32 lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (u64)hi << 32 | lo;
}

static inline u64 read_cr0(void)
{
	u64 v;

	__asm__ volatile("movq %%cr0, %0" : "=r"(v));
	return v;
}

static inline void write_cr0(u64 v)
{
	__asm__ volatile("movq %0, %%cr0" : : "r"(v) : "memory");
}

static inline u64 read_cr2(void)
{
	u64 v;

	__asm__ volatile("movq %%cr2, %0" : "=r"(v));
	return v;
}

static inline u64 read_cr3(void)
{
	u64 v;

	__asm__ volatile("movq %%cr3, %0" : "=r"(v));
	return v;
}

static inline void write_cr3(u64 v)
{
	__asm__ volatile("movq %0, %%cr3" : : "r"(v) : "memory");
}

static inline u64 read_cr4(void)
{
	u64 v;

	__asm__ volatile("movq %%cr4, %0" : "=r"(v));
	return v;
}

static inline void write_cr4(u64 v)
{
	__asm__ volatile("movq %0, %%cr4" : : "r"(v) : "memory");
}

static inline void invlpg(u64 va)
{
	__asm__ volatile("invlpg (%0)" : : "r"(va) : "memory");
}

static inline void xsetbv(u64 v)
{
	__asm__ volatile("xsetbv" : : "c"(0), "a"((u32)v), "d"((u32)(v >> 32)));
}

static inline void outb(u16 port, u8 v)
{
	__asm__ volatile("outb %0, %1" : : "a"(v), "Nd"(port));
}

static inline void outw(u16 port, u16 v)
{
	__asm__ volatile("outw %0, %1" : : "a"(v), "Nd"(port));
}

static inline void outl(u16 port, u32 v)
{
	__asm__ volatile("outl %0, %1" : : "a"(v), "Nd"(port));
}

static inline u8 inb(u16 port)
{
	u8 v;

	__asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

static inline u32 inl(u16 port)
{
	u32 v;

	__asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

static inline u16 inw(u16 port)
{
	u16 v;

	__asm__ volatile("inw %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

#endif
