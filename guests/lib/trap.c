/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trap.c - where every exception and callback of a test guest ends up.
 *
 * Order of claims: the test's hook, a return from user space, a PROBE()
 * that expects a fault here, run_guarded().  Anything else fails the test.
 */
#include "offsets.h"
#include "xt.h"

_Static_assert(offsetof(struct cpu, guard_sp) == CPU_GUARD_SP, "guard_sp");
_Static_assert(offsetof(struct cpu, user_sp) == CPU_USER_SP, "user_sp");
_Static_assert(offsetof(struct regs, vector) == REGS_VECTOR, "vector");
_Static_assert(STACK_SIZE == STACK_BYTES, "stack size");
_Static_assert(__HYPERVISOR_iret == HYPERCALL_IRET, "iret");
_Static_assert(sizeof(struct regs) == 22 * 8, "regs");

void trap_handler(struct regs *regs);
void run_guarded_asm(void (*fn)(void *), void *arg, struct cpu *cpu);
__attribute__((noreturn)) void unwind(u64 sp);

struct ex_entry {
	u64 from, to;
};
extern const struct ex_entry ex_table_start[], ex_table_end[];

u64 failsafe_sels[4];
u64 iret_vgcf;
bool (*trap_hook)(struct regs *regs);

static void record(struct cpu *cpu, const struct regs *regs)
{
	cpu->fault.vector = (int)regs->vector;
	cpu->fault.error = regs->error;
	cpu->fault.rip = regs->rip;
	cpu->fault.cr2 = cpu->vi->arch.cr2;
	cpu->fault.regs = *regs;
	memcpy(cpu->failsafe_sels, failsafe_sels, sizeof(failsafe_sels));
}

/*
 * Where to go on when a PROBE() covers this address, else 0.  Traps report
 * the address after the instruction, faults its own.
 */
static u64 probe_resume(u64 rip)
{
	const struct ex_entry *e;

	for (e = ex_table_start; e < ex_table_end; e++)
		if (rip >= e->from && rip <= e->to)
			return e->to;
	return 0;
}

void trap_handler(struct regs *regs)
{
	struct cpu *cpu = this_cpu();
	u64 sp, resume;

	if (trap_hook && trap_hook(regs))
		return;
	if (regs->vector == VEC_EVENT) {
		cpu->upcalls++;
		event_upcall();
		return;
	}
	if ((regs->cs & 3) == 3 && cpu->user_sp) {
		record(cpu, regs);
		sp = cpu->user_sp;
		cpu->user_sp = 0;
		unwind(sp);
	}
	resume = probe_resume(regs->rip);
	if (resume) {
		record(cpu, regs);
		regs->rip = resume;
		regs->rflags &= ~EFLAGS_TF;
		return;
	}
	if (cpu->guard_sp) {
		record(cpu, regs);
		sp = cpu->guard_sp;
		cpu->guard_sp = 0;
		unwind(sp);
	}
	fail("unexpected trap %d error %lx rip %lx cs %lx cr2 %lx",
	     (int)regs->vector, regs->error, regs->rip, regs->cs,
	     cpu->vi->arch.cr2);
}

struct fault *run_guarded(void (*fn)(void *arg), void *arg)
{
	struct cpu *cpu = this_cpu();

	cpu->fault.vector = VEC_NONE;
	run_guarded_asm(fn, arg, cpu);
	return &cpu->fault;
}

struct fault *probe_read(const volatile void *va, u64 *value)
{
	u64 v = 0;
	struct fault *f;

	f = PROBE("mov (%1), %0", "+r"(v) : "r"(va) : "memory");
	if (value)
		*value = v;
	return f;
}

struct fault *probe_write(volatile void *va, u64 value)
{
	return PROBE("mov %1, (%0)", : "r"(va), "r"(value) : "memory");
}

long register_callback(unsigned int type, unsigned int flags, const void *fn)
{
	struct callback_register cb = {
		.type = type,
		.flags = flags,
		.address = (unsigned long)fn,
	};

	return callback_op(CALLBACKOP_register, &cb);
}

struct trap_info trap_gate(unsigned int vector, unsigned int flags)
{
	return (struct trap_info){
		.vector = (u8)vector,
		.flags = (u8)flags,
		.cs = USER_CS,
		.address = (unsigned long)trap_stub(vector),
	};
}

void set_all_gates(unsigned int flags)
{
	static struct trap_info table[257];

	for (unsigned int v = 0; v < 256; v++)
		table[v] = trap_gate(v, flags);
	check_eq(set_trap_table(table), 0);
}

void install_traps(void)
{
	struct trap_info open_gates[] = {
		trap_gate(VEC_BP, 7),
		trap_gate(VEC_OF, 7),
		trap_gate(0x80, 7),
		{ .address = 0 },
	};

	set_all_gates(4);
	check_eq(set_trap_table(open_gates), 0);
	check_eq(register_callback(CALLBACKTYPE_event, CALLBACKF_mask_events,
				   event_entry),
		 0);
	check_eq(register_callback(CALLBACKTYPE_failsafe, CALLBACKF_mask_events,
				   failsafe_entry),
		 0);
	check_eq(register_callback(CALLBACKTYPE_syscall, CALLBACKF_mask_events,
				   syscall_entry),
		 0);
}
