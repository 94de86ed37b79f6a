/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long each vCPU spent in each RUNSTATE_*: one clock reading ends a state
 * and begins the next, so the four times add up to the time since
 * vcpu_runstate_init exactly. Also counts down the virtual timer, which runs
 * while the vCPU does. Any CPU; RUNNING is entered and left on the CPU where
 * the vCPU runs.
 */
#ifndef HV_RUNSTATE_H
#define HV_RUNSTATE_H

#include <hv/domain.h>

void vcpu_runstate_init(struct vcpu *v, u32 state, u64 now_ns);
void vcpu_runstate_change(struct vcpu *v, u32 state, u64 now_ns);
/* Times up to now_ns, the present state's included. */
void vcpu_runstate_read(struct vcpu *v, struct vcpu_runstate_info *out,
			u64 now_ns);
/* Registers the guest's copy at va, or none for 0; errors of
 * guest_area_map. */
int vcpu_runstate_map(struct vcpu *v, u64 va) MUST_CHECK;
void vcpu_runstate_unmap(struct vcpu *v);

/* The virtual timer of the current vCPU; see xeno/vcpu_ext.h. */
void vcpu_virtual_timer_set(struct vcpu *v, u64 run_ns, u64 now_ns);
void vcpu_virtual_timer_stop(struct vcpu *v);
/* Called when virtual_timer expires; false: it was stopped meanwhile. */
bool vcpu_virtual_timer_expired(struct vcpu *v) MUST_CHECK;

#endif
