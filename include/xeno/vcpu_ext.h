/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Additions to the guest ABI: a timer in a vCPU's virtual time.
 *
 * HYPERVISOR_vcpu_op (number 24) with these commands, for the calling vCPU
 * only (-EINVAL otherwise). The timer fires once the vCPU has run for run_ns
 * nanoseconds from now on; time in which it waits, sleeps or is paused does
 * not count. It raises XENO_VIRQ_VIRTUAL_TIMER on the vCPU, a VIRQ that is
 * bound per vCPU with EVTCHNOP_bind_virq. Setting it again replaces it.
 * Numbers are outside the ranges of the public ABI's commands.
 */
#ifndef XENO_VCPU_EXT_H
#define XENO_VCPU_EXT_H

#include <stdint.h>

#define XENO_VCPUOP_set_virtual_timer 0x7e00  /* xeno_set_virtual_timer */
#define XENO_VCPUOP_stop_virtual_timer 0x7e01 /* no argument */

struct xeno_set_virtual_timer {
	uint64_t run_ns; /* 0: fires at once */
};

#define XENO_VIRQ_VIRTUAL_TIMER 17

#endif
