/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which vCPU each CPU runs: the scheduler's decision turned into a context
 * switch, runstates, meters and the slice timer. Called on the way out to a
 * guest, with no lock held.
 */
#ifndef HV_DISPATCH_H
#define HV_DISPATCH_H

#include <hv/types.h>

struct vcpu;

/* Asks the scheduler and switches; idles here while nothing is runnable. */
void dispatch(void);
/* Runs this CPU's deferred work (hv/work.h), a few rounds of it; what is left
 * waits until the guest has run as long, or until the CPU idles. */
void dispatch_deferred(void);
/* A CPU's first entry; never returns. */
void dispatch_start(void) NORETURN;
/* A vCPU that was created or initialised may now be scheduled. */
void vcpu_start(struct vcpu *v);
/* Re-examines a vCPU that must stop (paused, down, domain shut down). */
void vcpu_stop_soon(struct vcpu *v);

#endif
