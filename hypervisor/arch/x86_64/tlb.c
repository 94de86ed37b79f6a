/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLB flushes across CPUs. A request is a flag in the target's struct cpu plus
 * an interrupt; the requester waits for the flag to fall. Targets serve it in
 * the interrupt, on the way out to a guest, while they spin on a lock, and
 * while they wait for others: so no wait can be circular.
 */
#include <hv/lock.h>

#include <arch/cpu.h>
#include <arch/internal.h>
#include <arch/tlb.h>
#include <arch/x86.h>

u64 tlb_clock;

void tlb_flush_local(void)
{
	struct cpu *c = this_cpu();

	write_cr3(read_cr3());
	c->cr3_loads++;
	c->tlb_flushed = tlb_clock_tick();
}

void tlb_flush_page_local(u64 va)
{
	invlpg(va);
}

void tlb_serve_requests(void)
{
	struct cpu *c = this_cpu();

	if (__atomic_load_n(&c->flush_all, __ATOMIC_ACQUIRE)) {
		tlb_flush_local();
		__atomic_store_n(&c->flush_all, 0, __ATOMIC_RELEASE);
	}
}

static void flush_others(u64 mask)
{
	for (u64 m = mask; m; m &= m - 1) {
		struct cpu *c = cpus[__builtin_ctzl(m)];

		__atomic_store_n(&c->flush_all, 1, __ATOMIC_SEQ_CST);
		cpu_kick(c->id, CPU_WORK_FLUSH);
	}
	for (u64 m = mask; m; m &= m - 1) {
		struct cpu *c = cpus[__builtin_ctzl(m)];

		while (__atomic_load_n(&c->flush_all, __ATOMIC_ACQUIRE)) {
			tlb_serve_requests();
			cpu_relax();
		}
	}
}

void tlb_flush_mask(u64 cpu_mask)
{
	u64 self = 1UL << cpu_id();

	if (cpu_mask & self)
		tlb_flush_local();
	if (cpu_mask & ~self)
		flush_others(cpu_mask & ~self);
}

void tlb_flush_since(u64 cpu_mask, u32 stamp)
{
	u64 now = __atomic_load_n(&tlb_clock, __ATOMIC_SEQ_CST);
	u64 need = 0;

	for (u64 m = cpu_mask; m; m &= m - 1) {
		unsigned int id = (unsigned int)__builtin_ctzl(m);

		if (tlb_may_hold(READ_ONCE(cpus[id]->tlb_flushed), stamp, now))
			need |= 1UL << id;
	}
	if (need)
		tlb_flush_mask(need);
}

void tlb_flush_page_mask(u64 cpu_mask, u64 va)
{
	u64 self = 1UL << cpu_id();

	if (cpu_mask & self)
		invlpg(va);
	if (cpu_mask & ~self)
		flush_others(cpu_mask & ~self);
}

/* ---- locks: here because a spinning CPU must serve flushes ---- */

void spin_lock_contended(struct spinlock *l)
{
	do {
		while (__atomic_load_n(&l->locked, __ATOMIC_RELAXED)) {
			tlb_serve_requests();
			cpu_relax();
		}
	} while (__atomic_exchange_n(&l->locked, 1, __ATOMIC_ACQUIRE));
}

#ifdef XENO_DEBUG
/* Ranks held by each CPU, as a stack; taking a lower or equal rank (but for
 * pairs, which spin_lock_both orders by address) is a lock-order bug. */
#include <hv/log.h>

static struct {
	struct spinlock *held[8];
	unsigned int count;
} held_locks[MAX_CPUS];

void spin_lock(struct spinlock *l)
{
	unsigned int cpu = cpu_id();
	unsigned int n = held_locks[cpu].count;

	if (n && held_locks[cpu].held[n - 1]->rank > l->rank)
		panic("lock order: rank %u held, rank %u asked",
		      held_locks[cpu].held[n - 1]->rank, l->rank);
	if (n == 8 || l->holder == cpu + 1)
		panic("lock of rank %u taken twice", l->rank);
	if (__atomic_exchange_n(&l->locked, 1, __ATOMIC_ACQUIRE))
		spin_lock_contended(l);
	l->holder = (u16)(cpu + 1);
	held_locks[cpu].held[held_locks[cpu].count++] = l;
}

void spin_unlock(struct spinlock *l)
{
	unsigned int cpu = cpu_id(), i;

	if (l->holder != cpu + 1)
		panic("lock of rank %u released by CPU %u, not its holder",
		      l->rank, cpu);
	l->holder = 0;
	for (i = held_locks[cpu].count; held_locks[cpu].held[i - 1] != l; i--)
		;
	for (; i < held_locks[cpu].count; i++)
		held_locks[cpu].held[i - 1] = held_locks[cpu].held[i];
	held_locks[cpu].count--;
	__atomic_store_n(&l->locked, 0, __ATOMIC_RELEASE);
}
#endif
