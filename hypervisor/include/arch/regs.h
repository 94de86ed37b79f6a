/* SPDX-License-Identifier: Apache-2.0 */
/* A guest's general registers as the entry code leaves them: the hardware
 * pushes the last five (and error_code for some exceptions) straight into
 * struct vcpu. */
#ifndef ARCH_REGS_H
#define ARCH_REGS_H

#include <hv/types.h>

struct guest_regs {
	u64 r15, r14, r13, r12, rbp, rbx;
	u64 r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
	u32 error_code, vector;
	u64 rip, cs, rflags, rsp, ss;
};

#define X86_EFLAGS_CF 0x1UL
#define X86_EFLAGS_PF 0x4UL
#define X86_EFLAGS_AF 0x10UL
#define X86_EFLAGS_ZF 0x40UL
#define X86_EFLAGS_SF 0x80UL
#define X86_EFLAGS_TF 0x100UL
#define X86_EFLAGS_IF 0x200UL
#define X86_EFLAGS_DF 0x400UL
#define X86_EFLAGS_OF 0x800UL
#define X86_EFLAGS_IOPL 0x3000UL
#define X86_EFLAGS_NT 0x4000UL
#define X86_EFLAGS_RF 0x10000UL
#define X86_EFLAGS_VM 0x20000UL
#define X86_EFLAGS_AC 0x40000UL

#endif
