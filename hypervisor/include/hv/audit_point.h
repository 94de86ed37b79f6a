/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places where every count and type of every frame must be exact: the end of
 * a hypercall and of an emulated page-table write. In debug builds every N-th
 * of them (option audit=N) stops the other CPUs, recounts everything and
 * panics on any difference. In other builds nothing of it exists.
 */
#ifndef HV_AUDIT_POINT_H
#define HV_AUDIT_POINT_H

#include <hv/types.h>

#ifdef XENO_AUDIT
/* At boot, once all CPUs run; every: the option's value. */
void audit_init(u64 every);
/* The caller holds no lock, and no reference that only its stack knows. */
void audit_point(void);
/* At the end of Domain 0: how many operations and audits there were. */
void audit_print(void);
#else
static inline void audit_init(u64 every)
{
	(void)every;
}

static inline void audit_point(void)
{
}

static inline void audit_print(void)
{
}
#endif

#endif
