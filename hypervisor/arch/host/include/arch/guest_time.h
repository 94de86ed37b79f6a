/* SPDX-License-Identifier: Apache-2.0 */
/* What guests read about time; tests that need it bring a fake of it along. */
#ifndef ARCH_GUEST_TIME_H
#define ARCH_GUEST_TIME_H

#include <hv/types.h>

struct domain;
struct vcpu_info;

void guest_time_init(struct vcpu_info *info);
void guest_wallclock_set(struct domain *d, u64 wall_at_zero_ns);
u64 clock_wall_ns_at_boot(void);

#endif
