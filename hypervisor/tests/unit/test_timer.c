// SPDX-License-Identifier: Apache-2.0
/* Timers and the heap below them: order, programming, stopping, moving. */
#include <pthread.h>
#include <stdlib.h>

#include <hv/heap.h>
#include <hv/timer.h>

#include <arch/cpu.h>
#include <arch/host_machine.h>

#include "check.h"

/* ---- heap ---- */

#define NODES 300

static void heap_agrees_with_a_naive_list(void **state)
{
	static struct heap_node nodes[NODES];
	static int in_heap[NODES];
	struct heap h = { .root = NULL };
	uint64_t seed = 42, order = 0, count = 0;

	(void)state;
	for (int step = 0; step < 200000; step++) {
		unsigned int i = random_next(&seed) % NODES;
		struct heap_node *least = NULL;

		if (in_heap[i]) {
			heap_remove(&h, &nodes[i]);
			count--;
		} else {
			nodes[i].key = random_next(&seed) % 50;
			nodes[i].order = order++;
			heap_insert(&h, &nodes[i]);
			count++;
		}
		in_heap[i] = !in_heap[i];
		for (int n = 0; n < NODES; n++) {
			if (in_heap[n] &&
			    (!least || heap_less(&nodes[n], least)))
				least = &nodes[n];
		}
		assert_ptr_equal(h.root, least);
		assert_int_equal(h.count, count);
	}
}

/* ---- timers ---- */

static u64 fired[64];
static unsigned int fired_count;

static void note(void *data)
{
	fired[fired_count++] = (u64)data;
}

static int setup(void **state)
{
	(void)state;
	host_machine_init(1, 2);
	host_clock_ns = 1000;
	host_clock_programmed_ns = ~0UL;
	timer_cpu_init(0);
	timer_cpu_init(1);
	fired_count = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	host_machine_exit();
	return 0;
}

static void due_timers_fire_in_order_and_the_next_is_programmed(void **state)
{
	static const u64 at[] = { 5000, 2000, 9000, 3000, 2500 };
	struct timer t[5];

	(void)state;
	for (u64 i = 0; i < 5; i++) {
		timer_init(&t[i], note, (void *)i);
		timer_set(&t[i], at[i]);
	}
	assert_int_equal(host_clock_programmed_ns, 2000);
	host_clock_ns = 3000;
	timer_run();
	assert_int_equal(fired_count, 3);
	assert_int_equal(fired[0], 1);
	assert_int_equal(fired[1], 4);
	assert_int_equal(fired[2], 3);
	assert_int_equal(host_clock_programmed_ns, 5000);
	timer_stop(&t[0]);
	assert_false(timer_queued(&t[0]));
	host_clock_ns = 10000;
	timer_run();
	assert_int_equal(fired_count, 4);
	assert_int_equal(fired[3], 2);
	assert_int_equal(host_clock_programmed_ns, ~0UL);
}

static void a_past_time_is_programmed_at_once(void **state)
{
	struct timer t;

	(void)state;
	timer_init(&t, note, NULL);
	timer_set(&t, 1);
	assert_int_equal(host_clock_programmed_ns, 1);
	timer_run();
	assert_int_equal(fired_count, 1);
}

static struct timer again;

static void rearm(void *data)
{
	note(data);
	timer_set(&again, timer_expires(&again) + 100);
}

static void a_callback_may_rearm_its_timer(void **state)
{
	(void)state;
	timer_init(&again, rearm, NULL);
	timer_set(&again, 1100);
	for (int i = 0; i < 10; i++) {
		host_clock_ns += 100;
		timer_run();
	}
	assert_int_equal(fired_count, 10);
	assert_int_equal(host_clock_programmed_ns, 2100);
	timer_stop(&again);
}

static void a_timer_moves_to_the_cpu_that_sets_it(void **state)
{
	struct timer t;

	(void)state;
	timer_init(&t, note, NULL);
	timer_set(&t, 2000);
	host_cpu = 1;
	timer_set(&t, 3000);
	host_clock_ns = 5000;
	host_cpu = 0;
	timer_run();
	assert_int_equal(fired_count, 0);
	host_cpu = 1;
	timer_run();
	assert_int_equal(fired_count, 1);
	host_cpu = 0;
}

static int entered, leave, left;

static void slow(void *data)
{
	(void)data;
	__atomic_store_n(&entered, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&leave, __ATOMIC_SEQ_CST))
		;
	/* What stop must wait for, even if the timer is armed again. */
	timer_set(&again, 2000);
	__atomic_store_n(&left, 1, __ATOMIC_SEQ_CST);
}

static void *run_on_cpu1(void *arg)
{
	(void)arg;
	host_cpu = 1;
	timer_set(&again, 1500);
	timer_run();
	return NULL;
}

static void *let_go(void *arg)
{
	(void)arg;
	for (int i = 0; i < 1000000; i++)
		__atomic_load_n(&entered, __ATOMIC_SEQ_CST);
	__atomic_store_n(&leave, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void stop_waits_for_a_callback_on_another_cpu(void **state)
{
	pthread_t runner, helper;

	(void)state;
	host_clock_ns = 1700;
	timer_init(&again, slow, NULL);
	pthread_create(&runner, NULL, run_on_cpu1, NULL);
	while (!__atomic_load_n(&entered, __ATOMIC_SEQ_CST))
		;
	pthread_create(&helper, NULL, let_go, NULL);
	timer_stop(&again);
	assert_int_equal(__atomic_load_n(&left, __ATOMIC_SEQ_CST), 1);
	assert_false(timer_queued(&again));
	pthread_join(runner, NULL);
	pthread_join(helper, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_agrees_with_a_naive_list),
		cmocka_unit_test_setup_teardown(
			due_timers_fire_in_order_and_the_next_is_programmed,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_past_time_is_programmed_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(a_callback_may_rearm_its_timer,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_timer_moves_to_the_cpu_that_sets_it, setup, teardown),
		cmocka_unit_test_setup_teardown(
			stop_waits_for_a_callback_on_another_cpu, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
