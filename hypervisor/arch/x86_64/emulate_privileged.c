/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Privileged instructions of a guest, by an allow list, with the guest's own
 * privilege checked first. Code bytes are fetched once through the vCPU's
 * loaded tables. Sources: guest-visible behaviour as Linux's PV port needs it.
 */
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/mm.h>

#include <arch/context.h>
#include <arch/internal.h>
#include <arch/x86.h>

#include "insn_decode.h"

static u64 *reg_ptr(struct guest_regs *r, unsigned int reg)
{
	switch (reg & 15) {
	case 0:
		return &r->rax;
	case 1:
		return &r->rcx;
	case 2:
		return &r->rdx;
	case 3:
		return &r->rbx;
	case 4:
		return &r->rsp;
	case 5:
		return &r->rbp;
	case 6:
		return &r->rsi;
	case 7:
		return &r->rdi;
	case 8:
		return &r->r8;
	case 9:
		return &r->r9;
	case 10:
		return &r->r10;
	case 11:
		return &r->r11;
	case 12:
		return &r->r12;
	case 13:
		return &r->r13;
	case 14:
		return &r->r14;
	default:
		return &r->r15;
	}
}

/* Bytes at rip, as many as are readable. */
static unsigned int fetch(u64 rip, u8 bytes[INSN_MAX_BYTES])
{
	unsigned int n = MIN((unsigned int)(PAGE_SIZE - (rip & ~PAGE_MASK)),
			     (unsigned int)INSN_MAX_BYTES);

	if (guest_copy_in(bytes, rip, n))
		return 0;
	if (n < INSN_MAX_BYTES &&
	    !guest_copy_in(bytes + n, rip + n, INSN_MAX_BYTES - n))
		n = INSN_MAX_BYTES;
	return n;
}

/*
 * No domain has ports. Reads give all ones, as on an empty bus, but for the
 * PIT, which Linux would poll 100,000 times before it believes that.
 */
static u32 port_read(u16 port, unsigned int size)
{
	u32 value = size == 1 ? 0xff : size == 2 ? 0xffff : 0xffffffff;

	if ((port >= 0x40 && port <= 0x43) || port == 0x61)
		value = 0;
	return value;
}

/* Kernels probe ports before they can set an IOPL; behind the ports is nothing
 * that they could reach. */
static bool has_iopl(const struct vcpu *v)
{
	return v->arch.in_kernel || v->arch.iopl == 3;
}

/* For user mode: the bitmap is in the guest kernel's half, which the tables of
 * its processes need not have. */
static bool bitmap_allows(const struct vcpu *v, u16 port, unsigned int size)
{
	unsigned int first = port % 8;
	u8 bits[2] = { 0, 0 };
	bool readable;

	if (port + size > v->arch.iobitmap_ports)
		return false;
	this_cpu()->cr3_loads += 2;
	write_cr3(v->arch.kernel_cr3);
	readable = !guest_copy_in(bits, v->arch.iobitmap_va + port / 8,
				  first + size > 8 ? 2 : 1);
	write_cr3(v->arch.user_cr3);
	return readable &&
	       !((bits[0] | bits[1] << 8) >> first & ((1U << size) - 1));
}

static bool port_allowed(const struct vcpu *v, u16 port, unsigned int size)
{
	return has_iopl(v) || bitmap_allows(v, port, size);
}

static bool port_access(struct vcpu *v, const struct insn *i)
{
	struct guest_regs *r = &v->arch.regs;
	u16 port = i->port_is_imm ? i->port_imm : (u16)r->rdx;
	u32 value;

	if (!port_allowed(v, port, i->size))
		return false;
	if (i->kind == INSN_OUT)
		return true;
	value = port_read(port, i->size);
	if (i->size == 1)
		r->rax = (r->rax & ~0xffUL) | value;
	else if (i->size == 2)
		r->rax = (r->rax & ~0xffffUL) | value;
	else
		r->rax = value;
	return true;
}

/* One element at a time: a REP repeats by leaving rip where it is, so that
 * no count of the guest's keeps us here. */
static bool port_string(struct vcpu *v, struct insn *i)
{
	struct guest_regs *r = &v->arch.regs;
	s64 step = (r->rflags & X86_EFLAGS_DF) ? -(s64)i->size : i->size;
	u32 value = port_read((u16)r->rdx, i->size);

	if (!port_allowed(v, (u16)r->rdx, i->size))
		return false;
	if (i->rep && !r->rcx)
		return true;
	if (i->kind == INSN_INS) {
		if (guest_copy_out(r->rdi, &value, i->size))
			return false;
		r->rdi += (u64)step;
	} else {
		r->rsi += (u64)step;
	}
	if (i->rep && --r->rcx)
		i->length = 0;
	return true;
}

static u64 guest_cr4(void)
{
	return CR4_PAE | CR4_MCE | CR4_OSFXSR | CR4_OSXMMEXCPT |
	       (cpu_features.xsave ? CR4_OSXSAVE : 0);
}

static bool read_control(struct vcpu *v, const struct insn *i)
{
	u64 *reg = reg_ptr(&v->arch.regs, i->reg);

	switch (i->control) {
	case 0:
		*reg = 0x80050033UL | (v->arch.ts_set ? CR0_TS : 0);
		return true;
	case 2:
		*reg = v->arch.info->arch.cr2;
		return true;
	case 3:
		*reg = v->arch.kernel_cr3;
		return true;
	case 4:
		*reg = guest_cr4();
		return true;
	default:
		return false;
	}
}

static bool write_control(struct vcpu *v, const struct insn *i)
{
	u64 value = *reg_ptr(&v->arch.regs, i->reg);

	switch (i->control) {
	case 0: /* only TS is the guest's */
		vcpu_set_ts(v, value & CR0_TS);
		return true;
	case 2:
		v->arch.info->arch.cr2 = value;
		return true;
	case 4: /* all its bits are fixed; refusing would stop stock kernels */
		return true;
	default:
		return false;
	}
}

static bool msr_access(struct vcpu *v, const struct insn *i)
{
	struct guest_regs *r = &v->arch.regs;
	u64 value;

	if (i->kind == INSN_WRMSR) {
		value = (u64)(u32)r->rdx << 32 | (u32)r->rax;
		return !guest_wrmsr(v, (u32)r->rcx, value);
	}
	if (guest_rdmsr(v, (u32)r->rcx, &value))
		return false;
	r->rax = (u32)value;
	r->rdx = value >> 32;
	return true;
}

static bool kernel_only(struct vcpu *v, const struct insn *i)
{
	struct guest_regs *r = &v->arch.regs;
	u64 value;

	switch (i->kind) {
	case INSN_CLTS:
		vcpu_set_ts(v, false);
		return true;
	case INSN_HLT:
		v->arch.info->evtchn_upcall_mask = 0;
		vcpu_block_current();
		return true;
	case INSN_RDMSR:
	case INSN_WRMSR:
		return msr_access(v, i);
	case INSN_MOV_FROM_CR:
		return read_control(v, i);
	case INSN_MOV_TO_CR:
		return write_control(v, i);
	case INSN_MOV_FROM_DR:
		if (vcpu_get_debugreg(v, i->control, &value))
			return false;
		*reg_ptr(r, i->reg) = value;
		return true;
	case INSN_MOV_TO_DR:
		return !vcpu_set_debugreg(v, i->control, *reg_ptr(r, i->reg));
	case INSN_WBINVD: /* no domain has uncached memory */
		return true;
	case INSN_XSETBV:
		return (u32)r->rcx == 0 &&
		       !vcpu_set_xcr0(v, (u64)(u32)r->rdx << 32 | (u32)r->rax);
	default:
		return false;
	}
}

bool emulate_privileged(struct vcpu *v)
{
	struct guest_regs *r = &v->arch.regs;
	u8 bytes[INSN_MAX_BYTES];
	unsigned int available = fetch(r->rip, bytes);
	struct insn i;
	bool done;

	if (!available || (r->cs & 0xffff) == 0)
		return false;
	insn_decode(bytes, available, &i);
	switch (i.kind) {
	case INSN_UNKNOWN:
		return false;
	case INSN_IN:
	case INSN_OUT:
		done = port_access(v, &i);
		break;
	case INSN_INS:
	case INSN_OUTS:
		done = port_string(v, &i);
		break;
	case INSN_CLI:
	case INSN_STI: /* event delivery is masked elsewhere: no effect */
		done = has_iopl(v);
		break;
	case INSN_CLTS:
	case INSN_HLT:
	case INSN_RDMSR:
	case INSN_WRMSR:
	case INSN_MOV_FROM_CR:
	case INSN_MOV_TO_CR:
	case INSN_MOV_FROM_DR:
	case INSN_MOV_TO_DR:
	case INSN_INVLPG:
	case INSN_WBINVD:
	case INSN_XSETBV:
	default:
		done = v->arch.in_kernel && kernel_only(v, &i);
		break;
	}
	if (done) {
		r->rip += i.length;
		r->rflags &= ~X86_EFLAGS_RF;
	}
	return done;
}

/* ud2; "xen"; cpuid: the agreed way to ask for the virtual CPUID. */
bool emulate_forced_cpuid(struct vcpu *v)
{
	static const u8 prefix[7] = { 0x0f, 0x0b, 'x', 'e', 'n', 0x0f, 0xa2 };
	struct guest_regs *r = &v->arch.regs;
	u8 bytes[sizeof(prefix)];
	u32 out[4];

	if (guest_copy_in(bytes, r->rip, sizeof(bytes)))
		return false;
	for (unsigned int i = 0; i < sizeof(prefix); i++)
		if (bytes[i] != prefix[i])
			return false;
	guest_cpuid(v, (u32)r->rax, (u32)r->rcx, out);
	r->rax = out[0];
	r->rbx = out[1];
	r->rcx = out[2];
	r->rdx = out[3];
	r->rip += sizeof(prefix);
	r->rflags &= ~X86_EFLAGS_RF;
	return true;
}
