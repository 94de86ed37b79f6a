/* SPDX-License-Identifier: Apache-2.0 */
/* vcpu_op: bringing up and down, timers, registered areas. */
#include <hv/dispatch.h>
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/guest_access.h>
#include <hv/hypercall.h>
#include <hv/mm.h>
#include <hv/runstate.h>
#include <hv/string.h>
#include <hv/vcpu_timer.h>

#include <arch/clock.h>
#include <arch/context.h>
#include <arch/cpu.h>

#include <xeno/vcpu_ext.h>

/* A guest context is bigger than a page and too big for the stack. */
#define CONTEXT_ORDER 1

_Static_assert(sizeof(struct vcpu_guest_context) <=
		       (PAGE_SIZE << CONTEXT_ORDER),
	       "fits its buffer");

/* Only one caller at a time initialises v. */
static int claim(struct vcpu *v)
{
	struct domain *d = v->domain;
	int rc = 0;

	spin_lock(&d->lock);
	if (v->initialised)
		rc = -EEXIST;
	else if (v->initialising)
		rc = -EBUSY;
	else
		v->initialising = true;
	spin_unlock(&d->lock);
	return rc;
}

static long initialise(struct vcpu *v, u64 arg)
{
	struct vcpu_guest_context *ctx;
	struct frame *f;
	int rc;

	rc = claim(v);
	if (rc)
		return rc;
	f = frame_alloc(CONTEXT_ORDER);
	if (f) {
		ctx = mfn_to_virt(frame_mfn(f));
		if (guest_copy_in(ctx, arg, sizeof(*ctx)))
			rc = -EFAULT;
		else
			rc = vcpu_initialise_from(v, ctx);
		frame_free(f, CONTEXT_ORDER);
	} else {
		rc = -ENOMEM;
	}
	spin_lock(&v->domain->lock);
	v->initialising = false;
	v->initialised = rc == 0;
	spin_unlock(&v->domain->lock);
	return rc;
}

static long bring_up(struct vcpu *v)
{
	struct domain *d = v->domain;
	bool was_down;
	int rc = 0;

	spin_lock(&d->lock);
	was_down = v->down;
	if (v->initialised)
		v->down = false;
	else
		rc = -EINVAL;
	spin_unlock(&d->lock);
	if (!rc && was_down)
		vcpu_start(v);
	return rc;
}

static long take_down(struct vcpu *v)
{
	struct domain *d = v->domain;
	bool all_down = true;

	spin_lock(&d->lock);
	v->down = true;
	for (u32 i = 0; i < d->vcpu_count; i++)
		all_down = all_down && d->vcpus[i]->down;
	spin_unlock(&d->lock);
	/* Nobody is left to bring one up again: the guest has halted. */
	if (all_down)
		domain_shutdown(d, READ_ONCE(d->shutdown_code));
	sched_sleep(&v->sched);
	return 0;
}

static bool info_registered(const struct vcpu *v)
{
	return v->arch.info != &v->domain->shared_info->vcpu_info[v->id];
}

static long register_info(struct vcpu *v, u64 arg)
{
	struct vcpu_register_vcpu_info op;
	struct domain *d = v->domain;
	struct vcpu_info *info;
	struct frame *f;
	int rc;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	if (op.offset > PAGE_SIZE - sizeof(*info) || op.offset % sizeof(u64))
		return -EINVAL;
	f = frame_of_mfn(op.mfn);
	if (!f)
		return -EINVAL;
	rc = frame_get_writable(f, d->id);
	if (rc)
		return rc;
	info = (struct vcpu_info *)((u8 *)mfn_to_virt(op.mfn) + op.offset);

	/* Once only, and never under the feet of a vCPU that runs. */
	spin_lock(&d->lock);
	if (info_registered(v) || (v != current_vcpu() && !v->down)) {
		spin_unlock(&d->lock);
		frame_put_writable(f);
		return -EINVAL;
	}
	memcpy(info, v->arch.info, sizeof(*info));
	__atomic_store_n(&v->arch.info, info, __ATOMIC_SEQ_CST);
	spin_unlock(&d->lock);
	/* Events set in the old one after the copy. */
	event_vcpu_info_moved(v);
	return 0;
}

static long register_runstate(struct vcpu *v, u64 arg)
{
	struct vcpu_register_runstate_memory_area op;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	return vcpu_runstate_map(v, op.addr.p);
}

static long get_runstate(struct vcpu *v, u64 arg)
{
	struct vcpu_runstate_info info;

	vcpu_runstate_read(v, &info, clock_now_ns());
	return guest_copy_out(arg, &info, sizeof(info)) ? -EFAULT : 0;
}

static long set_periodic(struct vcpu *v, u64 arg)
{
	struct vcpu_set_periodic_timer op;

	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	return vcpu_periodic_set(v, op.period_ns);
}

/* VCPU_SSHOTTMR_future may be ignored: a time that has passed fires. */
static long set_singleshot(struct vcpu *v, u64 arg)
{
	struct vcpu_set_singleshot_timer op;

	if (v != current_vcpu())
		return -EINVAL;
	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	vcpu_singleshot_set(v, op.timeout_abs_ns);
	return 0;
}

static long set_virtual(struct vcpu *v, u64 arg)
{
	struct xeno_set_virtual_timer op;

	if (v != current_vcpu())
		return -EINVAL;
	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	vcpu_virtual_timer_set(v, op.run_ns, clock_now_ns());
	return 0;
}

static long send_nmi(struct vcpu *v)
{
	WRITE_ONCE(v->arch.nmi_pending, 1);
	/* A waiting vCPU wakes for it; wherever it runs, its next way out
	 * looks (vcpu_deliver_nmi). */
	vcpu_kick(v);
	cpu_kick(v->sched.cpu, CPU_WORK_RESCHED);
	return 0;
}

static long timer_op(struct vcpu *v, u32 cmd, u64 arg)
{
	switch (cmd) {
	case VCPUOP_set_singleshot_timer:
		return set_singleshot(v, arg);
	case VCPUOP_stop_singleshot_timer:
		timer_stop(&v->singleshot);
		return 0;
	case VCPUOP_set_periodic_timer:
		return set_periodic(v, arg);
	case VCPUOP_stop_periodic_timer:
		vcpu_periodic_stop(v);
		return 0;
	case XENO_VCPUOP_set_virtual_timer:
		return set_virtual(v, arg);
	case XENO_VCPUOP_stop_virtual_timer:
		if (v != current_vcpu())
			return -EINVAL;
		vcpu_virtual_timer_stop(v);
		return 0;
	default:
		return -ENOSYS;
	}
}

long hc_vcpu_op(u64 cmd, u64 vcpu_id, u64 arg, u64 a4, u64 a5, u64 a6)
{
	struct domain *d = current_domain();
	struct vcpu *v;

	(void)a4, (void)a5, (void)a6;
	/* First: a booting guest probes thousands of ids. */
	if ((u32)vcpu_id >= d->vcpu_count)
		return -ENOENT;
	v = d->vcpus[(u32)vcpu_id];
	switch ((u32)cmd) {
	case VCPUOP_initialise:
		return initialise(v, arg);
	case VCPUOP_up:
		return bring_up(v);
	case VCPUOP_down:
		return take_down(v);
	case VCPUOP_is_up:
		return !READ_ONCE(v->down);
	case VCPUOP_get_runstate_info:
		return get_runstate(v, arg);
	case VCPUOP_register_runstate_memory_area:
		return register_runstate(v, arg);
	case VCPUOP_register_vcpu_info:
		return register_info(v, arg);
	case VCPUOP_send_nmi:
		return send_nmi(v);
	default:
		return timer_op(v, (u32)cmd, arg);
	}
}
