/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long one entry from a guest keeps the hypervisor, and with it interrupts
 * off: at most HOLD_MAX_INSTRUCTIONS, whatever a guest asks for, since what is
 * longer is cut and restarted. LATENCY=1 builds measure each entry from its
 * first instructions to its last and keep the longest of each kind; other
 * builds have nothing of it.
 */
#ifndef HV_HOLD_H
#define HV_HOLD_H

/* Repeated string instructions count once per repetition. */
#define HOLD_MAX_INSTRUCTIONS 200000

/* Kinds below HOLD_UNKNOWN are numbers of hypercalls. */
#define HOLD_UNKNOWN 64
#define HOLD_SYSTEM_CALL 65
#define HOLD_VECTOR 66 /* and above: vectors */

#ifndef __ASSEMBLER__
#include <hv/types.h>

#ifdef XENO_LATENCY
/* Interrupts that find the CPU idle start what entry.S does not see. */
void hold_begin(u32 kind);
void hold_end(void);
/* What the console prints at the end of Domain 0 and on a debug key. */
void hold_init(void);
void hold_print(void);
#else
static inline void hold_begin(u32 kind)
{
	(void)kind;
}

static inline void hold_end(void)
{
}

static inline void hold_init(void)
{
}

static inline void hold_print(void)
{
}
#endif
#endif

#endif
