/* SPDX-License-Identifier: Apache-2.0 */
/* Timers of vCPUs (contract in hv/vcpu_timer.h). */
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/runstate.h>
#include <hv/vcpu_timer.h>

#include <arch/clock.h>

#include <xeno/vcpu_ext.h>

static void singleshot_fires(void *data)
{
	event_virq_vcpu(data, VIRQ_TIMER);
}

static void periodic_fires(void *data)
{
	struct vcpu *v = data;

	if (!READ_ONCE(v->period_ns))
		return;
	event_virq_vcpu(v, VIRQ_TIMER);
	/* What cannot run has its tick pending and needs no more of them. */
	if (!READ_ONCE(v->down) && !READ_ONCE(v->domain->pause_count))
		vcpu_periodic_resume(v);
}

void vcpu_periodic_resume(struct vcpu *v)
{
	u64 period_ns = READ_ONCE(v->period_ns);
	u64 due_ns = timer_expires(&v->periodic);
	u64 now_ns = clock_now_ns();

	if (!period_ns)
		return;
	/* Ticks that were missed are dropped; the phase is kept. */
	if (due_ns <= now_ns)
		due_ns += (now_ns - due_ns) / period_ns * period_ns + period_ns;
	timer_set(&v->periodic, due_ns);
}

static void poll_fires(void *data)
{
	struct vcpu *v = data;

	event_poll_end(v);
	vcpu_kick(v);
}

static void virtual_fires(void *data)
{
	struct vcpu *v = data;

	if (vcpu_virtual_timer_expired(v))
		event_virq_vcpu(v, XENO_VIRQ_VIRTUAL_TIMER);
}

void vcpu_timers_init(struct vcpu *v)
{
	timer_init(&v->singleshot, singleshot_fires, v);
	timer_init(&v->periodic, periodic_fires, v);
	timer_init(&v->poll_timer, poll_fires, v);
	timer_init(&v->virtual_timer, virtual_fires, v);
	v->period_ns = 0;
	v->virtual_armed = false;
}

void vcpu_timers_exit(struct vcpu *v)
{
	vcpu_periodic_stop(v);
	timer_stop(&v->singleshot);
	timer_stop(&v->poll_timer);
	vcpu_virtual_timer_stop(v);
}

void vcpu_singleshot_set(struct vcpu *v, u64 expires_ns)
{
	if (expires_ns > clock_now_ns()) {
		timer_set(&v->singleshot, expires_ns);
		return;
	}
	timer_stop(&v->singleshot);
	event_virq_vcpu(v, VIRQ_TIMER);
}

int vcpu_periodic_set(struct vcpu *v, u64 period_ns)
{
	u64 now_ns = clock_now_ns();

	if (period_ns < VCPU_PERIOD_MIN_NS || period_ns > ~0UL - now_ns)
		return -EINVAL;
	WRITE_ONCE(v->period_ns, period_ns);
	timer_set(&v->periodic, now_ns + period_ns);
	return 0;
}

void vcpu_periodic_stop(struct vcpu *v)
{
	WRITE_ONCE(v->period_ns, 0);
	timer_stop(&v->periodic);
}
