/* SPDX-License-Identifier: Apache-2.0 */
/* A vCPU's state from the context that its guest (VCPUOP_initialise) or its
 * builder (setvcpucontext) made, and back. Everything is checked before
 * anything is kept. */
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/hypercall.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/context.h>
#include <arch/internal.h>
#include <arch/x86.h>

static int check(const struct vcpu_guest_context *ctx)
{
	if (!guest_address_ok(ctx->user_regs.rip) ||
	    !guest_stack_ok(ctx->kernel_sp) ||
	    !guest_address_ok(ctx->event_callback_eip) ||
	    !guest_address_ok(ctx->failsafe_callback_eip) ||
	    !guest_address_ok(ctx->syscall_callback_eip))
		return -EINVAL;
	if ((u64)(((s64)ctx->fs_base >> 47) + 1) > 1 ||
	    (u64)(((s64)ctx->gs_base_kernel >> 47) + 1) > 1 ||
	    (u64)(((s64)ctx->gs_base_user >> 47) + 1) > 1)
		return -EINVAL;
	if (ctx->gdt_ents > FIRST_RESERVED_GDT_ENTRY || ctx->ldt_ents)
		return -EINVAL;
	for (unsigned int i = 0; i < ARRAY_SIZE(ctx->trap_ctxt); i++)
		if (!guest_address_ok(ctx->trap_ctxt[i].address))
			return -EINVAL;
	return 0;
}

static int take_root(struct frame_owner *o, u64 cr3)
{
	struct frame *f = frame_of_mfn(cr3 >> PAGE_SHIFT);
	int budget = HYPERCALL_BUDGET, err;

	if (!f || (cr3 & ~PAGE_MASK))
		return -EINVAL;
	spin_lock(&o->mmu_lock);
	err = frame_get_table_locked(o, f, FRAME_L4, &budget);
	spin_unlock(&o->mmu_lock);
	return err;
}

static void drop_root(struct frame_owner *o, u64 cr3)
{
	int budget = HYPERCALL_BUDGET;

	spin_lock(&o->mmu_lock);
	frame_put_table_locked(o, frame_of_mfn(cr3 >> PAGE_SHIFT), &budget);
	spin_unlock(&o->mmu_lock);
}

static void set_registers(struct vcpu *v, const struct vcpu_guest_context *ctx)
{
	const struct cpu_user_regs *u = &ctx->user_regs;
	struct guest_regs *r = &v->arch.regs;

	*r = (struct guest_regs){
		.r15 = u->r15,
		.r14 = u->r14,
		.r13 = u->r13,
		.r12 = u->r12,
		.rbp = u->rbp,
		.rbx = u->rbx,
		.r11 = u->r11,
		.r10 = u->r10,
		.r9 = u->r9,
		.r8 = u->r8,
		.rax = u->rax,
		.rcx = u->rcx,
		.rdx = u->rdx,
		.rsi = u->rsi,
		.rdi = u->rdi,
		.rip = u->rip,
		.cs = SEL_FLAT_CS64,
		.ss = SEL_FLAT_SS,
		.rsp = u->rsp,
		.rflags = (u->rflags & 0x254dd5) | X86_EFLAGS_IF | 2,
	};
	v->arch.info->evtchn_upcall_mask = !(u->rflags & X86_EFLAGS_IF);
	v->arch.ds = u->ds;
	v->arch.es = u->es;
	v->arch.fs = u->fs;
	v->arch.gs = u->gs;
}

int vcpu_initialise_from(struct vcpu *v, const struct vcpu_guest_context *ctx)
{
	struct frame_owner *o = &v->domain->owner;
	u64 frames[ARRAY_SIZE(v->arch.gdt_frames_mfn)];
	int err = check(ctx);

	if (err)
		return err;
	for (unsigned int i = 0; i < ARRAY_SIZE(frames); i++)
		frames[i] = ctx->gdt_frames[i];
	err = take_root(o, ctx->ctrlreg[3]);
	if (err)
		return err;
	err = vcpu_set_gdt(v, frames, (u32)ctx->gdt_ents);
	if (err) {
		drop_root(o, ctx->ctrlreg[3]);
		return err;
	}
	v->arch.kernel_cr3 = ctx->ctrlreg[3];
	v->arch.in_kernel = 1;
	v->arch.kernel_sp = ctx->kernel_sp & ~15UL;
	v->arch.event_entry = ctx->event_callback_eip;
	v->arch.failsafe_entry = ctx->failsafe_callback_eip;
	v->arch.syscall_entry = ctx->syscall_callback_eip;
	v->arch.syscall_masks = CALLBACK_MASK_EVENT;
	if (ctx->flags & VGCF_failsafe_disables_events)
		v->arch.syscall_masks |= CALLBACK_MASK_FAILSAFE;
	if (ctx->flags & VGCF_syscall_disables_events)
		v->arch.syscall_masks |= CALLBACK_MASK_SYSCALL;
	v->arch.fs_base = ctx->fs_base;
	v->arch.gs_base_kernel = ctx->gs_base_kernel;
	v->arch.gs_base_user = ctx->gs_base_user;
	for (unsigned int i = 0; i < 256; i++) {
		const struct trap_info *t = &ctx->trap_ctxt[i];

		v->arch.traps[i] =
			t->address
				? (t->address & TRAP_ADDRESS_MASK) |
					  ((t->flags & 3) == 3 ? TRAP_DPL3
							       : 0) |
					  (t->flags & 4 ? TRAP_MASK_EVENTS : 0)
				: 0;
	}
	v->arch.iopl = ctx->user_regs.eflags >> 12 & 3;
	v->arch.iobitmap_ports = 0;
	set_registers(v, ctx);
	return 0;
}

void vcpu_describe(const struct vcpu *v, struct vcpu_guest_context *ctx)
{
	const struct guest_regs *r = &v->arch.regs;

	memset(ctx, 0, sizeof(*ctx));
	ctx->flags = (v->arch.in_kernel ? VGCF_IN_KERNEL : 0) |
		     (v->down ? 0 : VGCF_online);
	ctx->user_regs = (struct cpu_user_regs){
		.r15 = r->r15,
		.r14 = r->r14,
		.r13 = r->r13,
		.r12 = r->r12,
		.rbp = r->rbp,
		.rbx = r->rbx,
		.r11 = r->r11,
		.r10 = r->r10,
		.r9 = r->r9,
		.r8 = r->r8,
		.rax = r->rax,
		.rcx = r->rcx,
		.rdx = r->rdx,
		.rsi = r->rsi,
		.rdi = r->rdi,
		.rip = r->rip,
		.cs = (u16)r->cs,
		.ss = (u16)r->ss,
		.rsp = r->rsp,
		.rflags = r->rflags,
		.ds = v->arch.ds,
		.es = v->arch.es,
		.fs = v->arch.fs,
		.gs = v->arch.gs,
	};
	ctx->gdt_ents = v->arch.gdt_entries;
	ctx->kernel_ss = SEL_FLAT_SS;
	ctx->kernel_sp = v->arch.kernel_sp;
	ctx->event_callback_eip = v->arch.event_entry;
	ctx->failsafe_callback_eip = v->arch.failsafe_entry;
	ctx->syscall_callback_eip = v->arch.syscall_entry;
	ctx->fs_base = v->arch.fs_base;
	ctx->gs_base_kernel = v->arch.gs_base_kernel;
	ctx->gs_base_user = v->arch.gs_base_user;
	ctx->ctrlreg[1] = v->arch.user_cr3;
	ctx->ctrlreg[3] = v->arch.kernel_cr3;
	for (unsigned int i = 0; i < ARRAY_SIZE(v->arch.gdt_frames_mfn); i++)
		ctx->gdt_frames[i] = v->arch.gdt_frames_mfn[i];
}
