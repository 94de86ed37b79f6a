/* SPDX-License-Identifier: Apache-2.0 */
/* See hv/dispatch.h. One clock reading per change of account: what runs until
 * the decision is the old vCPU's, the decision and switch are overhead. */
#include <hv/dispatch.h>
#include <hv/domain.h>
#include <hv/log.h>
#include <hv/machine.h>
#include <hv/runstate.h>
#include <hv/trace.h>
#include <hv/vcpu_timer.h>
#include <hv/work.h>

#include <arch/clock.h>
#include <arch/context.h>
#include <arch/idle.h>

#include <xen/sched.h>

/* Deferred work before a guest gets its turn: as many pieces as begin in this
 * time, so that what work asks of other work is mostly done at once. Then, if
 * more is waiting, the guest's least turn. */
#define DEFERRED_TURN_NS 50000UL

static struct timer slice_timers[MAX_CPUS];
static struct timer deferred_timers[MAX_CPUS];
static struct timer late_timers[MAX_CPUS];

/* Grace periods: the latest that began, and which each CPU has seen while it
 * held no domain borrowed. */
static u64 grace_begun, grace_seen[MAX_CPUS];

u64 domain_grace_begin(void)
{
	u64 grace = __atomic_add_fetch(&grace_begun, 1, __ATOMIC_SEQ_CST);

	for (unsigned int i = 0; i < cpu_count; i++)
		if (i != cpu_id())
			cpu_kick(i, CPU_WORK_RESCHED);
	return grace;
}

bool domain_grace_over(u64 grace)
{
	for (unsigned int i = 0; i < cpu_count; i++)
		if (i != cpu_id() &&
		    __atomic_load_n(&grace_seen[i], __ATOMIC_ACQUIRE) < grace)
			return false;
	return true;
}

static void slice_over(void *data)
{
	(void)data;
	cpu_kick(cpu_id(), CPU_WORK_RESCHED);
}

static void pause_over(void *data)
{
	(void)data;
	cpu_kick(cpu_id(), CPU_WORK_DEFERRED);
}

static void late_over(void *data)
{
	(void)data;
	if (work_late_waits())
		work_late_due();
}

/* The vCPU that late work has waited for stops. */
static void release_late_work(void)
{
	if (!work_late_waits())
		return;
	timer_stop(&late_timers[cpu_id()]);
	work_late_due();
}

static void run_rounds(void)
{
	u64 began_ns = clock_now_ns(), now_ns;

	do {
		if (!work_run(began_ns + DEFERRED_TURN_NS))
			return;
		now_ns = clock_now_ns();
	} while (now_ns - began_ns < DEFERRED_TURN_NS);
	timer_set(&deferred_timers[cpu_id()],
		  now_ns + MAX(now_ns - began_ns, DEFERRED_TURN_NS));
}

void dispatch_deferred(void)
{
	struct timer *late = &late_timers[cpu_id()];

	run_rounds();
	if (work_late_waits() && !timer_queued(late))
		timer_set(late, clock_now_ns() + WORK_LATE_NS);
}

static struct vcpu *vcpu_of(struct sched_unit *unit)
{
	return container_of(unit, struct vcpu, sched);
}

static bool runnable(const struct vcpu *v)
{
	return READ_ONCE(v->domain->state) == DOMAIN_RUNNING &&
	       !READ_ONCE(v->down) && !READ_ONCE(v->blocked) &&
	       !READ_ONCE(v->domain->pause_count);
}

static u32 waiting_state(const struct vcpu *v, bool is_runnable)
{
	if (is_runnable)
		return RUNSTATE_runnable;
	if (READ_ONCE(v->blocked) && !READ_ONCE(v->down))
		return RUNSTATE_blocked;
	return RUNSTATE_offline;
}

static void switch_to(struct vcpu *prev, struct vcpu *next, bool prev_runnable,
		      u64 now_ns)
{
	if (prev) {
		vcpu_runstate_change(prev, waiting_state(prev, prev_runnable),
				     now_ns);
		context_save(prev);
		sched_saved(&prev->sched);
	}
	if (next)
		sched_await(&next->sched);
	context_load(next);
	if (next) {
		vcpu_runstate_change(next, RUNSTATE_running, now_ns);
		trace(TRACE_SWITCH, (u64)next->domain->id << 16 | next->id, 0);
	}
}

static void wait_for_work(void)
{
	struct cpu *c = this_cpu();
	u32 work;

	while (!__atomic_load_n(&c->work, __ATOMIC_SEQ_CST))
		idle_until_interrupt();
	work = __atomic_exchange_n(&c->work, 0, __ATOMIC_SEQ_CST);
	arch_serve_requests();
	/* Nobody else waits for this CPU, so nothing need pause. */
	if ((work & CPU_WORK_DEFERRED) &&
	    work_run(clock_now_ns() + DEFERRED_TURN_NS))
		cpu_kick(c->id, CPU_WORK_DEFERRED);
}

void dispatch(void)
{
	struct cpu *c = this_cpu();

	for (;;) {
		struct vcpu *prev = c->vcpu, *next;
		struct sched_unit *unit;
		u64 now_ns, until_ns = ~0UL;
		bool prev_runnable;

		__atomic_store_n(
			&grace_seen[c->id],
			__atomic_load_n(&grace_begun, __ATOMIC_ACQUIRE),
			__ATOMIC_RELEASE);
		if (unlikely(domain_chores_due()))
			domain_chores();
		now_ns = clock_now_ns();
		prev_runnable = prev && runnable(prev);

		meter_switch(meter_overhead(METER_SCHED), now_ns);
		if (unlikely(domain0 &&
			     READ_ONCE(domain0->state) == DOMAIN_SHUT_DOWN))
			machine_end_domain0(domain0->shutdown_code);
		unit = sched_pick(prev ? &prev->sched : NULL, prev_runnable,
				  now_ns, &until_ns);
		/* It may have been stopped between being woken and now. */
		while (unit && !runnable(vcpu_of(unit)))
			unit = sched_pick(unit, false, now_ns, &until_ns);
		next = unit ? vcpu_of(unit) : NULL;
		if (next != prev || !next)
			release_late_work();
		if (next != prev)
			switch_to(prev, next, prev && runnable(prev), now_ns);
		if (until_ns != ~0UL)
			timer_set(&slice_timers[c->id], until_ns);
		else
			timer_stop(&slice_timers[c->id]);
		meter_switch(next ? &next->meter : meter_overhead(METER_IDLE),
			     clock_now_ns());
		if (next)
			return;
		wait_for_work();
	}
}

void dispatch_start(void)
{
	struct cpu *c = this_cpu();

	timer_init(&slice_timers[c->id], slice_over, NULL);
	timer_init(&deferred_timers[c->id], pause_over, NULL);
	timer_init(&late_timers[c->id], late_over, NULL);
	dispatch();
	arch_enter_guest();
}

/* ---- waking and stopping ---- */

void vcpu_start(struct vcpu *v)
{
	/* Even if it blocks: the tick is what may wake it. */
	vcpu_periodic_resume(v);
	if (runnable(v))
		sched_wake(&v->sched);
}

void vcpu_stop_soon(struct vcpu *v)
{
	sched_sleep(&v->sched);
}

void vcpu_kick(struct vcpu *v)
{
	if (__atomic_exchange_n(&v->blocked, false, __ATOMIC_SEQ_CST)) {
		if (!READ_ONCE(v->down) && !READ_ONCE(v->domain->pause_count))
			sched_wake(&v->sched);
		return;
	}
	if (v != current_vcpu() && READ_ONCE(v->sched.state) == SCHED_RUNNING)
		cpu_kick(v->sched.cpu, 0);
}

void vcpu_block_current(void)
{
	struct vcpu *v = current_vcpu();

	__atomic_store_n(&v->blocked, true, __ATOMIC_SEQ_CST);
	/* An event that came before the store is seen here, a later one by
	 * vcpu_kick's exchange. */
	if (v->arch.info->evtchn_upcall_pending &&
	    !v->arch.info->evtchn_upcall_mask)
		__atomic_store_n(&v->blocked, false, __ATOMIC_SEQ_CST);
	else
		cpu_kick(cpu_id(), CPU_WORK_RESCHED);
}

void vcpu_yield_current(void)
{
	sched_unit_yield(&current_vcpu()->sched);
	cpu_kick(cpu_id(), CPU_WORK_RESCHED);
}
