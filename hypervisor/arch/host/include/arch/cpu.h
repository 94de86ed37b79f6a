/* SPDX-License-Identifier: Apache-2.0 */
/* Fake CPUs for hosted tests: host_cpu is settable, kicks are recorded. */
#ifndef ARCH_CPU_H
#define ARCH_CPU_H

#include <hv/types.h>

#include <arch/layout.h>

#define MAX_CPUS 64
#define CPU_WORK_RESCHED 1U
#define CPU_WORK_FLUSH 2U
#define CPU_WORK_DEFERRED 4U

extern unsigned int cpu_count;
extern _Thread_local unsigned int host_cpu; /* which CPU the thread plays */
extern u64 host_kicked; /* mask of CPUs kicked since cleared */

static inline unsigned int cpu_id(void)
{
	return host_cpu;
}

static inline void cpu_relax(void)
{
}

void cpu_kick(unsigned int cpu, u32 work);

#endif
