/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine can tell about its CPUs, and what a vCPU takes of it. */
#ifndef ARCH_COUNTERS_H
#define ARCH_COUNTERS_H

#include <hv/types.h>

#include <arch/cpu.h>

/* A vCPU's entries in page tables that all vCPUs share: its descriptor
 * window's. */
#define VCPU_WINDOW_BYTES 256UL

struct cpu_counters {
	u64 entries; /* from guests */
	u64 cr3_loads;
	u64 copied_bytes; /* from and to guests */
	bool online;
};

/* false: no such CPU. Its owner goes on counting meanwhile. */
static inline bool cpu_counters_read(unsigned int cpu, struct cpu_counters *out)
{
	const struct cpu *c = cpu < MAX_CPUS ? READ_ONCE(cpus[cpu]) : NULL;

	if (!c)
		return false;
	out->entries = READ_ONCE(c->entries);
	out->cr3_loads = READ_ONCE(c->cr3_loads);
	out->copied_bytes = READ_ONCE(c->copied_bytes);
	out->online = READ_ONCE(c->online) != 0;
	return true;
}

#endif
