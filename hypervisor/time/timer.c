/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Per-CPU timers (contract in hv/timer.h). t->cpu names the heap, and so the
 * lock (RANK_TIMER), that guards t, queued or not; it moves to another CPU
 * only under the old one's lock and while t is not queued. No function holds
 * two of these locks.
 */
#include <hv/lock.h>
#include <hv/timer.h>

#include <arch/clock.h>
#include <arch/cpu.h>

struct timer_cpu {
	struct spinlock lock;
	struct heap heap;
	u64 programmed_ns;     /* hardware deadline; ~0: none */
	struct timer *running; /* whose callback runs; written by its CPU */
} ALIGNED(64);

static struct timer_cpu timer_cpus[MAX_CPUS];

void timer_cpu_init(unsigned int cpu)
{
	struct timer_cpu *tc = &timer_cpus[cpu];

	*tc = (struct timer_cpu){ .programmed_ns = ~0UL };
	spin_init(&tc->lock, RANK_TIMER);
}

void timer_init(struct timer *t, void (*fn)(void *data), void *data)
{
	*t = (struct timer){ .fn = fn, .data = data };
	t->cpu = (u16)cpu_id();
}

static struct timer_cpu *lock_timer(struct timer *t)
{
	for (;;) {
		u16 cpu = READ_ONCE(t->cpu);

		spin_lock(&timer_cpus[cpu].lock);
		if (t->cpu == cpu)
			return &timer_cpus[cpu];
		spin_unlock(&timer_cpus[cpu].lock);
	}
}

static void dequeue(struct timer_cpu *tc, struct timer *t)
{
	if (t->queued) {
		heap_remove(&tc->heap, &t->node);
		t->queued = false;
	}
}

void timer_set(struct timer *t, u64 expires_ns)
{
	u16 self = (u16)cpu_id();
	struct timer_cpu *tc = lock_timer(t);

	/* Loops only when another CPU arms the same timer meanwhile. */
	while (t->cpu != self) {
		dequeue(tc, t);
		WRITE_ONCE(t->cpu, self);
		spin_unlock(&tc->lock);
		tc = lock_timer(t);
	}
	dequeue(tc, t);
	t->node.key = expires_ns;
	heap_insert(&tc->heap, &t->node);
	t->queued = true;
	if (expires_ns < tc->programmed_ns) {
		tc->programmed_ns = expires_ns;
		clock_program(expires_ns);
	}
	spin_unlock(&tc->lock);
}

static bool runs_elsewhere(const struct timer *t)
{
	for (unsigned int cpu = 0; cpu < cpu_count; cpu++) {
		if (cpu != cpu_id() && __atomic_load_n(&timer_cpus[cpu].running,
						       __ATOMIC_ACQUIRE) == t)
			return true;
	}
	return false;
}

void timer_stop(struct timer *t)
{
	for (;;) {
		struct timer_cpu *tc = lock_timer(t);
		bool running;

		dequeue(tc, t);
		running = runs_elsewhere(t);
		spin_unlock(&tc->lock);
		if (!running)
			return;
		/* Its callback may arm it again: look once more after. */
		while (runs_elsewhere(t))
			cpu_relax();
	}
}

bool timer_queued(const struct timer *t)
{
	return READ_ONCE(t->queued);
}

/* The first timer due by now_ns, marked running; NULL: the hardware is set
 * for the next one. */
static struct timer *take_due(struct timer_cpu *tc, u64 now_ns)
{
	struct heap_node *n;
	struct timer *t = NULL;

	spin_lock(&tc->lock);
	n = tc->heap.root;
	if (n && n->key <= now_ns) {
		t = container_of(n, struct timer, node);
		dequeue(tc, t);
		__atomic_store_n(&tc->running, t, __ATOMIC_RELAXED);
	} else {
		tc->programmed_ns = n ? n->key : ~0UL;
		clock_program(tc->programmed_ns);
	}
	spin_unlock(&tc->lock);
	return t;
}

void timer_run(void)
{
	struct timer_cpu *tc = &timer_cpus[cpu_id()];
	u64 now_ns = clock_now_ns();
	struct timer *t;

	/* One reading of the clock bounds the work of this interrupt. */
	while ((t = take_due(tc, now_ns)) != NULL) {
		t->fn(t->data);
		/* From here on its owner may free t. */
		__atomic_store_n(&tc->running, NULL, __ATOMIC_RELEASE);
	}
}
