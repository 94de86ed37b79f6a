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
/* A CPU's first entry; never returns. */
void dispatch_start(void) NORETURN;
/* A vCPU that was created or initialised may now be scheduled. */
void vcpu_start(struct vcpu *v);
/* Re-examines a vCPU that must stop (paused, down, domain shut down). */
void vcpu_stop_soon(struct vcpu *v);

#endif
