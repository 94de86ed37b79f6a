// SPDX-License-Identifier: Apache-2.0
/*
 * The run queue and BVT on simulated CPUs: shares, lags, warps, affinities,
 * work conservation, and each decision against a naive search.
 */
#include <stdio.h>
#include <string.h>

#include <hv/errno.h>
#include <hv/sched.h>

#include <arch/cpu.h>
#include <arch/host_machine.h>

#include "../../sched/bvt_math.h"
#include "check.h"

#define UNITS 24
#define MS 1000000UL

/* One simulated machine. */
static struct sched_unit units[UNITS];
static u64 ran_ns[UNITS];
static bool wants_sleep[UNITS];
static unsigned int unit_count, cpus_used;
static struct sched_unit *running[MAX_CPUS];
static u64 since_ns[MAX_CPUS], until_ns[MAX_CPUS];

static unsigned int index_of(const struct sched_unit *u)
{
	return (unsigned int)(u - units);
}

static void machine_start(unsigned int cpus)
{
	host_machine_init(1, cpus);
	host_clock_ns = 1000;
	sched_init(&sched_bvt, cpus);
	cpus_used = cpus;
	unit_count = 0;
	memset(ran_ns, 0, sizeof(ran_ns));
	memset(wants_sleep, 0, sizeof(wants_sleep));
	memset(running, 0, sizeof(running));
}

static struct sched_unit *add_unit(u32 weight, u64 warp_ns, u64 limit_ns,
				   u64 unwarp_ns)
{
	struct sched_params p = {
		.weight = weight,
		.warp_ns = warp_ns,
		.warp_limit_ns = limit_ns,
		.unwarp_min_ns = unwarp_ns,
	};
	struct sched_unit *u = &units[unit_count++];

	sched_unit_init(u, &p);
	return u;
}

/* No queued unit could run on that CPU and has more claim than u. */
static void assert_best(const struct sched_unit *u, unsigned int cpu)
{
	for (unsigned int i = 0; i < unit_count; i++) {
		const struct sched_unit *q = &units[i];

		if (q->state == SCHED_QUEUED && ((q->affinity >> cpu) & 1))
			assert_false(heap_less(&q->node, &u->node));
	}
}

static void pick(unsigned int cpu)
{
	struct sched_unit *prev = running[cpu], *next;
	bool runnable = prev && !wants_sleep[index_of(prev)];
	bool kept;

	host_cpu = cpu;
	if (prev) {
		ran_ns[index_of(prev)] += host_clock_ns - since_ns[cpu];
		since_ns[cpu] = host_clock_ns;
	}
	next = sched_pick(prev, runnable, host_clock_ns, &until_ns[cpu]);
	kept = next == prev;
	if (next && !kept) {
		assert_best(next, cpu);
		assert_true((next->affinity >> cpu) & 1);
	}
	if (!kept) {
		if (prev)
			sched_saved(prev);
		if (next)
			sched_await(next);
	}
	running[cpu] = next;
	since_ns[cpu] = host_clock_ns;
	host_cpu = 0;
}

static void serve_kicks(void)
{
	while (host_kicked) {
		unsigned int cpu = (unsigned int)__builtin_ctzl(host_kicked);

		host_kicked &= host_kicked - 1;
		pick(cpu);
	}
}

/* Nobody waits who could run on an idle CPU; nobody runs twice. */
static void assert_work_conserving(void)
{
	for (unsigned int cpu = 0; cpu < cpus_used; cpu++) {
		if (running[cpu])
			continue;
		for (unsigned int i = 0; i < unit_count; i++) {
			if (units[i].state == SCHED_QUEUED)
				assert_false((units[i].affinity >> cpu) & 1);
		}
	}
	for (unsigned int cpu = 0; cpu < cpus_used; cpu++) {
		if (running[cpu])
			assert_int_equal(running[cpu]->cpu, cpu);
	}
}

/* Until end: CPUs pick when their slices end or they are kicked. */
static void simulate(u64 end_ns)
{
	serve_kicks();
	for (;;) {
		u64 next_ns = end_ns;

		for (unsigned int cpu = 0; cpu < cpus_used; cpu++)
			if (running[cpu])
				next_ns = MIN(next_ns, until_ns[cpu]);
		host_clock_ns = MAX(host_clock_ns, next_ns);
		if (host_clock_ns >= end_ns)
			break;
		for (unsigned int cpu = 0; cpu < cpus_used; cpu++) {
			if (running[cpu] && until_ns[cpu] <= host_clock_ns)
				pick(cpu);
		}
		serve_kicks();
		assert_work_conserving();
	}
	for (unsigned int cpu = 0; cpu < cpus_used; cpu++) {
		if (running[cpu])
			pick(cpu);
	}
	serve_kicks();
}

static void wake(struct sched_unit *u)
{
	wants_sleep[index_of(u)] = false;
	sched_wake(u);
	serve_kicks();
}

static void put_to_sleep(struct sched_unit *u)
{
	wants_sleep[index_of(u)] = true;
	if (u->state == SCHED_RUNNING)
		pick(u->cpu);
	else
		sched_sleep(u);
	serve_kicks();
}

static void start_all(void)
{
	for (unsigned int cpu = 0; cpu < cpus_used; cpu++)
		pick(cpu);
	for (unsigned int i = 0; i < unit_count; i++)
		wake(&units[i]);
}

static void assert_share(const struct sched_unit *u, u64 total_ns, u64 part,
			 u64 whole)
{
	u64 due = total_ns / whole * part;
	u64 got = ran_ns[index_of(u)];
	u64 error = got > due ? got - due : due - got;

	/* A thousandth, or what the last slices may be off. */
	if (error > due / 1000 + sched_slice())
		fail_msg("unit %u got %lu of %lu ns", index_of(u), got, due);
}

/* ---- one CPU ---- */

static void shares_follow_weights(void **state)
{
	static const u32 weights[] = { 1024, 512, 256, 64, 8, 65535 };
	u64 whole = 0, end_ns = 3600000 * MS;

	(void)state;
	machine_start(1);
	for (int i = 0; i < 6; i++) {
		add_unit(weights[i], 0, 0, 0);
		whole += weights[i];
	}
	start_all();
	simulate(end_ns);
	for (unsigned int i = 0; i < 6; i++)
		assert_share(&units[i], end_ns, weights[i], whole);
	host_machine_exit();
}

static void lag_stays_within_its_bound(void **state)
{
	static const u32 weights[] = { 100, 256, 700, 31 };
	u64 worst = 0;

	(void)state;
	machine_start(1);
	for (int i = 0; i < 4; i++)
		add_unit(weights[i], i == 1 ? 20 * MS : 0, 0, 0);
	start_all();
	simulate(500 * MS);
	for (int step = 0; step < 20000; step++) {
		simulate(host_clock_ns + 3777777);
		for (int i = 0; i < 4; i++) {
			for (int j = 0; j < 4; j++) {
				u64 a = units[i].avt, b = units[j].avt;
				u64 bound =
					bvt_virtual(sched_slice(), weights[i]) +
					bvt_virtual(sched_slice(), weights[j]) +
					bvt_warp(i == 1 || j == 1 ? 20 * MS
								  : 0);

				worst = MAX(worst, a > b ? a - b : 0);
				if (a > b)
					assert_true(a - b <= bound);
			}
		}
	}
	/* The bound is not idle: lags do occur. */
	assert_true(worst > bvt_virtual(sched_slice(), 700));
	host_machine_exit();
}

static void a_warp_borrows_but_creates_nothing(void **state)
{
	u64 end_ns = 600000 * MS;

	(void)state;
	machine_start(1);
	add_unit(256, 100 * MS, 0, 0);
	add_unit(256, 0, 0, 0);
	add_unit(512, 30 * MS, 10 * MS, 50 * MS);
	start_all();
	simulate(end_ns);
	assert_share(&units[0], end_ns, 1, 4);
	assert_share(&units[1], end_ns, 1, 4);
	assert_share(&units[2], end_ns, 2, 4);
	host_machine_exit();
}

/* From wake-up to running of a unit that runs 1 ms in 20, next to hogs. */
static u64 worst_latency(u64 warp_ns)
{
	struct sched_unit *u;
	u64 worst = 0;

	machine_start(1);
	u = add_unit(256, warp_ns, 0, 0);
	for (int i = 0; i < 3; i++)
		add_unit(256, 0, 0, 0);
	start_all();
	for (int i = 0; i < 500; i++) {
		u64 woken;

		put_to_sleep(u);
		simulate(host_clock_ns + 19 * MS);
		woken = host_clock_ns;
		wake(u);
		while (u->state != SCHED_RUNNING)
			simulate(host_clock_ns + MS / 10);
		worst = MAX(worst, host_clock_ns - woken);
		simulate(host_clock_ns + MS);
	}
	host_machine_exit();
	return worst;
}

static void a_warp_shortens_the_wait_after_waking(void **state)
{
	(void)state;
	assert_true(worst_latency(50 * MS) <= MS / 10);
	assert_true(worst_latency(0) > MS / 10);
}

static void a_warped_run_ends_at_its_limit(void **state)
{
	struct sched_unit *u;
	u64 before;

	(void)state;
	machine_start(1);
	u = add_unit(256, 1000 * MS, 30 * MS, 200 * MS);
	add_unit(256, 0, 0, 0);
	wake(&units[1]);
	pick(0);
	wake(u);
	before = ran_ns[0];
	simulate(host_clock_ns + 36 * MS);
	/* It had the CPU for its limit, then the other one caught up. */
	assert_true(ran_ns[0] - before >= 30 * MS);
	assert_true(ran_ns[0] - before <= 30 * MS + sched_slice());
	assert_false(u->warping);
	simulate(host_clock_ns + 400 * MS);
	assert_true(ran_ns[0] + ran_ns[1] > 400 * MS);
	host_machine_exit();
}

static void sleeping_earns_nothing(void **state)
{
	u64 before, slept_ns = 10000 * MS;

	(void)state;
	machine_start(1);
	add_unit(256, 0, 0, 0);
	add_unit(256, 0, 0, 0);
	start_all();
	put_to_sleep(&units[0]);
	simulate(slept_ns);
	wake(&units[0]);
	before = ran_ns[0];
	simulate(host_clock_ns + 1000 * MS);
	assert_true(ran_ns[0] - before <= 500 * MS + 2 * sched_slice());
	/* Nor when nobody was runnable for a while. */
	put_to_sleep(&units[0]);
	put_to_sleep(&units[1]);
	host_clock_ns += slept_ns;
	wake(&units[0]);
	simulate(host_clock_ns + 10000 * MS);
	put_to_sleep(&units[0]);
	host_clock_ns += slept_ns;
	wake(&units[1]);
	wake(&units[0]);
	before = ran_ns[1];
	simulate(host_clock_ns + 1000 * MS);
	assert_true(ran_ns[1] - before <= 500 * MS + 2 * sched_slice());
	host_machine_exit();
}

static void a_yield_lets_the_others_run(void **state)
{
	unsigned int seen = 0;

	(void)state;
	machine_start(1);
	for (int i = 0; i < 4; i++)
		add_unit(256, 0, 0, 0);
	start_all();
	for (int i = 0; i < 4; i++) {
		seen |= 1U << index_of(running[0]);
		sched_unit_yield(running[0]);
		host_clock_ns += 1000;
		pick(0);
	}
	assert_int_equal(seen, 0xf);
	host_machine_exit();
}

static void a_wake_before_the_pick_prevents_the_sleep(void **state)
{
	(void)state;
	machine_start(1);
	add_unit(256, 0, 0, 0);
	start_all();
	assert_ptr_equal(running[0], &units[0]);
	wants_sleep[0] = true;
	sched_wake(&units[0]);
	pick(0);
	assert_ptr_equal(running[0], &units[0]);
	/* The wake was used up. */
	pick(0);
	assert_null(running[0]);
	assert_int_equal(units[0].state, SCHED_SLEEPING);
	host_machine_exit();
}

static void parameters_out_of_range_change_nothing(void **state)
{
	struct sched_params bad = { .weight = 0 };

	(void)state;
	machine_start(2);
	add_unit(256, 0, 0, 0);
	assert_int_equal(sched_set_params(&units[0], &bad), -EINVAL);
	bad.weight = SCHED_WEIGHT_MAX + 1;
	assert_int_equal(sched_set_params(&units[0], &bad), -EINVAL);
	bad.weight = 1;
	bad.warp_ns = SCHED_WARP_MAX_NS + 1;
	assert_int_equal(sched_set_params(&units[0], &bad), -EINVAL);
	assert_int_equal(units[0].params.weight, 256);
	assert_int_equal(sched_set_affinity(&units[0], 1UL << 2), -EINVAL);
	assert_int_equal(sched_set_slice(SCHED_SLICE_MIN_NS - 1), -EINVAL);
	assert_int_equal(sched_set_slice(SCHED_SLICE_MAX_NS + 1), -EINVAL);
	host_machine_exit();
}

static void a_new_weight_counts_from_now_on(void **state)
{
	struct sched_params p = { .weight = 768 };
	u64 before[2];

	(void)state;
	machine_start(1);
	add_unit(256, 0, 0, 0);
	add_unit(256, 0, 0, 0);
	start_all();
	simulate(100000 * MS);
	assert_int_equal(sched_set_params(&units[0], &p), 0);
	before[0] = ran_ns[0];
	before[1] = ran_ns[1];
	simulate(host_clock_ns + 100000 * MS);
	assert_true(ran_ns[0] - before[0] > 74900 * MS);
	assert_true(ran_ns[0] - before[0] < 75100 * MS);
	assert_true(ran_ns[1] - before[1] < 25100 * MS);
	host_machine_exit();
}

/* ---- several CPUs ---- */

static void equal_units_share_several_cpus(void **state)
{
	u64 end_ns = 600000 * MS;

	(void)state;
	machine_start(2);
	for (int i = 0; i < 3; i++)
		add_unit(256, 0, 0, 0);
	start_all();
	simulate(end_ns);
	for (unsigned int i = 0; i < 3; i++)
		assert_share(&units[i], end_ns, 2, 3);
	host_machine_exit();
}

static void feasible_weights_hold_on_several_cpus(void **state)
{
	static const u32 weights[] = { 512, 256, 256, 256, 128, 128 };
	u64 end_ns = 600000 * MS, whole = 1536;

	(void)state;
	machine_start(2);
	for (int i = 0; i < 6; i++)
		add_unit(weights[i], 0, 0, 0);
	start_all();
	simulate(end_ns);
	for (unsigned int i = 0; i < 6; i++)
		assert_share(&units[i], end_ns, 2UL * weights[i], whole);
	host_machine_exit();
}

/* A unit too heavy for one CPU must not distort what the others get, nor give
 * a newcomer a start far behind them. */
static void an_infeasible_weight_harms_nobody(void **state)
{
	struct sched_unit *late;
	u64 before[2];

	(void)state;
	machine_start(2);
	add_unit(65535, 0, 0, 0);
	add_unit(256, 0, 0, 0);
	add_unit(256, 0, 0, 0);
	late = add_unit(256, 0, 0, 0);
	start_all();
	put_to_sleep(late);
	simulate(600000 * MS);
	assert_true(ran_ns[0] > 599900 * MS);
	before[0] = ran_ns[1];
	before[1] = ran_ns[2];
	wake(late);
	ran_ns[3] = 0;
	simulate(host_clock_ns + 3000 * MS);
	assert_true(ran_ns[1] - before[0] > 900 * MS);
	assert_true(ran_ns[2] - before[1] > 900 * MS);
	assert_true(ran_ns[3] > 900 * MS);
	host_machine_exit();
}

/* What a unit had alone on its CPU, nobody else wanted: it owes nothing. */
static void time_alone_on_a_cpu_is_not_held_against_a_unit(void **state)
{
	struct sched_unit *late;
	u64 before;

	(void)state;
	machine_start(2);
	for (int i = 0; i < 3; i++) {
		add_unit(256, 0, 0, 0);
		assert_int_equal(sched_set_affinity(&units[i], i ? 2 : 1), 0);
	}
	late = add_unit(256, 0, 0, 0);
	start_all();
	put_to_sleep(late);
	simulate(600000 * MS);
	assert_true(ran_ns[0] > 599900 * MS);
	before = ran_ns[0];
	wake(late);
	simulate(host_clock_ns + 3000 * MS);
	assert_true(ran_ns[0] - before > 1000 * MS);
	host_machine_exit();
}

static void affinity_is_obeyed_at_once_when_it_changes(void **state)
{
	(void)state;
	machine_start(2);
	for (int i = 0; i < 4; i++)
		add_unit(256, 0, 0, 0);
	start_all();
	for (int i = 0; i < 4; i++) {
		assert_int_equal(sched_set_affinity(&units[i], 1), 0);
		serve_kicks();
	}
	assert_null(running[1]);
	simulate(1000 * MS);
	assert_null(running[1]);
	assert_int_equal(sched_set_affinity(&units[2], 2), 0);
	serve_kicks();
	assert_ptr_equal(running[1], &units[2]);
	host_machine_exit();
}

static void a_unit_wakes_on_its_last_cpu_if_that_idles(void **state)
{
	(void)state;
	machine_start(4);
	add_unit(256, 0, 0, 0);
	start_all();
	assert_int_equal(sched_set_affinity(&units[0], 4), 0);
	serve_kicks();
	assert_ptr_equal(running[2], &units[0]);
	assert_int_equal(sched_set_affinity(&units[0], 0xf), 0);
	put_to_sleep(&units[0]);
	wake(&units[0]);
	assert_ptr_equal(running[2], &units[0]);
	host_machine_exit();
}

static void two_wakes_go_to_two_idle_cpus(void **state)
{
	(void)state;
	machine_start(3);
	add_unit(256, 0, 0, 0);
	add_unit(256, 0, 0, 0);
	for (unsigned int cpu = 0; cpu < 3; cpu++)
		pick(cpu);
	/* Before the first one's CPU has looked. */
	sched_wake(&units[0]);
	sched_wake(&units[1]);
	assert_int_equal(__builtin_popcountl(host_kicked), 2);
	serve_kicks();
	assert_work_conserving();
	host_machine_exit();
}

/* ---- caps ---- */

static void simulate_with_timers(u64 end_ns)
{
	while (host_clock_ns < end_ns) {
		simulate(host_clock_ns + MS / 2);
		for (unsigned int cpu = 0; cpu < cpus_used; cpu++) {
			host_cpu = cpu;
			timer_run();
		}
		host_cpu = 0;
		serve_kicks();
	}
}

/* Units 0 and 1 in a group of that cap, unit 2 outside, on two CPUs: what the
 * group gets in a second. */
static u64 capped_ns(u32 permille)
{
	static struct sched_group g;
	u64 got_ns;

	machine_start(2);
	for (unsigned int cpu = 0; cpu < 2; cpu++)
		timer_cpu_init(cpu);
	sched_group_init(&g);
	for (int i = 0; i < 3; i++)
		add_unit(256, 0, 0, 0);
	sched_unit_join(&units[0], &g);
	sched_unit_join(&units[1], &g);
	assert_int_equal(sched_set_cap(&g, permille), 0);
	for (unsigned int i = 0; i < 3; i++)
		wake(&units[i]);
	for (unsigned int cpu = 0; cpu < 2; cpu++)
		pick(cpu);
	simulate_with_timers(host_clock_ns + 1000 * MS);
	got_ns = ran_ns[0] + ran_ns[1];
	for (unsigned int i = 0; i < 3; i++) {
		put_to_sleep(&units[i]);
		sched_unit_exit(&units[i]);
	}
	assert_int_equal(g.active, 0);
	assert_null(g.parked);
	sched_group_exit(&g);
	host_machine_exit();
	return got_ns;
}

static void a_cap_is_exact_in_the_long_run(void **state)
{
	static const u32 caps[] = { 1, 50, 300, 700, 900 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(caps); i++) {
		u64 due_ns = caps[i] * MS, got_ns = capped_ns(caps[i]);

		/* One period's budget at the end, one overdraft. */
		assert_in_range(got_ns + 11 * MS * caps[i] / 1000 + MS / 2,
				due_ns, due_ns + 23 * MS * caps[i] / 1000 + MS);
	}
	/* None, or one that it cannot reach: as much as the one outside, since
	 * both share one weight. */
	assert_in_range(capped_ns(0), 960 * MS, 1040 * MS);
	assert_in_range(capped_ns(SCHED_CAP_MAX), 960 * MS, 1040 * MS);
}

static void a_cap_has_a_range(void **state)
{
	struct sched_group g;

	(void)state;
	machine_start(1);
	sched_group_init(&g);
	assert_int_equal(sched_set_cap(&g, SCHED_CAP_MAX + 1), -EINVAL);
	assert_int_equal(g.cap_permille, 0);
	host_machine_exit();
}

/* Random life on four CPUs: every decision is checked by pick(), conservation
 * by simulate(), and no CPU time is lost or invented. */
static void random_life_agrees_with_the_naive_model(void **state)
{
	u64 seed = 2024, sum = 0;

	(void)state;
	machine_start(4);
	for (int i = 0; i < UNITS; i++)
		add_unit(1 + random_next(&seed) % 2000,
			 i % 3 ? 0 : random_next(&seed) % (50 * MS),
			 i % 2 ? 0 : 10 * MS, i % 5 * MS);
	for (unsigned int cpu = 0; cpu < cpus_used; cpu++)
		pick(cpu);
	for (int step = 0; step < 60000; step++) {
		struct sched_unit *u = &units[random_next(&seed) % UNITS];
		struct sched_params p = {
			.weight = 1 + random_next(&seed) % 2000,
			.warp_ns = random_next(&seed) % 3 * 10 * MS,
		};

		switch (random_next(&seed) % 8) {
		case 0:
		case 1:
		case 2:
			wake(u);
			break;
		case 3:
		case 4:
			put_to_sleep(u);
			break;
		case 5:
			assert_int_equal(
				sched_set_affinity(u,
						   1 + random_next(&seed) % 15),
				0);
			serve_kicks();
			break;
		case 6:
			assert_int_equal(sched_set_params(u, &p), 0);
			serve_kicks();
			break;
		default:
			sched_unit_yield(u);
			break;
		}
		assert_work_conserving();
		simulate(host_clock_ns + random_next(&seed) % (3 * MS));
	}
	for (unsigned int i = 0; i < unit_count; i++) {
		sum += ran_ns[i];
		put_to_sleep(&units[i]);
		sched_unit_exit(&units[i]);
	}
	assert_true(sum <= 4 * host_clock_ns);
	for (unsigned int cpu = 0; cpu < cpus_used; cpu++)
		assert_null(running[cpu]);
	host_machine_exit();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_follow_weights),
		cmocka_unit_test(lag_stays_within_its_bound),
		cmocka_unit_test(a_warp_borrows_but_creates_nothing),
		cmocka_unit_test(a_warp_shortens_the_wait_after_waking),
		cmocka_unit_test(a_warped_run_ends_at_its_limit),
		cmocka_unit_test(sleeping_earns_nothing),
		cmocka_unit_test(a_yield_lets_the_others_run),
		cmocka_unit_test(a_wake_before_the_pick_prevents_the_sleep),
		cmocka_unit_test(parameters_out_of_range_change_nothing),
		cmocka_unit_test(a_new_weight_counts_from_now_on),
		cmocka_unit_test(equal_units_share_several_cpus),
		cmocka_unit_test(feasible_weights_hold_on_several_cpus),
		cmocka_unit_test(an_infeasible_weight_harms_nobody),
		cmocka_unit_test(
			time_alone_on_a_cpu_is_not_held_against_a_unit),
		cmocka_unit_test(affinity_is_obeyed_at_once_when_it_changes),
		cmocka_unit_test(a_unit_wakes_on_its_last_cpu_if_that_idles),
		cmocka_unit_test(two_wakes_go_to_two_idle_cpus),
		cmocka_unit_test(a_cap_is_exact_in_the_long_run),
		cmocka_unit_test(a_cap_has_a_range),
		cmocka_unit_test(random_life_agrees_with_the_naive_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
