/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run queue (contract in hv/sched.h). rq.lock guards everything here and
 * every unit. cpus[].running is what a CPU was last told to run; rq.idle are
 * the CPUs that were told to idle and have not been kicked since. Invariant:
 * no queued unit may run on a CPU of rq.idle.
 *
 * Kicks are collected under the lock and sent after it, for what a kicked CPU
 * does first is to take the lock.
 */
#include <hv/errno.h>
#include <hv/lock.h>
#include <hv/log.h>
#include <hv/sched.h>

#include <arch/clock.h>
#include <arch/cpu.h>

#include "cap.h"
#include "runqueue.h"

struct runqueue_cpu {
	struct sched_unit *running;
	u64 until_ns; /* when it will look again by itself */
};

static struct {
	struct spinlock lock;
	const struct sched_policy *policy;
	unsigned int cpu_count;
	u64 online; /* mask of CPUs */
	u64 idle;   /* mask */
	u64 slice_ns;
	struct runqueue_cpu cpus[MAX_CPUS];
} rq;

unsigned int runqueue_cpus(void)
{
	return rq.cpu_count;
}

struct sched_unit *runqueue_running(unsigned int cpu)
{
	return rq.cpus[cpu].running;
}

void sched_init(const struct sched_policy *policy, unsigned int cpu_count_)
{
	CHECK(cpu_count_ >= 1 && cpu_count_ <= MAX_CPUS);
	spin_init(&rq.lock, RANK_RUNQUEUE);
	rq.policy = policy;
	rq.cpu_count = cpu_count_;
	rq.online = ~0UL >> (64 - cpu_count_);
	rq.idle = 0;
	rq.slice_ns = SCHED_SLICE_DEFAULT_NS;
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++)
		rq.cpus[cpu] = (struct runqueue_cpu){ .until_ns = ~0UL };
	policy->init();
}

int sched_set_slice(u64 slice_ns)
{
	if (slice_ns < SCHED_SLICE_MIN_NS || slice_ns > SCHED_SLICE_MAX_NS)
		return -EINVAL;
	WRITE_ONCE(rq.slice_ns, slice_ns);
	return 0;
}

u64 sched_slice(void)
{
	return READ_ONCE(rq.slice_ns);
}

void sched_unit_init(struct sched_unit *u, const struct sched_params *p)
{
	*u = (struct sched_unit){
		.state = SCHED_SLEEPING,
		.sharers = 1,
		.affinity = ~0UL,
		.params = *p,
	};
	rq.policy->unit_init(u);
}

/* Charges a running unit up to now. */
static void charge(struct sched_unit *u, u64 now_ns)
{
	u64 ran_ns = 0;

	/* Another CPU's clock reading may be a little older. */
	if (now_ns > u->run_started_ns) {
		ran_ns = now_ns - u->run_started_ns;
		u->run_started_ns = now_ns;
	}
	cap_charge(u, ran_ns);
	u->sharers = u->group ? MAX(u->group->active, 1U) : 1;
	rq.policy->account(u, ran_ns, now_ns);
}

/* An idle CPU that may run u, its last one by preference. */
static int idle_cpu_for(const struct sched_unit *u)
{
	u64 idle = rq.idle & u->affinity;

	if (!idle)
		return -1;
	if ((idle >> u->cpu) & 1)
		return u->cpu;
	return __builtin_ctzll(idle);
}

/* The CPU, among those that may run u, whose unit is most ahead of its due;
 * one that is leaving already is no victim. */
static int victim_cpu_for(const struct sched_unit *u, u64 now_ns)
{
	u64 most = 0;
	int victim = -1;

	for (unsigned int cpu = 0; cpu < rq.cpu_count; cpu++) {
		const struct sched_unit *r = rq.cpus[cpu].running;
		u64 advance;

		if (!r || r->preempted || !((u->affinity >> cpu) & 1))
			continue;
		advance = rq.policy->advance(r, now_ns);
		if (victim < 0 || advance > most) {
			most = advance;
			victim = (int)cpu;
		}
	}
	return victim;
}

/* Finds a CPU for u, which was just queued; a mask of whom to kick. */
static u64 place(const struct sched_unit *u, u64 now_ns)
{
	int cpu = idle_cpu_for(u);
	struct sched_unit *running;
	u64 slice_ns;

	if (cpu >= 0) {
		/* Claimed: the next one to be placed looks elsewhere. */
		rq.idle &= ~(1UL << cpu);
		return 1UL << cpu;
	}
	cpu = victim_cpu_for(u, now_ns);
	if (cpu < 0)
		return 0;
	running = rq.cpus[cpu].running;
	if (rq.policy->preempts(u, running, now_ns)) {
		running->preempted = true;
		return 1UL << cpu;
	}
	/* It stays, but perhaps not as long as it was told. */
	charge(running, now_ns);
	slice_ns = rq.policy->slice_ns(running, (unsigned int)cpu);
	if (slice_ns < rq.cpus[cpu].until_ns &&
	    now_ns + slice_ns < rq.cpus[cpu].until_ns) {
		rq.cpus[cpu].until_ns = now_ns + slice_ns;
		return 1UL << cpu;
	}
	return 0;
}

static void unlock_and_kick(u64 kicks)
{
	spin_unlock(&rq.lock);
	for (; kicks; kicks &= kicks - 1)
		cpu_kick((unsigned int)__builtin_ctzll(kicks),
			 CPU_WORK_RESCHED);
}

static void enqueue(struct sched_unit *u)
{
	if (u->state == SCHED_SLEEPING && u->group)
		u->group->active++;
	u->state = SCHED_QUEUED;
	rq.policy->enqueue(u);
}

/* From the queue, or from a CPU after it was charged. */
static void fall_asleep(struct sched_unit *u)
{
	u->state = SCHED_SLEEPING;
	if (u->group)
		u->group->active--;
	rq.policy->sleep(u);
}

/* From sleep; a mask of whom to kick. */
static u64 awake(struct sched_unit *u, u64 now_ns)
{
	rq.policy->wake(u, now_ns);
	enqueue(u);
	return place(u, now_ns);
}

void sched_wake(struct sched_unit *u)
{
	u64 now_ns, kicks = 0;

	spin_lock(&rq.lock);
	if (u->state == SCHED_RUNNING) {
		u->wake_pending = true;
	} else if (u->state == SCHED_SLEEPING && !u->parked) {
		now_ns = clock_now_ns();
		if (cap_spent(u, now_ns))
			cap_park(u);
		else
			kicks = awake(u, now_ns);
	}
	unlock_and_kick(kicks);
}

void sched_sleep(struct sched_unit *u)
{
	u64 kicks = 0;

	spin_lock(&rq.lock);
	if (u->state == SCHED_RUNNING) {
		kicks = 1UL << u->cpu;
	} else if (u->state == SCHED_QUEUED) {
		rq.policy->dequeue(u);
		fall_asleep(u);
	} else if (u->parked) {
		cap_unpark(u);
	}
	unlock_and_kick(kicks);
}

void sched_unit_yield(struct sched_unit *u)
{
	spin_lock(&rq.lock);
	u->yielded = true;
	spin_unlock(&rq.lock);
}

/* May prev, charged and runnable, keep cpu although `head` waits? */
static bool keeps_cpu(struct sched_unit *prev, const struct sched_unit *head,
		      unsigned int cpu, u64 now_ns)
{
	if (!((prev->affinity >> cpu) & 1))
		return false;
	if (!head)
		return true;
	if (prev->yielded) {
		rq.policy->yield(prev, head);
		return false;
	}
	if (prev->preempted && rq.policy->preempts(head, prev, now_ns))
		return false;
	return rq.policy->slice_ns(prev, cpu) > 0;
}

/* prev leaves its CPU (or stays: true). */
static bool settle(struct sched_unit *prev, bool runnable, unsigned int cpu,
		   u64 now_ns)
{
	bool stays = false;

	charge(prev, now_ns);
	if (!runnable && !prev->wake_pending) {
		rq.cpus[cpu].running = NULL;
		fall_asleep(prev);
	} else if (cap_spent(prev, now_ns)) {
		rq.cpus[cpu].running = NULL;
		fall_asleep(prev);
		cap_park(prev);
	} else if (keeps_cpu(prev, rq.policy->peek(cpu), cpu, now_ns)) {
		stays = true;
	} else {
		rq.cpus[cpu].running = NULL;
		enqueue(prev);
	}
	prev->wake_pending = prev->preempted = prev->yielded = false;
	return stays;
}

static struct sched_unit *dispatch(unsigned int cpu, u64 now_ns)
{
	struct sched_unit *u;

	/* Others of its group may have spent what was left. */
	while ((u = rq.policy->peek(cpu)) && cap_spent(u, now_ns)) {
		rq.policy->dequeue(u);
		fall_asleep(u);
		cap_park(u);
	}
	rq.cpus[cpu].running = u;
	if (!u)
		return NULL;
	rq.policy->dequeue(u);
	u->state = SCHED_RUNNING;
	u->cpu = (u16)cpu;
	u->run_started_ns = now_ns;
	return u;
}

struct sched_unit *sched_pick(struct sched_unit *prev, bool prev_runnable,
			      u64 now_ns, u64 *until_ns)
{
	unsigned int cpu = cpu_id();
	struct sched_unit *next = prev;
	u64 slice_ns = ~0UL, kicks = 0;

	spin_lock(&rq.lock);
	rq.idle &= ~(1UL << cpu);
	if (!prev || !settle(prev, prev_runnable, cpu, now_ns))
		next = dispatch(cpu, now_ns);
	if (next)
		slice_ns =
			MIN(rq.policy->slice_ns(next, cpu), cap_left_ns(next));
	else
		rq.idle |= 1UL << cpu;
	*until_ns = slice_ns > ~0UL - now_ns ? ~0UL : now_ns + slice_ns;
	rq.cpus[cpu].until_ns = *until_ns;
	/* The displaced one may fit another CPU. */
	if (prev && prev != next && prev->state == SCHED_QUEUED)
		kicks = place(prev, now_ns);
	unlock_and_kick(kicks);
	return next;
}

void sched_saved(struct sched_unit *prev)
{
	__atomic_store_n(&prev->loaded, false, __ATOMIC_RELEASE);
}

void sched_await(struct sched_unit *next)
{
	while (__atomic_load_n(&next->loaded, __ATOMIC_ACQUIRE))
		cpu_relax();
	WRITE_ONCE(next->loaded, true);
}

bool sched_params_valid(const struct sched_params *p)
{
	return p->weight >= 1 && p->weight <= SCHED_WEIGHT_MAX &&
	       p->warp_ns <= SCHED_WARP_MAX_NS;
}

int sched_set_params(struct sched_unit *u, const struct sched_params *p)
{
	u64 kicks = 0;

	if (!sched_params_valid(p))
		return -EINVAL;
	spin_lock(&rq.lock);
	if (u->state == SCHED_QUEUED)
		rq.policy->dequeue(u);
	else if (u->state == SCHED_RUNNING)
		charge(u, clock_now_ns());
	u->params = *p;
	u->avt_rest = 0;
	u->warping = u->warping && p->warp_ns;
	u->warped_ns = 0;
	if (u->state == SCHED_QUEUED)
		rq.policy->enqueue(u);
	else if (u->state == SCHED_RUNNING)
		kicks = 1UL << u->cpu;
	unlock_and_kick(kicks);
	return 0;
}

int sched_set_affinity(struct sched_unit *u, u64 affinity)
{
	u64 kicks = 0;
	int rc = 0;

	spin_lock(&rq.lock);
	if (!(affinity & rq.online)) {
		rc = -EINVAL;
	} else if (u->state == SCHED_QUEUED) {
		rq.policy->dequeue(u);
		u->affinity = affinity & rq.online;
		rq.policy->enqueue(u);
		kicks = place(u, clock_now_ns());
	} else {
		u->affinity = affinity & rq.online;
		if (u->state == SCHED_RUNNING && !((u->affinity >> u->cpu) & 1))
			kicks = 1UL << u->cpu;
	}
	unlock_and_kick(kicks);
	return rc;
}

void sched_unit_exit(struct sched_unit *u)
{
	spin_lock(&rq.lock);
	CHECK(u->state != SCHED_RUNNING);
	if (u->state == SCHED_QUEUED) {
		rq.policy->dequeue(u);
		fall_asleep(u);
	} else if (u->parked) {
		cap_unpark(u);
	}
	spin_unlock(&rq.lock);
	while (__atomic_load_n(&u->loaded, __ATOMIC_ACQUIRE))
		cpu_relax();
}

/* ---- groups ---- */

static void new_period(void *data)
{
	struct sched_group *g = data;
	u64 now_ns = clock_now_ns(), kicks = 0;
	struct sched_unit *u;

	spin_lock(&rq.lock);
	while ((u = cap_next(g, now_ns)))
		kicks |= awake(u, now_ns);
	unlock_and_kick(kicks);
}

void sched_group_init(struct sched_group *g)
{
	*g = (struct sched_group){
		.params = { .weight = SCHED_WEIGHT_DEFAULT },
	};
	timer_init(&g->refill, new_period, g);
}

void sched_group_exit(struct sched_group *g)
{
	timer_stop(&g->refill);
}

void sched_unit_join(struct sched_unit *u, struct sched_group *g)
{
	u->group = g;
	u->params = g->params;
}

int sched_set_cap(struct sched_group *g, u32 permille)
{
	u64 now_ns = clock_now_ns(), kicks = 0;
	struct sched_unit *u;

	if (permille > SCHED_CAP_MAX)
		return -EINVAL;
	spin_lock(&rq.lock);
	g->cap_permille = permille;
	g->period_ns = now_ns;
	g->budget_ns = (s64)(SCHED_CAP_PERIOD_NS / 1000 * permille);
	while ((u = cap_next(g, now_ns)))
		kicks |= awake(u, now_ns);
	/* Those that run were told how long under the old cap. */
	for (unsigned int cpu = 0; cpu < rq.cpu_count; cpu++)
		if (rq.cpus[cpu].running && rq.cpus[cpu].running->group == g)
			kicks |= 1UL << cpu;
	unlock_and_kick(kicks);
	return 0;
}
