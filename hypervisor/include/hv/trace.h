/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace records: 32 bytes each in a ring per CPU; the last ones are printed
 * by a panic. Writing one costs about ten instructions and never waits.
 */
#ifndef HV_TRACE_H
#define HV_TRACE_H

#include <hv/types.h>

enum trace_event {
	TRACE_NONE,
	TRACE_SWITCH,   /* a: domain << 16 | vCPU, b: until_ns */
	TRACE_CRASH,    /* a: domain */
	TRACE_SHUTDOWN, /* a: domain, b: code */
};

struct trace_record {
	u64 ns;
	u32 event;
	u32 reserved;
	u64 a, b;
};

void trace(enum trace_event event, u64 a, u64 b);
void trace_print_last(unsigned int count);

#endif
