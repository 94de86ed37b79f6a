/* SPDX-License-Identifier: Apache-2.0 */
#include <hv/log.h>
#include <hv/trace.h>

#include <arch/clock.h>
#include <arch/cpu.h>

#define RECORDS 64

static struct {
	struct trace_record record[RECORDS];
	u64 count;
} rings[MAX_CPUS];

static const char *const names[] = { "none", "switch", "crash", "shutdown" };

void trace(enum trace_event event, u64 a, u64 b)
{
	unsigned int cpu = cpu_id();

	rings[cpu].record[rings[cpu].count++ % RECORDS] =
		(struct trace_record){ clock_now_ns(), event, 0, a, b };
}

void trace_print_last(unsigned int count)
{
	unsigned int cpu = cpu_id();
	u64 end = rings[cpu].count;
	u64 start = end > count ? end - count : 0;

	for (u64 i = start; i < end; i++) {
		const struct trace_record *r = &rings[cpu].record[i % RECORDS];

		log_error("  trace %lu ns %s %lx %lx", (unsigned long)r->ns,
			  names[r->event], (unsigned long)r->a,
			  (unsigned long)r->b);
	}
}
