/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU meters (contract in hv/meter.h). What is charged on a CPU is booked
 * twice: in the account, and in the CPU's own sums (one per overhead account
 * and one for all others); a balance compares both with elapsed time.
 * Order: the list lock (RANK_METER), then the gates by CPU number.
 */
#include <hv/lock.h>
#include <hv/log.h>
#include <hv/meter.h>

#include <arch/clock.h>
#include <arch/cpu.h>

struct meter_cpu {
	struct meter_account *open; /* NULL: not started */
	u64 opened_ns;
	u64 started_ns;
	u64 others_ns; /* closed here for accounts that are no overhead */
	u32 gate;      /* 1: a switch or a balance is at work */
	struct meter_account overhead[METER_OVERHEADS];
} ALIGNED(64);

static struct meter_cpu meter_cpus[MAX_CPUS];
static struct spinlock meter_lock = SPINLOCK_INIT(RANK_METER);
static struct list accounts = { &accounts, &accounts };
static u64 forgotten_ns; /* closed time of accounts that are gone */

static inline void gate_enter(struct meter_cpu *m)
{
	while (unlikely(__atomic_exchange_n(&m->gate, 1, __ATOMIC_ACQUIRE)))
		cpu_relax();
}

static inline void gate_leave(struct meter_cpu *m)
{
	__atomic_store_n(&m->gate, 0, __ATOMIC_RELEASE);
}

static inline bool is_overhead_of(const struct meter_cpu *m,
				  const struct meter_account *a)
{
	return (u64)a - (u64)m->overhead < sizeof(m->overhead);
}

void meter_cpu_start(unsigned int cpu, u64 now_ns)
{
	struct meter_cpu *m = &meter_cpus[cpu];

	gate_enter(m);
	m->started_ns = m->opened_ns = now_ns;
	m->others_ns = 0;
	for (int i = 0; i < METER_OVERHEADS; i++)
		m->overhead[i].ns = 0;
	m->open = &m->overhead[METER_BOOT];
	gate_leave(m);
}

/* Intervals may be closed on several CPUs at once: the copy never goes back. */
static void copy_out(const struct meter_account *a, u64 ns)
{
	u64 seen = READ_ONCE(*a->copy);

	while (seen < ns &&
	       !__atomic_compare_exchange_n(a->copy, &seen, ns, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

struct meter_account *meter_switch(struct meter_account *next, u64 now_ns)
{
	struct meter_cpu *m = &meter_cpus[cpu_id()];
	struct meter_account *last;
	u64 ns;

	gate_enter(m);
	last = m->open;
	ns = now_ns - m->opened_ns;
	m->open = next;
	m->opened_ns = now_ns;
	if (is_overhead_of(m, last)) {
		last->ns += ns;
	} else {
		u64 sum_ns =
			__atomic_add_fetch(&last->ns, ns, __ATOMIC_RELAXED);

		if (last->copy)
			copy_out(last, sum_ns);
		m->others_ns += ns;
	}
	gate_leave(m);
	return last;
}

struct meter_account *meter_overhead(enum meter_overhead which)
{
	return &meter_cpus[cpu_id()].overhead[which];
}

u64 meter_read(const struct meter_account *a, u64 now_ns)
{
	const struct meter_cpu *m = &meter_cpus[cpu_id()];
	u64 ns = READ_ONCE(a->ns);

	return m->open == a ? ns + (now_ns - m->opened_ns) : ns;
}

u64 meter_idle_ns(unsigned int cpu, u64 now_ns)
{
	const struct meter_cpu *m = &meter_cpus[cpu];
	const struct meter_account *idle = &m->overhead[METER_IDLE];
	u64 ns = READ_ONCE(idle->ns);
	u64 opened_ns = READ_ONCE(m->opened_ns);

	if (READ_ONCE(m->open) == idle && now_ns > opened_ns)
		ns += now_ns - opened_ns;
	return ns;
}

void meter_register(struct meter_account *a)
{
	a->ns = 0;
	spin_lock(&meter_lock);
	list_add_tail(&accounts, &a->link);
	spin_unlock(&meter_lock);
}

void meter_forget(struct meter_account *a)
{
	spin_lock(&meter_lock);
	list_del(&a->link);
	forgotten_ns += READ_ONCE(a->ns);
	spin_unlock(&meter_lock);
}

/* All gates are held. */
static void add_cpu(struct meter_books *b, struct meter_cpu_books *cb,
		    const struct meter_cpu *m, u64 now_ns)
{
	u64 open_ns = now_ns - m->opened_ns;
	u64 ns[METER_OVERHEADS];

	for (int i = 0; i < METER_OVERHEADS; i++) {
		ns[i] = m->overhead[i].ns;
		cb->sum_ns += ns[i];
	}
	if (is_overhead_of(m, m->open))
		ns[m->open - m->overhead] += open_ns;
	else
		b->domains_ns += open_ns;
	cb->sum_ns += m->others_ns + open_ns;
	cb->elapsed_ns = now_ns - m->started_ns;

	b->elapsed_ns += cb->elapsed_ns;
	b->idle_ns += ns[METER_IDLE];
	b->irq_ns += ns[METER_IRQ];
	b->sched_ns += ns[METER_SCHED];
	b->boot_ns += ns[METER_BOOT];
}

void meter_balance(struct meter_books *out, struct meter_cpu_books *per_cpu)
{
	struct meter_books b = { .elapsed_ns = 0 };
	u64 now_ns;

	spin_lock(&meter_lock);
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++)
		gate_enter(&meter_cpus[cpu]);
	/* Read with all gates held: no interval was opened later. */
	now_ns = clock_now_ns();
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++) {
		struct meter_cpu_books cb = { .elapsed_ns = 0 };

		if (meter_cpus[cpu].open)
			add_cpu(&b, &cb, &meter_cpus[cpu], now_ns);
		if (per_cpu)
			per_cpu[cpu] = cb;
	}
	b.domains_ns += forgotten_ns;
	list_for_each (l, &accounts)
		b.domains_ns += container_of(l, struct meter_account, link)->ns;
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++)
		gate_leave(&meter_cpus[cpu]);
	spin_unlock(&meter_lock);
	b.sum_ns = b.idle_ns + b.irq_ns + b.sched_ns + b.boot_ns + b.domains_ns;
	*out = b;
}

void meter_print(void)
{
	struct meter_cpu_books per_cpu[MAX_CPUS];
	struct meter_books b;

	meter_balance(&b, per_cpu);
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++) {
		const struct meter_cpu_books *c = &per_cpu[cpu];

		if (c->elapsed_ns)
			log_info("meter cpu%u elapsed_ns=%lu sum_ns=%lu "
				 "diff_ns=%ld",
				 cpu, c->elapsed_ns, c->sum_ns,
				 (long)(c->elapsed_ns - c->sum_ns));
	}
	log_info(
		"meter total elapsed_ns=%lu sum_ns=%lu diff_ns=%ld idle_ns=%lu "
		"irq_ns=%lu sched_ns=%lu boot_ns=%lu domains_ns=%lu",
		b.elapsed_ns, b.sum_ns, (long)(b.elapsed_ns - b.sum_ns),
		b.idle_ns, b.irq_ns, b.sched_ns, b.boot_ns, b.domains_ns);
}
