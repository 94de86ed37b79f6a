// SPDX-License-Identifier: Apache-2.0
/*
 * Queues of deferred work, one per CPU (contract in hv/work.h).
 *
 * state says whether a piece of work is asked for and whether it runs. Who
 * turns state from 0 to asked puts it in a queue; while it runs nobody does,
 * and the CPU that ran it puts it in its own queue when it finds it asked for
 * again. So a piece of work is in at most one queue and never in one while it
 * runs. on_cpu, late and link change only under the lock of the queue that it
 * enters or leaves. The lock ranks below nearly all others, for any may be
 * held.
 *
 * Late work is asked for like other work, but in a queue that no round takes
 * from. Who asks for it again without "late" moves it; should he come while it
 * is on its way into that queue, it stays there, for no longer than it would
 * have.
 */
#include <hv/lock.h>
#include <hv/log.h>
#include <hv/meter.h>
#include <hv/work.h>

#include <arch/clock.h>
#include <arch/cpu.h>
#include <arch/tlb.h>

#define ASKED 1U
#define RUNNING 2U

struct work_cpu {
	struct spinlock lock;
	struct list queue; /* oldest first */
	u32 count;         /* in queue */
	struct list late;  /* oldest first */
	u32 late_count;
	bool in_round; /* this CPU's own: work_run will see what is added */
} ALIGNED(64);

static struct work_cpu work_cpus[MAX_CPUS];

void work_start(void)
{
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++) {
		struct work_cpu *q = &work_cpus[cpu];

		spin_init(&q->lock, RANK_WORK);
		list_init(&q->queue);
		list_init(&q->late);
		q->count = q->late_count = 0;
		q->in_round = false;
	}
}

void work_init(struct work *w, void (*run)(struct work *w),
	       struct meter_account *account)
{
	*w = (struct work){ .run = run, .account = account };
	list_init(&w->link);
}

static void enqueue_locked(struct work_cpu *q, struct work *w, bool late)
{
	u32 *count = late ? &q->late_count : &q->count;

	list_add_tail(late ? &q->late : &q->queue, &w->link);
	__atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&w->late, late, __ATOMIC_RELAXED);
	__atomic_store_n(&w->on_cpu, (u32)(q - work_cpus) + 1,
			 __ATOMIC_RELAXED);
}

static void enqueue(struct work *w, bool late)
{
	unsigned int cpu = cpu_id();
	struct work_cpu *q = &work_cpus[cpu];

	spin_lock(&q->lock);
	enqueue_locked(q, w, late);
	spin_unlock(&q->lock);
	if (late || !q->in_round)
		cpu_kick(cpu, CPU_WORK_DEFERRED);
}

static void dequeue_locked(struct work_cpu *q, struct work *w)
{
	u32 *count = w->late ? &q->late_count : &q->count;

	list_del(&w->link);
	__atomic_store_n(count, *count - 1, __ATOMIC_RELAXED);
	__atomic_store_n(&w->late, false, __ATOMIC_RELAXED);
	__atomic_store_n(&w->on_cpu, 0, __ATOMIC_RELAXED);
}

static bool dequeue(struct work *w);

void work_queue(struct work *w)
{
	if (!__atomic_fetch_or(&w->state, ASKED, __ATOMIC_SEQ_CST) ||
	    (__atomic_load_n(&w->late, __ATOMIC_RELAXED) && dequeue(w)))
		enqueue(w, false);
}

void work_queue_late(struct work *w)
{
	if (!__atomic_fetch_or(&w->state, ASKED, __ATOMIC_SEQ_CST))
		enqueue(w, true);
}

bool work_late_waits(void)
{
	return __atomic_load_n(&work_cpus[cpu_id()].late_count,
			       __ATOMIC_RELAXED) != 0;
}

void work_late_due(void)
{
	struct work_cpu *q = &work_cpus[cpu_id()];

	spin_lock(&q->lock);
	while (!list_empty(&q->late)) {
		struct work *w = container_of(q->late.next, struct work, link);

		dequeue_locked(q, w);
		enqueue_locked(q, w, false);
	}
	spin_unlock(&q->lock);
	cpu_kick(cpu_id(), CPU_WORK_DEFERRED);
}

static bool dequeue(struct work *w)
{
	u32 on_cpu = __atomic_load_n(&w->on_cpu, __ATOMIC_RELAXED);
	struct work_cpu *q;
	bool found;

	if (!on_cpu)
		return false;
	q = &work_cpus[on_cpu - 1];
	spin_lock(&q->lock);
	found = w->on_cpu == on_cpu;
	if (found)
		dequeue_locked(q, w);
	spin_unlock(&q->lock);
	return found;
}

void work_cancel(struct work *w)
{
	/* Either it runs, or it is on its way into a queue or out of one: all
	 * of these pass, but for what they may need of this CPU. */
	while (__atomic_load_n(&w->state, __ATOMIC_ACQUIRE)) {
		if (dequeue(w)) {
			__atomic_store_n(&w->state, 0, __ATOMIC_RELEASE);
			return;
		}
		tlb_serve_requests();
		cpu_relax();
	}
}

/* The oldest of the queue, now running; NULL: empty. */
static struct work *take(struct work_cpu *q)
{
	struct work *w = NULL;

	spin_lock(&q->lock);
	if (!list_empty(&q->queue)) {
		w = container_of(q->queue.next, struct work, link);
		/* First, for without both a canceller would believe it gone.
		 * What asked before this is served by this run. */
		__atomic_exchange_n(&w->state, RUNNING, __ATOMIC_SEQ_CST);
		dequeue_locked(q, w);
	}
	spin_unlock(&q->lock);
	return w;
}

/* Its account is closed: from here on its owner may free it, unless it was
 * asked for meanwhile. */
static void finish(struct work *w)
{
	if (__atomic_fetch_and(&w->state, ASKED, __ATOMIC_SEQ_CST) & ASKED)
		enqueue(w, false);
}

bool work_run(u64 until_ns)
{
	struct work_cpu *q = &work_cpus[cpu_id()];
	struct meter_account *before = NULL;
	struct work *w, *last = NULL;
	/* Others may only take away. */
	u32 left = __atomic_load_n(&q->count, __ATOMIC_RELAXED);
	u64 now_ns = clock_now_ns();

	q->in_round = true;
	while (left-- && (now_ns < until_ns || !last) &&
	       (w = take(q)) != NULL) {
		struct meter_account *a =
			w->account ? w->account : meter_overhead(METER_IRQ);
		struct meter_account *open = meter_switch(a, now_ns);

		if (last)
			finish(last);
		else
			before = open;
		w->run(w);
		last = w;
		now_ns = clock_now_ns();
	}
	if (last) {
		meter_switch(before, now_ns);
		finish(last);
	}
	q->in_round = false;
	return __atomic_load_n(&q->count, __ATOMIC_RELAXED) != 0;
}
