/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the fake machine's CPUs: a test sets them. */
#ifndef ARCH_COUNTERS_H
#define ARCH_COUNTERS_H

#include <hv/types.h>

#include <arch/cpu.h>

#define VCPU_WINDOW_BYTES 256UL

struct cpu_counters {
	u64 entries;
	u64 cr3_loads;
	u64 copied_bytes;
	bool online;
};

extern struct cpu_counters host_counters[MAX_CPUS];

static inline bool cpu_counters_read(unsigned int cpu, struct cpu_counters *out)
{
	if (cpu >= cpu_count)
		return false;
	*out = host_counters[cpu];
	return true;
}

#endif
