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

static inline void load_args(const u64 *args)
{
	struct guest_regs *r = &current_vcpu()->arch.regs;

	r->rdi = args[0];
	r->rsi = args[1];
	r->rdx = args[2];
	r->r10 = args[3];
	r->r8 = args[4];
	r->r9 = args[5];
}

static inline void save_args(u64 *args)
{
	const struct guest_regs *r = &current_vcpu()->arch.regs;

	args[0] = r->rdi;
	args[1] = r->rsi;
	args[2] = r->rdx;
	args[3] = r->r10;
	args[4] = r->r8;
	args[5] = r->r9;
}

/* The rest of the list, of `left` elements from entry_va on, is for later. */
static long restart(u64 entry_va, u64 left)
{
	struct guest_regs *r = &current_vcpu()->arch.regs;

	r->rdi = entry_va;
	r->rsi = left;
	return -ERESTART;
}

/* The element's handler left its new arguments in the registers. */
static long restart_element(struct multicall_entry *e, u64 entry_va, u64 left,
			    const u64 *mine)
{
	save_args(e->args);
	load_args(mine);
	if (guest_copy_out(entry_va, e, sizeof(*e)))
		return -EFAULT;
	return restart(entry_va, left);
}

long hc_multicall(u64 list, u64 count, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct multicall_entry e;
	u64 start = clock_ticks();
	bool first = true;
	u64 mine[6];
	long result;

	(void)a3, (void)a4, (void)a5, (void)a6;
	save_args(mine);
	for (count = (u32)count; count; count--, list += sizeof(e)) {
		if (!first && clock_ticks() - start > MULTICALL_MAX_TICKS) {
			load_args(mine);
			return restart(list, count);
		}
		first = false;
		if (guest_copy_in(&e, list, sizeof(e)))
			break;
		if (e.op == __HYPERVISOR_iret) {
			/* Ends the batch: the vCPU may be in user mode now. */
			load_args(mine);
			vcpu_iret(current_vcpu());
			return -ENORETURN;
		}
		load_args(e.args);
		result = call(&e);
		audit_point();
		if (result == -ERESTART)
			return restart_element(&e, list, count, mine);
		e.result = (u64)result;
		if (guest_copy_out(
			    list + offsetof(struct multicall_entry, result),
			    &e.result, sizeof(e.result)))
			break;
	}
	load_args(mine);
	return count ? -EFAULT : 0;
}
