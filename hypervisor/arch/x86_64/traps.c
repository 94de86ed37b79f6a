/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to do with an exception: handle it, hand it to the guest (a frame on
 * its kernel stack, guest-abi 4.2), or, in the hypervisor itself, recover at
 * the extable's fix-up or stop.
 */
#include <hv/audit_point.h>
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/hold.h>
#include <hv/log.h>
#include <hv/mm.h>

#include <arch/backtrace.h>
#include <arch/context.h>
#include <arch/internal.h>
#include <arch/x86.h>

#define FRAME_FLAGS_CLEARED                                                    \
	(X86_EFLAGS_TF | X86_EFLAGS_NT | X86_EFLAGS_RF | X86_EFLAGS_VM |       \
	 X86_EFLAGS_AC | X86_EFLAGS_IOPL)

/* ---- user mode <-> kernel mode of the guest ---- */

void enter_guest_kernel(struct vcpu *v)
{
	u16 gs;

	/* Without a selector nothing but a hypercall changes the base. */
	__asm__ volatile("movw %%gs, %0" : "=r"(gs));
	if (gs)
		v->arch.gs_base_user = rdmsr(MSR_KERNEL_GS_BASE);
	wrmsr(MSR_KERNEL_GS_BASE, v->arch.gs_base_kernel);
	v->arch.in_kernel = 1;
	this_cpu()->cr3_loads++;
	write_cr3(v->arch.kernel_cr3);
}

void enter_guest_user(struct vcpu *v)
{
	wrmsr(MSR_KERNEL_GS_BASE, v->arch.gs_base_user);
	v->arch.in_kernel = 0;
	this_cpu()->cr3_loads++;
	write_cr3(v->arch.user_cr3);
}

/* ---- frames ---- */

struct frame_push {
	u64 word[16];
	unsigned int count;
};

static void push(struct frame_push *f, u64 v)
{
	f->word[15 - f->count++] = v;
}

/* Enters the guest kernel at handler with the words of the frame below its
 * stack. Top words (ss, rsp, rflags, cs, rip) are pushed here; extra ones
 * follow by the caller's list, highest first. */
static void bounce(struct vcpu *v, u64 handler, bool mask_events,
		   const u64 *extra, unsigned int extra_count)
{
	struct guest_regs *r = &v->arch.regs;
	struct frame_push f = { .count = 0 };
	u64 masked, cs, flags, sp;

	if (v->arch.in_kernel) {
		sp = r->rsp & ~15UL;
		cs = r->cs & ~3UL;
	} else {
		enter_guest_kernel(v);
		sp = v->arch.kernel_sp;
		cs = r->cs;
	}
	masked = v->arch.info->evtchn_upcall_mask ? 1 : 0;
	flags = (r->rflags & ~X86_EFLAGS_IF) | (masked ? 0 : X86_EFLAGS_IF);
	push(&f, r->ss);
	push(&f, r->rsp);
	push(&f, flags);
	push(&f, (cs & 0xffff) | masked << 32);
	push(&f, r->rip);
	for (unsigned int i = 0; i < extra_count; i++)
		push(&f, extra[i]);
	push(&f, r->r11);
	push(&f, r->rcx);
	sp -= f.count * 8;
	if (guest_copy_out(sp, &f.word[16 - f.count], f.count * 8)) {
		domain_crash(v->domain, "kernel stack %lx is not writable",
			     (unsigned long)sp);
		return;
	}
	if (mask_events)
		v->arch.info->evtchn_upcall_mask = 1;
	r->rsp = sp;
	r->ss = SEL_FLAT_SS;
	r->cs = SEL_FLAT_CS64;
	r->rip = handler;
	r->rflags = (r->rflags & ~FRAME_FLAGS_CLEARED) | X86_EFLAGS_IF;
}

void vcpu_inject_trap(struct vcpu *v, unsigned int vector, bool has_error,
		      u32 error_code)
{
	u64 trap = v->arch.traps[vector];
	u64 error = error_code;

	if (unlikely(!trap)) {
		domain_crash(v->domain,
			     "no handler for exception %u (error %x) at %lx",
			     vector, error_code,
			     (unsigned long)v->arch.regs.rip);
		return;
	}
	bounce(v, trap_address(trap), trap & TRAP_MASK_EVENTS, &error,
	       has_error ? 1 : 0);
}

void vcpu_inject_gp(struct vcpu *v, u32 error_code)
{
	vcpu_inject_trap(v, VEC_GP, true, error_code);
}

/* The failsafe callback: the guest's selectors could not be loaded or its
 * IRETQ faulted; ds..gs follow the usual frame. */
static void bounce_failsafe(struct vcpu *v)
{
	u16 ds, es, fs, gs;
	u64 extra[4];

	if (!v->arch.failsafe_entry) {
		domain_crash(
			v->domain,
			"bad selector or return address, and no failsafe callback");
		return;
	}
	__asm__ volatile(
		"movw %%ds, %0; movw %%es, %1; movw %%fs, %2; movw %%gs, %3"
		: "=r"(ds), "=r"(es), "=r"(fs), "=r"(gs));
	extra[0] = gs;
	extra[1] = fs;
	extra[2] = es;
	extra[3] = ds;
	bounce(v, v->arch.failsafe_entry,
	       v->arch.syscall_masks & CALLBACK_MASK_FAILSAFE, extra, 4);
}

void deliver_events(struct vcpu *v)
{
	if (unlikely(!v->arch.event_entry)) {
		/* Nothing to call yet: hold events back. */
		v->arch.info->evtchn_upcall_mask = 1;
		return;
	}
	bounce(v, v->arch.event_entry,
	       v->arch.syscall_masks & CALLBACK_MASK_EVENT, NULL, 0);
}

/* An NMI that VCPUOP_send_nmi left for v: by its own callback, else vector 2.
 * Events stay as they are masked; NMIs do not nest, one being one flag. */
void deliver_nmi(struct vcpu *v)
{
	v->arch.nmi_pending = 0;
	if (v->arch.nmi_entry)
		bounce(v, v->arch.nmi_entry,
		       v->arch.syscall_masks & CALLBACK_MASK_NMI, NULL, 0);
	else if (v->arch.traps[VEC_NMI])
		vcpu_inject_trap(v, VEC_NMI, false, 0);
}

void guest_kernel_stack_bad(void)
{
	domain_crash(
		current_domain(),
		"kernel stack %lx is not writable, or no system call entry",
		(unsigned long)current_vcpu()->arch.kernel_sp);
}

/* ---- HYPERVISOR_iret, the general case ---- */

void guest_iret_from_stack(struct vcpu *v)
{
	struct guest_regs *r = &v->arch.regs;
	u64 c[9]; /* rax r11 rcx flags rip cs rflags rsp ss */

	if (guest_copy_in(c, r->rsp, sizeof(c))) {
		domain_crash(v->domain, "iret: stack %lx is not readable",
			     (unsigned long)r->rsp);
		return;
	}
	r->rax = c[0];
	r->r11 = c[1];
	r->rcx = c[2];
	r->rip = c[4];
	r->rsp = c[7];
	r->rflags = (c[6] & 0x254dd5) | X86_EFLAGS_IF;
	v->arch.info->evtchn_upcall_mask = !(c[6] & X86_EFLAGS_IF);
	if ((c[5] & 3) == 3) {
		if (!v->arch.user_cr3) {
			domain_crash(
				v->domain,
				"iret to user mode without user page tables");
			return;
		}
		r->cs = c[5] & 0xffff;
		r->ss = c[8] & 0xffff;
		enter_guest_user(v);
	} else {
		r->cs = SEL_FLAT_CS64;
		r->ss = SEL_FLAT_SS;
	}
}

void vcpu_iret(struct vcpu *v)
{
	guest_iret_from_stack(v);
	cpu_kick(cpu_id(), CPU_WORK_RESCHED);
}

void guest_iret_faulted(struct vcpu *v)
{
	bounce_failsafe(v);
}

/* ---- system calls that need more than entry.S's fast path ---- */

static void system_call(struct vcpu *v, u64 entry, u8 mask_bit)
{
	struct guest_regs *r = &v->arch.regs;

	if (v->arch.in_kernel || !entry) {
		/* SYSCALL: rip is behind it; the fault belongs to it. */
		if (r->rip)
			r->rip -= 2;
		vcpu_inject_trap(v, VEC_UD, false, 0);
		return;
	}
	bounce(v, entry, v->arch.syscall_masks & mask_bit, NULL, 0);
}

/* ---- exceptions of a guest ---- */

/* An instruction was emulated: with TF set its trap follows, as it does when
 * the CPU executes one. */
static void emulated(struct vcpu *v)
{
	if (likely(!(v->arch.regs.rflags & X86_EFLAGS_TF)))
		return;
	v->arch.dr6 |= DR6_SINGLE_STEP;
	vcpu_inject_trap(v, VEC_DB, false, 0);
}

/* False: deliver the fault. */
static bool page_table_write(struct vcpu *v, u64 va)
{
	int rc = mmu_emulate_write(&v->domain->owner,
				   v->arch.kernel_cr3 >> PAGE_SHIFT, va,
				   &v->arch.regs);

	if (unlikely(rc))
		return rc == -EAGAIN;
	audit_point();
	emulated(v);
	return true;
}

void page_fault(struct vcpu *v, u64 va)
{
	struct guest_regs *r = &v->arch.regs;
	u32 error = r->error_code;

	if (v->arch.in_kernel) {
		if ((error & ~PF_USER) == (PF_PRESENT | PF_WRITE) &&
		    likely(guest_address_ok(va)) &&
		    likely(page_table_write(v, va)))
			return;
		error &= ~PF_USER;
	}
	v->arch.info->arch.cr2 = va;
	vcpu_inject_trap(v, VEC_PF, true, error);
}

/* INT n of a vector whose gate user code may not use arrives as #GP with the
 * IDT bit. The vector is read from the instruction, since QEMU's TCG reports
 * a wrong one in the error code. */
static bool software_interrupt(struct vcpu *v)
{
	struct guest_regs *r = &v->arch.regs;
	u8 insn[2];
	u64 trap;

	if ((r->error_code & 7) != 2 && (r->error_code & 3) != 2)
		return false;
	if (guest_copy_in(insn, r->rip, 2) || insn[0] != 0xcd)
		return false;
	trap = v->arch.traps[insn[1]];
	if (trap && (v->arch.in_kernel || (trap & TRAP_DPL3))) {
		r->rip += 2;
		bounce(v, trap_address(trap), trap & TRAP_MASK_EVENTS, NULL, 0);
		return true;
	}
	vcpu_inject_gp(v, (u32)insn[1] << 3 | 2);
	return true;
}

/* INT3, INTO and their INT n forms arrive directly, for guests may debug; the
 * guest's own gate may still be closed to user code. */
static void breakpoint(struct vcpu *v, unsigned int vector)
{
	struct guest_regs *r = &v->arch.regs;
	u8 insn[2];

	if (v->arch.in_kernel || (v->arch.traps[vector] & TRAP_DPL3)) {
		vcpu_inject_trap(v, vector, false, 0);
		return;
	}
	if (!guest_copy_in(insn, r->rip - 2, 2) && insn[0] == 0xcd &&
	    insn[1] == vector)
		r->rip -= 2;
	else
		r->rip -= 1;
	vcpu_inject_gp(v, vector << 3 | 2);
}

static void general_protection(struct vcpu *v)
{
	u32 error = v->arch.regs.error_code;

	if (error & 2) {
		if (software_interrupt(v))
			return;
	} else if (!error && emulate_privileged(v)) {
		emulated(v);
		return;
	}
	vcpu_inject_gp(v, error);
}

static void debug_exception(struct vcpu *v)
{
	u64 dr6;

	__asm__ volatile("movq %%dr6, %0" : "=r"(dr6));
	v->arch.dr6 = (v->arch.dr6 & ~0xfUL) | (dr6 & 0xe00f) | 0xffff0ff0;
	__asm__ volatile("movq %0, %%dr6" : : "r"(0xffff0ff0UL));
	vcpu_inject_trap(v, VEC_DB, false, 0);
}

static const u32 has_error_code = 1U << 8 | 1U << 10 | 1U << 11 | 1U << 12 |
				  1U << 13 | 1U << 14 | 1U << 17;

void trap_from_guest(struct vcpu *v)
{
	struct guest_regs *r = &v->arch.regs;
	u32 vector = r->vector;

	switch (vector) {
	case VEC_PF:
		page_fault(v, read_cr2());
		return;
	case VEC_SYSCALL:
		system_call(v, v->arch.syscall_entry, CALLBACK_MASK_SYSCALL);
		return;
	case VEC_SYSCALL32:
		system_call(v, v->arch.syscall32_entry,
			    CALLBACK_MASK_SYSCALL32);
		return;
	case VEC_SYSENTER:
		/* Nowhere to: as a CPU has it whose SYSENTER_CS is null. */
		if (!v->arch.in_kernel && !v->arch.sysenter_entry)
			vcpu_inject_gp(v, 0);
		else
			system_call(v, v->arch.sysenter_entry,
				    CALLBACK_MASK_SYSENTER);
		return;
	case VEC_INT80:
		if (!v->arch.traps[VEC_INT80] ||
		    !(v->arch.in_kernel ||
		      (v->arch.traps[VEC_INT80] & TRAP_DPL3))) {
			r->rip -= 2;
			vcpu_inject_gp(v, VEC_INT80 << 3 | 2);
			return;
		}
		vcpu_inject_trap(v, VEC_INT80, false, 0);
		return;
	case VEC_BP:
	case VEC_OF:
		breakpoint(v, vector);
		return;
	case VEC_GP:
		general_protection(v);
		return;
	case VEC_UD:
		if (emulate_forced_cpuid(v))
			emulated(v);
		else
			vcpu_inject_trap(v, VEC_UD, false, 0);
		return;
	case VEC_NM:
		vcpu_set_ts(v, false);
		vcpu_inject_trap(v, VEC_NM, false, 0);
		return;
	case VEC_DB:
		debug_exception(v);
		return;
	case VEC_NMI:
		nmi_received();
		return;
	case VEC_DF:
	case VEC_MC:
		panic("exception %u in domain %u", vector, v->domain->id);
	default:
		break;
	}
	if (vector >= 32) {
		interrupt(vector);
		return;
	}
	vcpu_inject_trap(v, vector, has_error_code >> vector & 1,
			 r->error_code);
}

/* ---- exceptions of the hypervisor ---- */

struct extable_entry {
	u64 insn, fixup;
};
extern const struct extable_entry extable_start[], extable_end[];

bool extable_fixup(struct guest_regs *regs)
{
	for (const struct extable_entry *e = extable_start; e < extable_end;
	     e++) {
		if (e->insn == regs->rip) {
			regs->rip = e->fixup;
			return true;
		}
	}
	return false;
}

void trap_in_hypervisor(struct guest_regs *regs)
{
	u32 vector = regs->vector;

	if (vector >= 32) {
		/* Enabled only while idle: this is where an entry begins. */
		hold_begin(HOLD_VECTOR + vector);
		interrupt(vector);
		return;
	}
	switch (vector) {
	case VEC_DB: {
		/* A guest's breakpoint on the operand of a MOV SS, reported
		 * at our first instruction: not ours to deliver. */
		u64 clear = 0xffff0ff0UL;

		__asm__ volatile("movq %0, %%dr6" : : "r"(clear));
		regs->rflags &= ~X86_EFLAGS_TF;
		return;
	}
	case VEC_NMI:
		nmi_received();
		return;
	default:
		break;
	}
	if (extable_fixup(regs))
		return;
	panic_regs(regs, "exception %u, error %x, cr2 %lx", vector,
		   regs->error_code, (unsigned long)read_cr2());
}
