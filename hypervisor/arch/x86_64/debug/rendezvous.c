/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The holder asks the others by a work flag and an interrupt, and waits until
 * each has set its bit. Whoever waits here serves flush requests, so a CPU
 * that is still on its way to its point may wait for a flush.
 *
 * Exact, because a CPU comes here only from the end of an entry or from idle:
 * all that its guest asked for is done or is recorded in frames and vCPUs.
 */
#include <arch/cpu.h>
#include <arch/rendezvous.h>
#include <arch/tlb.h>

static u32 claimed;  /* a holder exists */
static u32 holding;  /* waiting CPUs stay */
static u64 waiting;  /* one bit for each CPU that waits */

void rendezvous_point(void)
{
	u64 self = 1UL << cpu_id();

	if (!__atomic_load_n(&holding, __ATOMIC_SEQ_CST))
		return;
	__atomic_or_fetch(&waiting, self, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&holding, __ATOMIC_SEQ_CST)) {
		tlb_serve_requests();
		cpu_relax();
	}
	__atomic_and_fetch(&waiting, ~self, __ATOMIC_SEQ_CST);
}

void cpus_stop(void)
{
	u64 others = (~0UL >> (64 - cpu_count)) & ~(1UL << cpu_id());

	while (__atomic_exchange_n(&claimed, 1, __ATOMIC_SEQ_CST)) {
		rendezvous_point();
		tlb_serve_requests();
		cpu_relax();
	}
	__atomic_store_n(&holding, 1, __ATOMIC_SEQ_CST);
	for (u64 m = others; m; m &= m - 1)
		cpu_kick((unsigned int)__builtin_ctzl(m), CPU_WORK_STOP);
	while (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST) != others) {
		tlb_serve_requests();
		cpu_relax();
	}
}

void cpus_resume(void)
{
	__atomic_store_n(&holding, 0, __ATOMIC_SEQ_CST);
	/* A bit left from this time must not count for the next. */
	while (__atomic_load_n(&waiting, __ATOMIC_SEQ_CST))
		cpu_relax();
	__atomic_store_n(&claimed, 0, __ATOMIC_SEQ_CST);
}
