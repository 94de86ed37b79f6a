/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timers of a vCPU: single-shot and periodic raise VIRQ_TIMER, the poll
 * timer ends SCHEDOP_poll, the virtual one raises XENO_VIRQ_VIRTUAL_TIMER.
 * Times are absolute system time. The periodic timer wakes a vCPU that blocks,
 * but ticks once at most for one that is down or paused: vcpu.h calls that not
 * runnable, and there is nobody whom a second tick could tell anything.
 */
#ifndef HV_VCPU_TIMER_H
#define HV_VCPU_TIMER_H

#include <hv/domain.h>

#define VCPU_PERIOD_MIN_NS 1000000UL

/* At the vCPU's creation; and when it has stopped for good. */
void vcpu_timers_init(struct vcpu *v);
void vcpu_timers_exit(struct vcpu *v);

/* A time that has passed fires at once. */
void vcpu_singleshot_set(struct vcpu *v, u64 expires_ns);
/* -EINVAL: shorter than VCPU_PERIOD_MIN_NS. */
int vcpu_periodic_set(struct vcpu *v, u64 period_ns) MUST_CHECK;
void vcpu_periodic_stop(struct vcpu *v);
/* v is neither down nor paused any more: it ticks again, in its old phase. */
void vcpu_periodic_resume(struct vcpu *v);

#endif
