/* SPDX-License-Identifier: Apache-2.0 */
/* Hypercalls about the calling vCPU's own machine state: traps, callbacks,
 * descriptors, stacks, segment bases, debug registers. */
#include <hv/descriptor.h>
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/hypercall.h>
#include <hv/mm.h>

#include <arch/context.h>

#include <xen/callback.h>
#include <xen/nmi.h>

static u64 pack_trap(u64 address, u8 flags)
{
	u64 trap = address & TRAP_ADDRESS_MASK;

	if ((flags & 3) == 3)
		trap |= TRAP_DPL3;
	if (flags & 4)
		trap |= TRAP_MASK_EVENTS;
	return trap;
}

long hc_set_trap_table(u64 traps, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct vcpu *v = current_vcpu();
	struct trap_info t;

	(void)a2, (void)a3, (void)a4, (void)a5, (void)a6;
	if (!traps) {
		for (unsigned int i = 0; i < ARRAY_SIZE(v->arch.traps); i++)
			v->arch.traps[i] = 0;
		return 0;
	}
	/* A list of at most one entry per vector is all that makes sense. */
	for (unsigned int i = 0; i < 257; i++) {
		if (guest_copy_in(&t, traps, sizeof(t)))
			return -EFAULT;
		if (!t.address)
			return 0;
		if (!guest_address_ok(t.address))
			return -EINVAL;
		v->arch.traps[t.vector] = pack_trap(t.address, t.flags);
		traps += sizeof(t);
	}
	return -EINVAL;
}

long hc_set_gdt(u64 frames, u64 entries, u64 a3, u64 a4, u64 a5, u64 a6)
{
	u64 mfns[14];
	u64 n = (entries + 511) / 512;
	int err;

	(void)a3, (void)a4, (void)a5, (void)a6;
	if (entries > FIRST_RESERVED_GDT_ENTRY)
		return -EINVAL;
	if (guest_copy_in(mfns, frames, n * sizeof(u64)))
		return -EFAULT;
	err = vcpu_set_gdt(current_vcpu(), mfns, (u32)entries);
	return err;
}

long hc_stack_switch(u64 ss, u64 sp, u64 a3, u64 a4, u64 a5, u64 a6)
{
	(void)ss, (void)a3, (void)a4, (void)a5, (void)a6;
	if (!guest_stack_ok(sp))
		return -EINVAL;
	current_vcpu()->arch.kernel_sp = sp & ~15UL;
	return 0;
}

static int set_callback(struct vcpu *v, u16 type, u64 address, bool masks)
{
	struct arch_vcpu *a = &v->arch;
	u64 *entry;
	u8 bit;

	switch (type) {
	case CALLBACKTYPE_event:
		entry = &a->event_entry;
		bit = CALLBACK_MASK_EVENT;
		break;
	case CALLBACKTYPE_failsafe:
		entry = &a->failsafe_entry;
		bit = CALLBACK_MASK_FAILSAFE;
		break;
	case CALLBACKTYPE_syscall:
		entry = &a->syscall_entry;
		bit = CALLBACK_MASK_SYSCALL;
		break;
	case CALLBACKTYPE_syscall32:
		entry = &a->syscall32_entry;
		bit = CALLBACK_MASK_SYSCALL32;
		break;
	case CALLBACKTYPE_sysenter:
		entry = &a->sysenter_entry;
		bit = CALLBACK_MASK_SYSENTER;
		break;
	case CALLBACKTYPE_nmi:
		entry = &a->nmi_entry;
		bit = CALLBACK_MASK_NMI;
		break;
	default:
		return -ENOSYS;
	}
	if (!guest_address_ok(address))
		return -EINVAL;
	*entry = address;
	if (type == CALLBACKTYPE_event)
		masks = true; /* or an event would interrupt its own entry */
	a->syscall_masks =
		masks ? a->syscall_masks | bit : a->syscall_masks & ~bit;
	return 0;
}

long hc_set_callbacks(u64 event, u64 failsafe, u64 syscall, u64 a4, u64 a5,
		      u64 a6)
{
	struct vcpu *v = current_vcpu();

	(void)a4, (void)a5, (void)a6;
	if (!guest_address_ok(event) || !guest_address_ok(failsafe) ||
	    !guest_address_ok(syscall))
		return -EINVAL;
	v->arch.event_entry = event;
	v->arch.failsafe_entry = failsafe;
	v->arch.syscall_entry = syscall;
	v->arch.syscall_masks |= CALLBACK_MASK_EVENT;
	return 0;
}

long hc_callback_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct vcpu *v = current_vcpu();
	struct callback_register reg;
	struct callback_unregister unreg;

	(void)a3, (void)a4, (void)a5, (void)a6;
	switch (cmd) {
	case CALLBACKOP_register:
		if (guest_copy_in(&reg, arg, sizeof(reg)))
			return -EFAULT;
		return set_callback(v, reg.type, (u64)reg.address,
				    reg.flags & CALLBACKF_mask_events);
	case CALLBACKOP_unregister:
		if (guest_copy_in(&unreg, arg, sizeof(unreg)))
			return -EFAULT;
		/* The vCPU could not go on without the first three. */
		if (unreg.type == CALLBACKTYPE_event ||
		    unreg.type == CALLBACKTYPE_failsafe ||
		    unreg.type == CALLBACKTYPE_syscall)
			return -EINVAL;
		return set_callback(v, unreg.type, 0, false);
	default:
		return -ENOSYS;
	}
}

long hc_nmi_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct xennmi_callback cb;

	(void)a3, (void)a4, (void)a5, (void)a6;
	switch (cmd) {
	case XENNMI_register_callback:
		if (guest_copy_in(&cb, arg, sizeof(cb)))
			return -EFAULT;
		return set_callback(current_vcpu(), CALLBACKTYPE_nmi,
				    cb.handler_address, false);
	case XENNMI_unregister_callback:
		return set_callback(current_vcpu(), CALLBACKTYPE_nmi, 0, false);
	default:
		return -ENOSYS;
	}
}

long hc_fpu_taskswitch(u64 set, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6)
{
	(void)a2, (void)a3, (void)a4, (void)a5, (void)a6;
	vcpu_set_ts(current_vcpu(), set & 0xffffffff);
	return 0;
}

long hc_set_debugreg(u64 reg, u64 value, u64 a3, u64 a4, u64 a5, u64 a6)
{
	(void)a3, (void)a4, (void)a5, (void)a6;
	return vcpu_set_debugreg(current_vcpu(), (unsigned int)reg, value);
}

long hc_get_debugreg(u64 reg, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6)
{
	u64 value;
	int err = vcpu_get_debugreg(current_vcpu(), (unsigned int)reg, &value);

	(void)a2, (void)a3, (void)a4, (void)a5, (void)a6;
	return err ? err : (long)value;
}

/* One descriptor of a live GDT or LDT, by machine address. The frame's SEGDESC
 * (or, for a table not in use, writable) type is held during the write. */
long hc_update_descriptor(u64 ma, u64 desc, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct domain *d = current_domain();
	struct frame *f = frame_of_mfn(ma >> PAGE_SHIFT);
	bool segdesc = true;

	(void)a3, (void)a4, (void)a5, (void)a6;
	if ((ma & 7) || !f || descriptor_check(&desc))
		return -EINVAL;
	if (frame_get_segdesc(&d->owner, f)) {
		if (frame_get_writable(f, d->id))
			return -EINVAL;
		segdesc = false;
	}
	WRITE_ONCE(*(u64 *)maddr_to_virt(ma), desc);
	if (segdesc)
		frame_put_segdesc(f);
	else
		frame_put_writable(f);
	return 0;
}

long hc_set_segment_base(u64 which, u64 base, u64 a3, u64 a4, u64 a5, u64 a6)
{
	(void)a3, (void)a4, (void)a5, (void)a6;
	return vcpu_set_segment_base(current_vcpu(), (u32)which, base);
}
