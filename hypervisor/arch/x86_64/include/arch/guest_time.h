/* SPDX-License-Identifier: Apache-2.0 */
/* The time that guests read without asking us (xen.h: vcpu_time_info and the
 * wall clock in shared_info). */
#ifndef ARCH_GUEST_TIME_H
#define ARCH_GUEST_TIME_H

#include <hv/types.h>

struct domain;
struct vcpu_info;

/* System time is a fixed function of the TSC: filled in once. */
void guest_time_init(struct vcpu_info *info);
/* After clock_skip. */
void guest_time_update(struct vcpu_info *info);
/* Wall-clock time at system time 0, for one domain. */
void guest_wallclock_set(struct domain *d, u64 wall_at_zero_ns);
/* Ours, as the last setter (boot: the CMOS clock) left it. */
u64 clock_wall_ns_at_boot(void);
void clock_wall_set_at_boot(u64 wall_at_zero_ns);

#endif
