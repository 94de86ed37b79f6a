/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trap.h - exceptions taken on purpose, and running code as guest user.
 */
#ifndef XT_TRAP_H
#define XT_TRAP_H

enum {
	VEC_DE = 0,
	VEC_DB = 1,
	VEC_NMI = 2,
	VEC_BP = 3,
	VEC_OF = 4,
	VEC_UD = 6,
	VEC_NM = 7,
	VEC_DF = 8,
	VEC_TS = 10,
	VEC_NP = 11,
	VEC_SS = 12,
	VEC_GP = 13,
	VEC_PF = 14,
	VEC_MF = 16,
	VEC_AC = 17,
	VEC_XM = 19,
	/* Not exceptions: the four callbacks of a PV guest. */
	VEC_EVENT = 0x100,
	VEC_SYSCALL,
	VEC_FAILSAFE,
	VEC_SYSCALL32,
	VEC_SYSENTER,
	VEC_NONE = -1,
};

#define EFLAGS_CF 0x0001UL
#define EFLAGS_PF 0x0004UL
#define EFLAGS_ZF 0x0040UL
#define EFLAGS_TF 0x0100UL
#define EFLAGS_IF 0x0200UL
#define EFLAGS_DF 0x0400UL
#define EFLAGS_IOPL 0x3000UL
#define EFLAGS_NT 0x4000UL
#define EFLAGS_AC 0x40000UL

/* What a stub saves; the last five are the hypervisor's frame as it was. */
struct regs {
	u64 r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8;
	u64 rax, rcx, rdx, rsi, rdi;
	u64 vector, error;
	u64 rip, cs, rflags, rsp, ss;
};

struct fault {
	int vector; /* VEC_NONE: no fault */
	u64 error, rip, cr2;
	struct regs regs;
};

/* Lives at the low end of each vCPU's 32 KiB aligned kernel stack. */
#define STACK_SIZE 0x8000UL
struct cpu {
	unsigned int id;
	struct vcpu_info *vi;
	u64 guard_sp; /* run_guarded(): unwinding target or 0 */
	u64 user_sp;  /* enter_user(): unwinding target or 0 */
	struct fault fault;
	u64 failsafe_sels[4]; /* ds, es, fs, gs of the last failsafe frame */
	volatile u64 upcalls;
};

static inline struct cpu *this_cpu(void)
{
	unsigned long sp;

	__asm__("mov %%rsp, %0" : "=r"(sp));
	return (struct cpu *)(sp & ~(STACK_SIZE - 1));
}

/*
 * PROBE("insn" [, outputs [: inputs [: clobbers]]]) runs the instruction and
 * gives the fault it took; execution goes on after it in any case.
 */
#define EX_ENTRY(from, to)                                                     \
	".pushsection .ex_table, \"a\"\n\t"                                    \
	".quad " from ", " to "\n\t"                                           \
	".popsection\n"

#define PROBE(insn, ...)                                                       \
	({                                                                     \
		struct cpu *cpu_ = this_cpu();                                 \
		cpu_->fault.vector = VEC_NONE;                                 \
		barrier();                                                     \
		__asm__ volatile("771: " insn                                  \
				 "\n772:\n" EX_ENTRY("771b", "772b")           \
				 : __VA_ARGS__);                               \
		barrier();                                                     \
		&cpu_->fault;                                                  \
	})

/* Runs fn(arg); gives the fault that ended it, VEC_NONE if it returned. */
struct fault *run_guarded(void (*fn)(void *arg), void *arg);

/* One read or write of 8 bytes that may fault. */
struct fault *probe_read(const volatile void *va, u64 *value);
struct fault *probe_write(volatile void *va, u64 value);

/*
 * A test may look at every trap first: true means "handled, resume at
 * regs".  Called on the vCPU that took it.
 */
extern bool (*trap_hook)(struct regs *regs);

/* Re-registers the library's own trap table and callbacks on this vCPU. */
void install_traps(void);
extern const u8 trap_stubs[]; /* 256 stubs of 16 bytes */
extern const u8 event_entry[], failsafe_entry[], syscall_entry[];
extern const u8 syscall32_entry[], sysenter_entry[];

static inline const void *trap_stub(unsigned int vector)
{
	return trap_stubs + 16 * vector;
}

/* One entry for set_trap_table(); flags: DPL 0-3, 4 masks events. */
struct trap_info trap_gate(unsigned int vector, unsigned int flags);
/* All 256 vectors to the library's stubs with these flags. */
void set_all_gates(unsigned int flags);

long register_callback(unsigned int type, unsigned int flags, const void *fn);

/* Flat ring-3 selectors that every PV guest has; RPL 3 means guest user. */
#define KERNEL_CS 0xe030
#define KERNEL_SS 0xe02b
#define USER_CS 0xe033
#define USER_SS 0xe02b

/* User space: code of section .user, one stack page and one data page. */
#define USER_CODE 0x400000UL
#define USER_STACK 0x500000UL
#define USER_DATA 0x501000UL
extern const u8 user_text_start[], user_text_end[];
extern u8 *user_data; /* the data page in the linear map */

/* Builds user space and makes it the vCPU's user table; once per test. */
void setup_user(void);
extern u64 *user_l4;

/* User VA of a label inside a USER_ASM block. */
#define USER_VA(label)                                                         \
	(USER_CODE + ((unsigned long)(label) - (unsigned long)user_text_start))
#define USER_ASM(name, text)                                                   \
	__asm__(".pushsection .user.text, \"ax\"\n\t"                          \
		".globl " #name "\n" #name ":\n" text "\n"                     \
		".popsection\n");                                              \
	extern const u8 name[]

/* Registers for a first entry to user space at this label. */
struct regs user_regs(const u8 *label);
/*
 * Enters guest user space by the iret hypercall and returns when an
 * exception or system call comes back; events only come in between.
 */
struct fault *enter_user(const struct regs *regs);
struct fault *run_user(const u8 *label);
/* The flags word of every iret frame, 0 unless a test sets VGCF bits. */
extern u64 iret_vgcf;
/* The iret hypercall to this frame with no return path of its own. */
__attribute__((noreturn)) void iret_to(const struct regs *regs);

#endif /* XT_TRAP_H */
