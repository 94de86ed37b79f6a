/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small world for mm/: two domains with a few dozen frames, two CPUs with
 * TLBs that remember until flushed, and a stream of bytes that says what
 * happens. After each step everything is recounted (hv/audit.h) and the TLBs
 * are compared with the frame types. Used by the model test and by the fuzzer.
 */
#ifndef TESTS_MM_WORLD_H
#define TESTS_MM_WORLD_H

#include <hv/types.h>

/* Once per process. */
void world_init(void);
/* Lives through the bytes, then takes everything apart. Panics on the first
 * wrong thing. Returns the number of steps made. */
unsigned long world_run(const u8 *bytes, size_t size);

/* The kinds of steps, and how often each succeeded: for a test to know that it
 * tested. */
#define WORLD_OPS_MAX 32
unsigned int world_ops(void);
const char *world_op_name(unsigned int op);
extern unsigned long world_done[WORLD_OPS_MAX];

#endif
