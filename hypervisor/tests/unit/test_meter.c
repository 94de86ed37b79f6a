// SPDX-License-Identifier: Apache-2.0
/* Meters: every nanosecond is in exactly one account, also while switching. */
#include <pthread.h>

#include <hv/meter.h>

#include <arch/cpu.h>
#include <arch/host_machine.h>

#include "check.h"

#define ACCOUNTS 5

static struct meter_account domains[ACCOUNTS];

static int setup(void **state)
{
	(void)state;
	host_machine_init(1, 4);
	host_clock_ns = 1000;
	/* Both tests start the same four CPUs, so nothing is left open. */
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		meter_cpu_start(cpu, host_clock_ns);
	for (int i = 0; i < ACCOUNTS; i++)
		meter_register(&domains[i]);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < ACCOUNTS; i++)
		meter_forget(&domains[i]);
	host_machine_exit();
	return 0;
}

static u64 forgotten_before; /* by earlier tests; stays in the books */

static void one_reading_ends_and_begins(void **state)
{
	struct meter_books b;

	(void)state;
	meter_balance(&b, NULL);
	forgotten_before = b.domains_ns;
	host_cpu = 0;
	assert_ptr_equal(meter_switch(&domains[0], 1100),
			 meter_overhead(METER_BOOT));
	assert_ptr_equal(meter_switch(meter_overhead(METER_IRQ), 1350),
			 &domains[0]);
	assert_int_equal(domains[0].ns, 250);
	assert_ptr_equal(meter_switch(&domains[1], 1400),
			 meter_overhead(METER_IRQ));
	assert_int_equal(meter_read(&domains[1], 1600), 200);
	assert_int_equal(meter_read(&domains[0], 1600), 250);
	host_clock_ns = 1600;
	meter_balance(&b, NULL);
	assert_int_equal(b.elapsed_ns, 4 * 600);
	assert_int_equal(b.sum_ns - forgotten_before, 4 * 600);
	assert_int_equal(b.irq_ns, 50);
	assert_int_equal(b.domains_ns - forgotten_before, 450);
	assert_int_equal(b.boot_ns, 100 + 3 * 600);
}

static void any_sequence_balances(void **state)
{
	struct meter_cpu_books per_cpu[MAX_CPUS];
	struct meter_books b;
	uint64_t seed = 3, before;

	(void)state;
	meter_balance(&b, NULL);
	before = b.sum_ns - b.elapsed_ns;
	for (int step = 0; step < 100000; step++) {
		unsigned int which =
			random_next(&seed) % (ACCOUNTS + METER_OVERHEADS);

		host_cpu = random_next(&seed) % 4;
		host_clock_ns += random_next(&seed) % 1000;
		meter_switch(which < ACCOUNTS
				     ? &domains[which]
				     : meter_overhead(which - ACCOUNTS),
			     host_clock_ns);
		if (step % 1000)
			continue;
		host_clock_ns += 17;
		meter_balance(&b, per_cpu);
		assert_int_equal(b.sum_ns - b.elapsed_ns, before);
		for (int cpu = 0; cpu < 4; cpu++) {
			assert_int_equal(per_cpu[cpu].elapsed_ns,
					 host_clock_ns - 1000);
			assert_int_equal(per_cpu[cpu].sum_ns,
					 per_cpu[cpu].elapsed_ns);
		}
	}
	for (unsigned int cpu = 0; cpu < 4; cpu++) {
		host_cpu = cpu;
		meter_switch(meter_overhead(METER_IDLE), host_clock_ns);
	}
	host_cpu = 0;
	/* A domain that goes takes nothing out of the books. */
	meter_forget(&domains[0]);
	meter_balance(&b, NULL);
	assert_int_equal(b.sum_ns - b.elapsed_ns, before);
	meter_register(&domains[0]);
}

static void an_account_outside_the_books_is_missed(void **state)
{
	struct meter_account stray = { .ns = 0 };
	struct meter_books before, b;

	(void)state;
	meter_balance(&before, NULL);
	meter_switch(&stray, host_clock_ns);
	host_clock_ns += 500;
	meter_switch(meter_overhead(METER_IDLE), host_clock_ns);
	meter_balance(&b, NULL);
	assert_int_equal(b.elapsed_ns - b.sum_ns,
			 before.elapsed_ns - before.sum_ns + 500);
}

static int stop;

/* Time passes while the threads switch: every reading is a new instant. */
static u64 tick(void)
{
	return __atomic_add_fetch(&host_clock_ns, 1, __ATOMIC_SEQ_CST);
}

static void *switch_for_ever(void *arg)
{
	uint64_t seed = 5 + (u64)arg;

	host_cpu = (unsigned int)(u64)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
		unsigned int which = random_next(&seed) % 7;

		meter_switch(which < ACCOUNTS
				     ? &domains[which]
				     : meter_overhead(METER_SCHED + which -
						      ACCOUNTS),
			     tick());
	}
	meter_switch(meter_overhead(METER_IDLE), tick());
	return NULL;
}

static void balances_hold_while_cpus_switch(void **state)
{
	struct meter_cpu_books per_cpu[MAX_CPUS];
	struct meter_books b;
	pthread_t threads[2];
	uint64_t before;

	(void)state;
	meter_balance(&b, NULL);
	before = b.sum_ns - b.elapsed_ns;
	stop = 0;
	for (u64 i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, switch_for_ever,
			       (void *)(i + 1));
	for (int i = 0; i < 20000; i++) {
		meter_balance(&b, per_cpu);
		assert_int_equal(b.sum_ns - b.elapsed_ns, before);
		assert_int_equal(per_cpu[1].sum_ns, per_cpu[1].elapsed_ns);
		assert_int_equal(per_cpu[2].sum_ns, per_cpu[2].elapsed_ns);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_true(b.domains_ns > forgotten_before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_reading_ends_and_begins,
						setup, teardown),
		cmocka_unit_test_setup_teardown(any_sequence_balances, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			an_account_outside_the_books_is_missed, setup,
			teardown),
		cmocka_unit_test_setup_teardown(balances_hold_while_cpus_switch,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
