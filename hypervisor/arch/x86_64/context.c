/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine state of a vCPU: creation, switching, and the parts that guests
 * set by hypercall. Selectors, FS base, FPU, debug registers and tables are
 * switched eagerly, so nothing of one vCPU is ever left for another to see.
 */
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/context.h>
#include <arch/internal.h>
#include <arch/pagetable.h>
#include <arch/tlb.h>
#include <arch/x86.h>

_Static_assert(sizeof(struct vcpu) <= PAGE_SIZE, "a vCPU is one state page");
_Static_assert((offsetof(struct vcpu, arch.regs) + sizeof(struct guest_regs)) %
			       16 ==
		       0,
	       "TSS.RSP0 must be aligned or the CPU moves the frame");

#define DR7_FIXED 0x400UL
#define DR7_RESERVED 0xffffffff0000dc00UL /* must be 0, but for bit 10 */
#define DR7_GENERAL_DETECT 0x2000UL
#define DR7_ENABLES 0xffUL
#define DR6_FIXED 0xffff0ff0UL

/* Loads a selector into a data segment register; false: it faulted and the
 * register holds the null selector. */
#define LOAD_SEGMENT(name, sel)                                                \
	({                                                                     \
		u32 ok_ = 1;                                                   \
		__asm__ volatile("1: movl %1, %%" #name "\n"                   \
				 "2:\n"                                        \
				 ".pushsection .fixup, \"ax\"\n"               \
				 "3: xorl %0, %0\n"                            \
				 "   movl %0, %%" #name "\n"                   \
				 "   jmp 2b\n"                                 \
				 ".popsection\n"                               \
				 ".pushsection .extable, \"a\"\n"              \
				 ".balign 8\n"                                 \
				 ".quad 1b, 3b\n"                              \
				 ".popsection\n"                               \
				 : "+r"(ok_)                                   \
				 : "r"((u32)(sel)));                           \
		ok_ != 0;                                                      \
	})

#define READ_SEGMENT(name)                                                     \
	({                                                                     \
		u16 sel_;                                                      \
		__asm__ volatile("movw %%" #name ", %0" : "=r"(sel_));         \
		sel_;                                                          \
	})

int vcpu_arch_init(struct vcpu *v)
{
	struct arch_vcpu *a = &v->arch;
	int err = desc_window_alloc(&a->window);

	if (err)
		return err;
	a->in_kernel = 1;
	a->fpu_cpu = 0xffff; /* in nobody's registers */
	a->dr6 = DR6_FIXED;
	a->dr7 = DR7_FIXED;
	a->xcr0 = cpu_features.xcr0 & 3 ? cpu_features.xcr0 : 1;
	a->regs.rflags = X86_EFLAGS_IF | 2;
	a->regs.cs = SEL_FLAT_CS64;
	a->regs.ss = SEL_FLAT_SS;
	fpu_init_image(v);
	return 0;
}

static void drop_gdt(struct vcpu *v)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(v->arch.gdt_frames_mfn); i++) {
		u32 mfn = v->arch.gdt_frames_mfn[i];

		if (!mfn)
			continue;
		v->arch.gdt_frames_mfn[i] = 0;
		desc_window_map(v->arch.window, i, 0);
		frame_put_segdesc(frame_of_mfn(mfn));
	}
	v->arch.gdt_entries = 0;
}

void vcpu_drop_ldt(struct vcpu *v)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(v->arch.ldt_frames_mfn); i++) {
		u32 mfn = v->arch.ldt_frames_mfn[i];

		if (!mfn)
			continue;
		v->arch.ldt_frames_mfn[i] = 0;
		desc_window_map(v->arch.window, 16 + i, 0);
		frame_put_segdesc(frame_of_mfn(mfn));
	}
	v->arch.ldt_entries = 0;
	v->arch.ldt_va = 0;
}

int vcpu_arch_exit(struct vcpu *v, int *budget)
{
	struct frame_owner *o = &v->domain->owner;
	u64 *roots[2] = { &v->arch.kernel_cr3, &v->arch.user_cr3 };

	drop_gdt(v);
	vcpu_drop_ldt(v);
	spin_lock(&o->mmu_lock);
	for (unsigned int i = 0; i < 2; i++) {
		if (*roots[i])
			frame_put_table_locked(
				o, frame_of_mfn(*roots[i] >> PAGE_SHIFT),
				budget);
		*roots[i] = 0;
	}
	spin_unlock(&o->mmu_lock);
	desc_window_free(v->arch.window);
	return 0;
}

/* ---- switching ---- */

void context_save(struct vcpu *v)
{
	struct arch_vcpu *a = &v->arch;
	struct cpu *c = this_cpu();

	a->ds = READ_SEGMENT(ds);
	a->es = READ_SEGMENT(es);
	a->fs = READ_SEGMENT(fs);
	a->gs = READ_SEGMENT(gs);
	a->fs_base = rdmsr(MSR_FS_BASE);
	if (a->gs && !a->in_kernel)
		a->gs_base_user = rdmsr(MSR_KERNEL_GS_BASE);
	fpu_save(v);
	if (a->dr7 & DR7_ENABLES)
		__asm__ volatile("movq %0, %%dr7" : : "r"(DR7_FIXED));
	/* Once v runs elsewhere its tables may be freed: leave them now. First
	 * its GDT, so that after the flush nothing brings a translation of
	 * its descriptor window back: no CPU caches a window it does not use,
	 * and a change of one is local to the vCPU's own CPU. */
	descriptor_tables_load(c);
	write_cr3(hv_cr3());
	c->cr3_loads++;
	c->tlb_flushed = tlb_clock_tick();
	__atomic_and_fetch(&v->domain->owner.dirty_cpus, ~(1UL << c->id),
			   __ATOMIC_SEQ_CST);
}

static void load_debug(const struct arch_vcpu *a)
{
	__asm__ volatile("movq %0, %%dr7" : : "r"(DR7_FIXED));
	__asm__ volatile("movq %0, %%dr0" : : "r"(a->dr[0]));
	__asm__ volatile("movq %0, %%dr1" : : "r"(a->dr[1]));
	__asm__ volatile("movq %0, %%dr2" : : "r"(a->dr[2]));
	__asm__ volatile("movq %0, %%dr3" : : "r"(a->dr[3]));
	__asm__ volatile("movq %0, %%dr7" : : "r"(a->dr7));
}

static void load_gs_selector(u16 sel, bool *ok)
{
	/* Loading a selector replaces the live base, which is ours here. */
	struct cpu *c = this_cpu();

	*ok &= LOAD_SEGMENT(gs, sel);
	wrmsr(MSR_GS_BASE, (u64)c);
}

static void load_segments(struct vcpu *v)
{
	struct arch_vcpu *a = &v->arch;
	bool ok = true;

	/* Most vCPUs use null selectors: compare before the costly loads. */
	if (a->ds != READ_SEGMENT(ds) || a->ds > 3)
		ok &= LOAD_SEGMENT(ds, a->ds);
	if (a->es != READ_SEGMENT(es) || a->es > 3)
		ok &= LOAD_SEGMENT(es, a->es);
	if (a->fs != READ_SEGMENT(fs) || a->fs > 3)
		ok &= LOAD_SEGMENT(fs, a->fs);
	wrmsr(MSR_FS_BASE, a->fs_base);
	if (a->gs != READ_SEGMENT(gs) || a->gs > 3)
		load_gs_selector(a->gs, &ok);
	wrmsr(MSR_KERNEL_GS_BASE,
	      a->in_kernel ? a->gs_base_kernel : a->gs_base_user);
	if (!ok)
		a->bad_selectors = 1;
}

static void load(struct vcpu *v, struct cpu *c)
{
	struct arch_vcpu *a = &v->arch;

	__atomic_or_fetch(&v->domain->owner.dirty_cpus, 1UL << c->id,
			  __ATOMIC_SEQ_CST);
	write_cr3(a->in_kernel ? a->kernel_cr3 : a->user_cr3);
	c->cr3_loads++;
	c->regs_end = (u64)(&a->regs + 1);
	cpu_set_rsp0(c, c->regs_end);
	vcpu_load_gdt(v);
	desc_window_load_ldt(a->window, a->ldt_entries);
	load_segments(v);
	fpu_load(v);
	vcpu_set_ts(v, a->ts_set);
	if (a->dr7 & DR7_ENABLES)
		load_debug(a);
	if (unlikely(a->nmi_pending))
		cpu_kick(c->id, CPU_WORK_RESCHED);
}

void context_load(struct vcpu *next)
{
	struct cpu *c = this_cpu();

	c->vcpu = next;
	if (next)
		load(next, c);
}

void vcpu_load_kernel_cr3(struct vcpu *v)
{
	struct cpu *c = this_cpu();

	c->cr3_loads++;
	write_cr3(v->arch.kernel_cr3);
}

void vcpu_load_gdt(struct vcpu *v)
{
	desc_window_load_gdt(v->arch.window);
}

void vcpu_load_ldt(struct vcpu *v)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(v->arch.ldt_frames_mfn); i++)
		desc_window_map(v->arch.window, 16 + i,
				v->arch.ldt_frames_mfn[i]);
	desc_window_load_ldt(v->arch.window, v->arch.ldt_entries);
}

/* ---- what guests set ---- */

int vcpu_set_gdt(struct vcpu *v, const u64 *frames_mfn, u32 entries)
{
	struct frame_owner *o = &v->domain->owner;
	unsigned int n = (entries + 511) / 512, i;
	int err = 0;

	if (n > ARRAY_SIZE(v->arch.gdt_frames_mfn))
		return -EINVAL;
	for (i = 0; i < n; i++) {
		struct frame *f = frame_of_mfn(frames_mfn[i]);

		err = f ? frame_get_segdesc(o, f) : -EINVAL;
		if (err)
			goto put;
	}
	drop_gdt(v);
	for (i = 0; i < n; i++) {
		v->arch.gdt_frames_mfn[i] = (u32)frames_mfn[i];
		desc_window_map(v->arch.window, i, frames_mfn[i]);
	}
	v->arch.gdt_entries = entries;
	return 0;
put:
	while (i--)
		frame_put_segdesc(frame_of_mfn(frames_mfn[i]));
	return err;
}

static int set_user_gs_selector(struct vcpu *v, u16 sel)
{
	struct cpu *c = this_cpu();
	bool ok = true;

	if (sel <= 3) {
		if (READ_SEGMENT(gs))
			load_gs_selector(0, &ok);
		v->arch.gs_base_user = 0;
		return 0;
	}
	ok = LOAD_SEGMENT(gs, sel | 3);
	v->arch.gs_base_user = rdmsr(MSR_GS_BASE);
	wrmsr(MSR_GS_BASE, (u64)c);
	return 0;
}

int vcpu_set_segment_base(struct vcpu *v, u32 which, u64 base)
{
	if (which == SEGBASE_GS_USER_SEL)
		return set_user_gs_selector(v, (u16)base);
	if ((u64)(((s64)base >> 47) + 1) > 1)
		return -EINVAL;
	switch (which) {
	case SEGBASE_FS:
		wrmsr(MSR_FS_BASE, base);
		return 0;
	case SEGBASE_GS_USER:
		v->arch.gs_base_user = base;
		return 0;
	case SEGBASE_GS_KERNEL:
		v->arch.gs_base_kernel = base;
		wrmsr(MSR_KERNEL_GS_BASE, base);
		return 0;
	default:
		return -EINVAL;
	}
}

/* A breakpoint of up to 8 bytes must not reach hypervisor memory. */
static bool breakpoint_ok(u64 va)
{
	return guest_address_ok(va) && guest_address_ok(va + 7);
}

int vcpu_set_debugreg(struct vcpu *v, unsigned int reg, u64 value)
{
	struct arch_vcpu *a = &v->arch;

	switch (reg) {
	case 0:
	case 1:
	case 2:
	case 3:
		if (!breakpoint_ok(value))
			return -EPERM;
		a->dr[reg] = value;
		break;
	case 4:
	case 6:
		if (value >> 32)
			return -EINVAL;
		a->dr6 = (value & 0xe00f) | DR6_FIXED;
		return 0;
	case 5:
	case 7:
		if (value & (DR7_RESERVED & ~0xdc00UL))
			return -EINVAL;
		if (value & DR7_GENERAL_DETECT)
			return -EPERM;
		for (unsigned int i = 0; i < 4; i++)
			if ((value >> (16 + i * 4) & 3) == 2 &&
			    (value >> (i * 2) & 3))
				return -EPERM; /* I/O breakpoint */
		a->dr7 = (value & ~0xdc00UL) | DR7_FIXED;
		break;
	default:
		return -EINVAL;
	}
	if (a->dr7 & DR7_ENABLES)
		load_debug(a);
	else
		__asm__ volatile("movq %0, %%dr7" : : "r"(DR7_FIXED));
	return 0;
}

int vcpu_get_debugreg(struct vcpu *v, unsigned int reg, u64 *value)
{
	switch (reg) {
	case 0:
	case 1:
	case 2:
	case 3:
		*value = v->arch.dr[reg];
		return 0;
	case 4:
	case 6:
		*value = v->arch.dr6;
		return 0;
	case 5:
	case 7:
		*value = v->arch.dr7;
		return 0;
	default:
		return -EINVAL;
	}
}

void vcpu_set_ts(struct vcpu *v, bool set)
{
	u64 cr0 = read_cr0();

	v->arch.ts_set = set;
	if (!!(cr0 & CR0_TS) != set)
		write_cr0(set ? cr0 | CR0_TS : cr0 & ~CR0_TS);
}

int vcpu_set_xcr0(struct vcpu *v, u64 value)
{
	if (!cpu_features.xsave || !(value & 1) ||
	    (value & ~cpu_features.xcr0) || ((value & 4) && !(value & 2)))
		return -EINVAL;
	v->arch.xcr0 = value;
	xsetbv(value);
	return 0;
}
