/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hypercall.h - hypercalls by a bare SYSCALL, as current Linux does them:
 * number in EAX, arguments in RDI RSI RDX R10 R8 R9; RCX and R11 are lost.
 */
#ifndef XT_HYPERCALL_H
#define XT_HYPERCALL_H

static inline long hypercall6(u64 nr, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5,
			      u64 a6)
{
	register u64 r10 __asm__("r10") = a4;
	register u64 r8 __asm__("r8") = a5;
	register u64 r9 __asm__("r9") = a6;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret), "+r"(r10), "+r"(r8), "+r"(r9), "+D"(a1),
			   "+S"(a2), "+d"(a3)
			 : "0"(nr)
			 : "rcx", "r11", "memory");
	return ret;
}

#define HC_ARG(x) ((u64)(unsigned long)(x))
#define HC_PICK(a, b, c, d, e, f, g, name, ...) name
#define HC0(n) hypercall6(n, 0, 0, 0, 0, 0, 0)
#define HC1(n, a) hypercall6(n, HC_ARG(a), 0, 0, 0, 0, 0)
#define HC2(n, a, b) hypercall6(n, HC_ARG(a), HC_ARG(b), 0, 0, 0, 0)
#define HC3(n, a, b, c) hypercall6(n, HC_ARG(a), HC_ARG(b), HC_ARG(c), 0, 0, 0)
#define HC4(n, a, b, c, d)                                                     \
	hypercall6(n, HC_ARG(a), HC_ARG(b), HC_ARG(c), HC_ARG(d), 0, 0)
#define HC5(n, a, b, c, d, e)                                                  \
	hypercall6(n, HC_ARG(a), HC_ARG(b), HC_ARG(c), HC_ARG(d), HC_ARG(e), 0)
#define HC6(n, a, b, c, d, e, f)                                               \
	hypercall6(n, HC_ARG(a), HC_ARG(b), HC_ARG(c), HC_ARG(d), HC_ARG(e),   \
		   HC_ARG(f))

/* hypercall(number, up to six integers or pointers) */
#define hypercall(...)                                                         \
	HC_PICK(__VA_ARGS__, HC6, HC5, HC4, HC3, HC2, HC1, HC0)                \
	(__VA_ARGS__)

static inline long xen_version(int op, void *arg)
{
	return hypercall(__HYPERVISOR_xen_version, op, arg);
}

static inline long console_write(const char *s, size_t n)
{
	return hypercall(__HYPERVISOR_console_io, CONSOLEIO_write, n, s);
}

static inline long mmu_update(const struct mmu_update *req, u32 count,
			      u32 *done, u32 domid)
{
	return hypercall(__HYPERVISOR_mmu_update, req, count, done, domid);
}

static inline long mmuext_op(const struct mmuext_op *op, u32 count, u32 *done,
			     u32 domid)
{
	return hypercall(__HYPERVISOR_mmuext_op, op, count, done, domid);
}

static inline long update_va_mapping(const void *va, u64 pte, u64 flags)
{
	return hypercall(__HYPERVISOR_update_va_mapping, va, pte, flags);
}

static inline long memory_op(unsigned int op, void *arg)
{
	return hypercall(__HYPERVISOR_memory_op, op, arg);
}

static inline long event_op(int op, void *arg)
{
	return hypercall(__HYPERVISOR_event_channel_op, op, arg);
}

static inline long sched_op(int op, void *arg)
{
	return hypercall(__HYPERVISOR_sched_op, op, arg);
}

static inline long vcpu_op(int op, unsigned int vcpu, void *arg)
{
	return hypercall(__HYPERVISOR_vcpu_op, op, vcpu, arg);
}

static inline long grant_op(unsigned int op, void *arg, unsigned int count)
{
	return hypercall(__HYPERVISOR_grant_table_op, op, arg, count);
}

static inline long physdev_op(int op, void *arg)
{
	return hypercall(__HYPERVISOR_physdev_op, op, arg);
}

static inline long multicall(struct multicall_entry *list, u32 count)
{
	return hypercall(__HYPERVISOR_multicall, list, count);
}

static inline long set_trap_table(const struct trap_info *table)
{
	return hypercall(__HYPERVISOR_set_trap_table, table);
}

static inline long set_gdt(const unsigned long *frames, unsigned int entries)
{
	return hypercall(__HYPERVISOR_set_gdt, frames, entries);
}

static inline long update_descriptor(u64 maddr, u64 desc)
{
	return hypercall(__HYPERVISOR_update_descriptor, maddr, desc);
}

static inline long stack_switch(u64 ss, u64 sp)
{
	return hypercall(__HYPERVISOR_stack_switch, ss, sp);
}

static inline long set_segment_base(int which, u64 base)
{
	return hypercall(__HYPERVISOR_set_segment_base, which, base);
}

static inline long set_debugreg(int reg, u64 value)
{
	return hypercall(__HYPERVISOR_set_debugreg, reg, value);
}

static inline long get_debugreg(int reg)
{
	return hypercall(__HYPERVISOR_get_debugreg, reg);
}

static inline long fpu_taskswitch(int set)
{
	return hypercall(__HYPERVISOR_fpu_taskswitch, set);
}

static inline long callback_op(int op, void *arg)
{
	return hypercall(__HYPERVISOR_callback_op, op, arg);
}

static inline long vm_assist(unsigned int cmd, unsigned int type)
{
	return hypercall(__HYPERVISOR_vm_assist, cmd, type);
}

static inline long set_timer_op(u64 deadline_ns)
{
	return hypercall(__HYPERVISOR_set_timer_op, deadline_ns);
}

#endif /* XT_HYPERCALL_H */
