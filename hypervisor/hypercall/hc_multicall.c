/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several hypercalls in one entry. Each element is copied once, run in guest-
 * kernel mode, and its result written back. An element that wants to restart
 * makes the whole call restart at it: its own progress is kept by writing its
 * changed arguments back. The elements' own bounds do not bound their sum, so
 * the call is cut between them when it has taken long enough.
 */
#include <hv/audit_point.h>
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/hypercall.h>

#include <arch/clock.h>
#include <arch/context.h>

#include <xen/xen.h>

/* Ticks of the time stamp counter. */
#define MULTICALL_MAX_TICKS 20000

static long call(struct multicall_entry *e)
{
	if (e->op == __HYPERVISOR_multicall)
		return -EINVAL;
	if (e->op >= HYPERCALL_COUNT)
		return -ENOSYS;
	return hypercall_table[e->op](e->args[0], e->args[1], e->args[2],
				      e->args[3], e->args[4], e->args[5]);
}

/* The element's handler left its new arguments in the registers. */
static long restart(struct multicall_entry *e, u64 entry_va, u64 left,
		    const struct guest_regs *saved)
{
	struct guest_regs *r = &current_vcpu()->arch.regs;
	u64 args[6] = { r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 };

	for (unsigned int i = 0; i < 6; i++)
		e->args[i] = args[i];
	*r = *saved;
	if (guest_copy_out(entry_va, e, sizeof(*e)))
		return -EFAULT;
	r->rdi = entry_va;
	r->rsi = left;
	return -ERESTART;
}

static void load_args(const struct multicall_entry *e)
{
	struct guest_regs *r = &current_vcpu()->arch.regs;

	r->rdi = e->args[0];
	r->rsi = e->args[1];
	r->rdx = e->args[2];
	r->r10 = e->args[3];
	r->r8 = e->args[4];
	r->r9 = e->args[5];
}

long hc_multicall(u64 list, u64 count, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct vcpu *v = current_vcpu();
	struct guest_regs saved = v->arch.regs;
	struct multicall_entry e;
	u64 start = clock_ticks();
	long result = 0;
	bool first = true;

	(void)a3, (void)a4, (void)a5, (void)a6;
	count = (u32)count;
	for (; count; count--, list += sizeof(e)) {
		if (!first && clock_ticks() - start > MULTICALL_MAX_TICKS) {
			v->arch.regs.rdi = list;
			v->arch.regs.rsi = count;
			result = -ERESTART;
			break;
		}
		first = false;
		if (guest_copy_in(&e, list, sizeof(e))) {
			result = -EFAULT;
			break;
		}
		if (e.op == __HYPERVISOR_iret) {
			/* Ends the batch: the vCPU may be in user mode now. */
			vcpu_iret(v);
			return -ENORETURN;
		}
		load_args(&e);
		result = call(&e);
		audit_point();
		if (result == -ERESTART) {
			result = restart(&e, list, count, &saved);
			break;
		}
		v->arch.regs = saved;
		e.result = (u64)result;
		if (guest_copy_out(
			    list + offsetof(struct multicall_entry, result),
			    &e.result, sizeof(e.result))) {
			result = -EFAULT;
			break;
		}
		result = 0;
	}
	return result;
}
