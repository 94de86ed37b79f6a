/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLB consistency. tlb_clock counts flush events; a frame is stamped with it
 * when its last type reference goes, and a CPU whose last full flush is later
 * than the stamp cannot hold a stale translation of it. The clock never wraps;
 * frames keep its lower half.
 * Flushes are synchronous: on return no CPU in the mask caches what was asked
 * to go. CPUs spinning on a lock serve them, so locks may be held.
 */
#ifndef ARCH_TLB_H
#define ARCH_TLB_H

#include <hv/types.h>

extern u64 tlb_clock;

/* A stamp of now. */
static inline u32 tlb_clock_now(void)
{
	return (u32)__atomic_load_n(&tlb_clock, __ATOMIC_SEQ_CST);
}

/* One more flush event; returns its number. */
static inline u64 tlb_clock_tick(void)
{
	return __atomic_add_fetch(&tlb_clock, 1, __ATOMIC_SEQ_CST);
}

/* Whether a CPU that flushed last at `flushed` may hold what a stamp is about;
 * now: the clock, read after the stamp was. Of all times that the stamp may
 * mean the latest is taken: never too early, whatever its age. */
static inline bool tlb_may_hold(u64 flushed, u32 stamp, u64 now)
{
	return flushed <= now - (u32)((u32)now - stamp);
}

/* Flushes those CPUs of mask that have not flushed since the stamp. */
void tlb_flush_since(u64 cpu_mask, u32 stamp);
void tlb_flush_mask(u64 cpu_mask);
/* One page; any value of va is safe. */
void tlb_flush_page_mask(u64 cpu_mask, u64 va);
void tlb_flush_local(void);
void tlb_flush_page_local(u64 va);
/* Serves what other CPUs asked of this one. */
void tlb_serve_requests(void);

#endif
