/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake machine's controls for hosted tests (arch/host/machine.c). A thread
 * plays the CPU host_cpu; locks check that they are neither taken twice nor
 * released by a stranger, and keep order by rank. CHECK and panic abort.
 */
#ifndef ARCH_HOST_MACHINE_H
#define ARCH_HOST_MACHINE_H

#include <hv/types.h>

/* `frames` machine frames of zeroed memory, none of them given to the
 * allocator yet, and `cpus` CPUs. Undone by host_machine_exit, which panics
 * if a lock is held. */
void host_machine_init(u64 frames, unsigned int cpus);
void host_machine_exit(void);

/* Guest memory: the hypervisor's guest_copy_in/out reach [va, va + size_bytes)
 * at `bytes`; all else is -EFAULT. size_bytes 0: nothing. */
void host_guest_window(u64 va, void *bytes, u64 size_bytes);

/* Locks this thread holds. */
extern _Thread_local unsigned int host_locks_held;

/* Time of clock_now_ns; last value given to clock_program. */
extern u64 host_clock_ns, host_clock_programmed_ns;
/* What each reading adds to it: for loops that wait for a time. */
extern u64 host_clock_step_ns;

/* Called for each CPU that flushes everything, if set. */
extern void (*host_on_flush)(unsigned int cpu);
extern u64 host_flushes;      /* full flushes of CPUs, in all */
extern u64 host_page_flushes; /* of one page, in all */
/* Where the flush clock continues, all CPUs having flushed just then: to test
 * that stamps wrap. */
void host_tlb_clock_set(u64 now);

/* log_at's threshold: messages above it are dropped. */
extern int host_log_level;

#endif
