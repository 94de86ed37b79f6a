// SPDX-License-Identifier: Apache-2.0
/* Deferred work: order, rounds, whose time it is, cancelling, and CPUs that
 * ask for the same piece of work at once. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include <hv/meter.h>
#include <hv/work.h>

#include <arch/cpu.h>
#include <arch/host_machine.h>

#include "check.h"

#define CPUS 4

static struct meter_account domains[2];
static struct work works[4];
static unsigned int ran[16], ran_count;
static u64 run_ns;
static struct work *asked_by_run;

static void note(struct work *w)
{
	ran[ran_count++] = (unsigned int)(w - works);
	host_clock_ns += run_ns;
	if (asked_by_run)
		work_queue(asked_by_run);
}

static int setup(void **state)
{
	(void)state;
	host_machine_init(1, CPUS);
	host_clock_ns = 1000;
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		meter_cpu_start(cpu, host_clock_ns);
	for (int i = 0; i < 2; i++)
		meter_register(&domains[i]);
	work_start();
	for (int i = 0; i < 4; i++)
		work_init(&works[i], note, &domains[i & 1]);
	ran_count = 0;
	run_ns = 0;
	asked_by_run = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		meter_forget(&domains[i]);
	host_machine_exit();
	return 0;
}

static void runs_in_order_and_once_however_often_asked(void **state)
{
	(void)state;
	host_cpu = 2;
	work_queue(&works[1]);
	work_queue(&works[0]);
	work_queue(&works[1]);
	assert_int_equal(host_kicked, 1UL << 2);
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 2);
	assert_int_equal(ran[0], 1);
	assert_int_equal(ran[1], 0);
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 2);
	work_queue(&works[1]);
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 3);
}

static void stays_with_the_cpu_that_asked(void **state)
{
	(void)state;
	host_cpu = 1;
	work_queue(&works[0]);
	host_cpu = 2;
	work_queue(&works[0]);
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 0);
	assert_int_equal(host_kicked, 1UL << 1);
	host_cpu = 1;
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 1);
}

static void a_round_ends_although_work_asks_for_itself(void **state)
{
	(void)state;
	host_cpu = 0;
	asked_by_run = &works[0];
	work_queue(&works[0]);
	host_kicked = 0;
	for (unsigned int i = 1; i <= 5; i++) {
		assert_true(work_run(~0UL));
		assert_int_equal(ran_count, i);
	}
	/* The caller knows; the CPU need not be told. */
	assert_int_equal(host_kicked, 0);
	asked_by_run = NULL;
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 6);
}

static void what_a_run_asks_for_is_of_the_next_round(void **state)
{
	(void)state;
	host_cpu = 0;
	asked_by_run = &works[3];
	work_queue(&works[0]);
	assert_true(work_run(~0UL));
	assert_int_equal(ran_count, 1);
	asked_by_run = NULL;
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 2);
	assert_int_equal(ran[1], 3);
}

/* So that a guest with many devices does not keep a CPU with all of them. */
static void a_round_ends_when_its_time_is_over(void **state)
{
	(void)state;
	host_cpu = 0;
	for (unsigned int i = 0; i < 3; i++)
		work_queue(&works[i]);
	for (unsigned int i = 1; i < 3; i++) {
		assert_true(work_run(0));
		assert_int_equal(ran_count, i);
	}
	assert_false(work_run(0));
	assert_int_equal(ran_count, 3);
}

static void late_work_waits_until_it_is_due(void **state)
{
	(void)state;
	host_cpu = 1;
	work_queue_late(&works[0]);
	work_queue_late(&works[1]);
	work_queue_late(&works[0]);
	assert_true(work_late_waits());
	/* Told once, to see to its time. */
	assert_int_equal(host_kicked, 1UL << 1);
	work_queue(&works[2]);
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 1);
	assert_int_equal(ran[0], 2);
	work_late_due();
	assert_false(work_late_waits());
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 3);
	assert_int_equal(ran[1], 0);
	assert_int_equal(ran[2], 1);
}

static void late_work_that_is_asked_for_runs_soon(void **state)
{
	(void)state;
	host_cpu = 1;
	work_queue_late(&works[0]);
	/* By another CPU, which then does it. */
	host_cpu = 2;
	work_queue(&works[0]);
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 1);
	host_cpu = 1;
	assert_false(work_late_waits());
	work_late_due();
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 1);
	/* What is asked for already is not put off. */
	work_queue(&works[0]);
	work_queue_late(&works[0]);
	assert_false(work_late_waits());
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 2);
}

static void late_work_can_be_cancelled(void **state)
{
	(void)state;
	host_cpu = 1;
	work_queue_late(&works[0]);
	work_cancel(&works[0]);
	assert_false(work_late_waits());
	work_late_due();
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 0);
	work_queue_late(&works[0]);
	assert_true(work_late_waits());
}

static void each_piece_is_charged_to_its_account(void **state)
{
	struct work nobodys;
	struct meter_books before, b;

	(void)state;
	work_init(&nobodys, note, NULL);
	meter_balance(&before, NULL);
	host_cpu = 3;
	meter_switch(meter_overhead(METER_IDLE), host_clock_ns);
	run_ns = 70;
	work_queue(&works[0]);
	work_queue(&works[1]);
	work_queue(&works[2]);
	work_queue(&nobodys);
	host_clock_ns += 5;
	assert_false(work_run(~0UL));
	host_clock_ns += 11;
	assert_int_equal(domains[0].ns, 140);
	assert_int_equal(domains[1].ns, 70);
	meter_balance(&b, NULL);
	assert_int_equal(b.irq_ns - before.irq_ns, 70);
	/* What was open before is open again. */
	assert_int_equal(b.idle_ns - before.idle_ns, 16);
	assert_int_equal(b.sum_ns - before.sum_ns,
			 b.elapsed_ns - before.elapsed_ns);
	assert_int_equal(b.elapsed_ns - before.elapsed_ns, CPUS * 296);
}

static void cancelled_work_does_not_run(void **state)
{
	(void)state;
	host_cpu = 0;
	work_queue(&works[0]);
	work_queue(&works[1]);
	work_queue(&works[2]);
	host_cpu = 1;
	work_cancel(&works[1]);
	work_cancel(&works[3]);
	host_cpu = 0;
	assert_false(work_run(~0UL));
	assert_int_equal(ran_count, 2);
	assert_int_equal(ran[1], 2);
	/* It is as good as new. */
	work_queue(&works[1]);
	assert_false(work_run(~0UL));
	assert_int_equal(ran[2], 1);
}

/* ---- CPUs at once ---- */

#define RACERS 3
#define SHARED 3
#define STEPS 20000

static struct shared {
	struct work w;
	u64 asked, served; /* asked: atomic; served: only run's */
	int inside;
} shared[SHARED];
static int stopping;

static void serve(struct work *w)
{
	struct shared *s = container_of(w, struct shared, w);

	assert_int_equal(__atomic_fetch_add(&s->inside, 1, __ATOMIC_SEQ_CST),
			 0);
	/* Whatever was asked for before this run is served by it; plain, so
	 * that the thread sanitizer sees two runs at once. */
	s->served = __atomic_load_n(&s->asked, __ATOMIC_SEQ_CST);
	if (s->served % 7 == 0)
		sched_yield();
	__atomic_fetch_sub(&s->inside, 1, __ATOMIC_SEQ_CST);
}

static void *ask_and_run(void *arg)
{
	uint64_t seed = 11 + (u64)arg;

	host_cpu = (unsigned int)(u64)arg;
	for (int i = 0; i < STEPS; i++) {
		struct shared *s = &shared[random_next(&seed) % SHARED];

		__atomic_fetch_add(&s->asked, 1, __ATOMIC_SEQ_CST);
		work_queue(&s->w);
		if (random_next(&seed) % 4 == 0)
			(void)work_run(~0UL);
	}
	while (work_run(~0UL))
		;
	return NULL;
}

static void nothing_asked_for_is_lost_or_runs_twice_at_once(void **state)
{
	pthread_t threads[RACERS];

	(void)state;
	for (int i = 0; i < SHARED; i++) {
		shared[i].asked = shared[i].served = 0;
		work_init(&shared[i].w, serve, &domains[0]);
	}
	for (u64 i = 0; i < RACERS; i++)
		pthread_create(&threads[i], NULL, ask_and_run, (void *)i);
	for (int i = 0; i < RACERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < SHARED; i++)
		assert_int_equal(shared[i].served, shared[i].asked);
	host_cpu = 0;
}

static struct shared *victim;
static pthread_mutex_t victim_lock = PTHREAD_MUTEX_INITIALIZER;

static void *ask_victims(void *arg)
{
	host_cpu = (unsigned int)(u64)arg;
	while (!__atomic_load_n(&stopping, __ATOMIC_SEQ_CST)) {
		pthread_mutex_lock(&victim_lock);
		if (victim)
			work_queue(&victim->w);
		pthread_mutex_unlock(&victim_lock);
		(void)work_run(~0UL);
		/* A mutex is not fair. */
		sched_yield();
	}
	return NULL;
}

/* Each is asked for on all CPUs, hidden from them, cancelled and freed: the
 * sanitizers see who touches it after that. */
static void cancelled_work_may_be_freed_while_cpus_run(void **state)
{
	pthread_t threads[RACERS];

	(void)state;
	stopping = 0;
	for (u64 i = 0; i < RACERS; i++)
		pthread_create(&threads[i], NULL, ask_victims, (void *)(i + 1));
	host_cpu = 0;
	for (int i = 0; i < 500; i++) {
		struct shared *s = calloc(1, sizeof(*s));

		work_init(&s->w, serve, &domains[1]);
		pthread_mutex_lock(&victim_lock);
		victim = s;
		pthread_mutex_unlock(&victim_lock);
		sched_yield();
		pthread_mutex_lock(&victim_lock);
		victim = NULL;
		pthread_mutex_unlock(&victim_lock);
		work_cancel(&s->w);
		assert_int_equal(s->inside, 0);
		free(s);
	}
	__atomic_store_n(&stopping, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < RACERS; i++)
		pthread_join(threads[i], NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(runs_in_order_and_once_however_often_asked),
		TEST(stays_with_the_cpu_that_asked),
		TEST(a_round_ends_although_work_asks_for_itself),
		TEST(what_a_run_asks_for_is_of_the_next_round),
		TEST(a_round_ends_when_its_time_is_over),
		TEST(late_work_waits_until_it_is_due),
		TEST(late_work_that_is_asked_for_runs_soon),
		TEST(late_work_can_be_cancelled),
		TEST(each_piece_is_charged_to_its_account),
		TEST(cancelled_work_does_not_run),
		TEST(nothing_asked_for_is_lost_or_runs_twice_at_once),
		TEST(cancelled_work_may_be_freed_while_cpus_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
