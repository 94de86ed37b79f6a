// SPDX-License-Identifier: Apache-2.0
/* Runstate times, the guest's copy of them, and the timers of a vCPU. */
#include <pthread.h>
#include <string.h>

#include <hv/errno.h>
#include <hv/event.h>
#include <hv/mm.h>
#include <hv/runstate.h>
#include <hv/vcpu_timer.h>

#include <arch/cpu.h>
#include <arch/host_machine.h>
#include <arch/pagetable.h>

#include <xeno/vcpu_ext.h>

#include "../fake/domains.h"
#include "check.h"

#define MS 1000000UL

static struct domain *d;
static struct vcpu *v;

static int setup(void **state)
{
	(void)state;
	fake_machine_init(64, 2);
	host_clock_ns = 1000;
	timer_cpu_init(0);
	timer_cpu_init(1);
	d = fake_domain_create(1, 1, false);
	v = d->vcpus[0];
	fake_become(d, 0);
	vcpu_runstate_init(v, RUNSTATE_offline, host_clock_ns);
	vcpu_timers_init(v);
	memset(d->shared_info->evtchn_mask, 0, sizeof(u64) * 64);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	vcpu_timers_exit(v);
	vcpu_runstate_unmap(v);
	assert_true(fake_domain_destroy(d));
	fake_machine_exit();
	return 0;
}

static u32 bind(u32 virq)
{
	struct evtchn_bind_virq op = { .virq = virq };

	assert_int_equal(event_bind_virq(&op), 0);
	return op.port;
}

/* How often the port fired since the last call. */
static bool fired(u32 port)
{
	bool pending = event_port_pending(d, port);

	d->shared_info->evtchn_pending[port / 64] = 0;
	return pending;
}

static void advance_to(u64 now_ns)
{
	host_clock_ns = now_ns;
	timer_run();
}

static void times_add_up_to_elapsed_time(void **state)
{
	struct vcpu_runstate_info info;
	uint64_t seed = 9;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		/* Readings of other CPUs may come a little late. */
		u64 late = random_next(&seed) % 3;

		host_clock_ns += 2 + random_next(&seed) % 1000;
		vcpu_runstate_change(v, random_next(&seed) % 4,
				     host_clock_ns - late);
		vcpu_runstate_read(v, &info, host_clock_ns + 5);
		assert_int_equal(info.time[0] + info.time[1] + info.time[2] +
					 info.time[3],
				 host_clock_ns + 5 - 1000);
		assert_true(info.time[info.state] >= 5);
	}
}

/* A page of d's, mapped writable at FAKE_VA and what lies behind it. */
static void *map_page(u32 i)
{
	static u64 l1_ma;
	u64 mfn = fake_frame(d);

	if (i == 0)
		l1_ma = fake_tables(d);
	assert_int_equal(
		mmu_update_l1(&d->owner, &d->owner, l1_ma + i * 8UL,
			      mfn << PAGE_SHIFT | PTE_P | PTE_RW | PTE_US,
			      false),
		0);
	return mfn_to_virt(mfn);
}

static void the_guests_copy_follows(void **state)
{
	u8 *first = map_page(0), *second = map_page(1);
	struct vcpu_runstate_info *copy = (void *)first, split;

	(void)state;
	vcpu_runstate_change(v, RUNSTATE_running, 1500);
	assert_int_equal(vcpu_runstate_map(v, FAKE_VA), 0);
	assert_int_equal(copy->state, RUNSTATE_running);
	assert_int_equal(copy->state_entry_time, 1500);
	assert_int_equal(copy->time[RUNSTATE_offline], 500);
	d->vm_assist = 1U << VMASST_TYPE_runstate_update_flag;
	vcpu_runstate_change(v, RUNSTATE_blocked, 1800);
	assert_int_equal(copy->state, RUNSTATE_blocked);
	assert_int_equal(copy->state_entry_time, 1800);
	assert_int_equal(copy->time[RUNSTATE_running], 300);
	/* A second one replaces it, also across two pages. */
	assert_int_equal(vcpu_runstate_map(v, FAKE_VA + PAGE_SIZE - 20), 0);
	vcpu_runstate_change(v, RUNSTATE_running, 2000);
	assert_int_equal(copy->state, RUNSTATE_blocked);
	memcpy(&split, first + PAGE_SIZE - 20, 20);
	memcpy((u8 *)&split + 20, second, sizeof(split) - 20);
	assert_int_equal(split.state, RUNSTATE_running);
	assert_int_equal(split.state_entry_time, 2000);
	assert_int_equal(split.time[RUNSTATE_blocked], 200);
	vcpu_runstate_unmap(v);
	vcpu_runstate_change(v, RUNSTATE_blocked, 3000);
	memcpy(&split, first + PAGE_SIZE - 20, 20);
	assert_int_equal(split.state, RUNSTATE_running);
	assert_int_not_equal(vcpu_runstate_map(v, FAKE_VA + 5 * PAGE_SIZE), 0);
}

static int writing;

static void *change_for_ever(void *arg)
{
	(void)arg;
	for (u64 i = 1; i < 300000; i++)
		vcpu_runstate_change(v, (u32)(i % 4), 1000 + i * 7);
	__atomic_store_n(&writing, 0, __ATOMIC_SEQ_CST);
	return NULL;
}

/* What a guest does: take a copy while the flag is down and nothing changed. */
static void the_update_flag_makes_the_copy_consistent(void **state)
{
	volatile struct vcpu_runstate_info *copy = map_page(0);
	pthread_t writer;
	int seen = 0;

	(void)state;
	d->vm_assist = 1U << VMASST_TYPE_runstate_update_flag;
	assert_int_equal(vcpu_runstate_map(v, FAKE_VA), 0);
	writing = 1;
	pthread_create(&writer, NULL, change_for_ever, NULL);
	while (__atomic_load_n(&writing, __ATOMIC_SEQ_CST)) {
		u64 entered = copy->state_entry_time, sum = 0;

		barrier();
		for (int i = 0; i < 4; i++)
			sum += copy->time[i];
		barrier();
		if (entered & XEN_RUNSTATE_UPDATE ||
		    entered != copy->state_entry_time)
			continue;
		assert_int_equal(sum, entered - 1000);
		seen++;
	}
	pthread_join(writer, NULL);
	assert_true(seen > 0);
}

static void a_single_shot_fires_once_on_time_or_at_once(void **state)
{
	u32 port = bind(VIRQ_TIMER);

	(void)state;
	vcpu_singleshot_set(v, 5000);
	advance_to(4999);
	assert_false(fired(port));
	advance_to(5000);
	assert_true(fired(port));
	advance_to(50000);
	assert_false(fired(port));
	vcpu_singleshot_set(v, 60000);
	vcpu_singleshot_set(v, 1);
	assert_true(fired(port));
	advance_to(70000);
	assert_false(fired(port));
	vcpu_singleshot_set(v, ~0UL);
	advance_to(1UL << 62);
	assert_false(fired(port));
}

static void a_periodic_timer_rests_with_its_vcpu(void **state)
{
	u32 port = bind(VIRQ_TIMER);

	(void)state;
	for (int paused = 0; paused < 2; paused++) {
		u64 start_ns = host_clock_ns;

		assert_int_equal(vcpu_periodic_set(v, MS), 0);
		v->down = !paused;
		v->domain->pause_count = (u32)paused;
		advance_to(start_ns + MS);
		assert_true(fired(port));
		assert_false(timer_queued(&v->periodic));
		advance_to(start_ns + 5 * MS / 2);
		assert_false(fired(port));
		v->down = false;
		v->domain->pause_count = 0;
		vcpu_periodic_resume(v);
		assert_int_equal(timer_expires(&v->periodic),
				 start_ns + 3 * MS);
		/* Blocked is another matter: it waits for the tick. */
		v->blocked = true;
		for (u64 tick = 3; tick < 6; tick++) {
			advance_to(start_ns + tick * MS);
			assert_true(fired(port));
		}
		v->blocked = false;
		vcpu_periodic_stop(v);
		vcpu_periodic_resume(v);
		assert_false(timer_queued(&v->periodic));
	}
}

static void a_periodic_timer_keeps_its_phase(void **state)
{
	u32 port = bind(VIRQ_TIMER);
	u64 start;

	(void)state;
	assert_int_equal(vcpu_periodic_set(v, MS - 1), -EINVAL);
	assert_int_equal(vcpu_periodic_set(v, ~0UL), -EINVAL);
	start = host_clock_ns;
	assert_int_equal(vcpu_periodic_set(v, MS), 0);
	for (u64 i = 1; i <= 5; i++) {
		advance_to(start + i * MS - 1);
		assert_false(fired(port));
		advance_to(start + i * MS + 100);
		assert_true(fired(port));
	}
	/* Missed ticks come as one, the next in phase. */
	advance_to(start + 9 * MS + MS / 2);
	assert_true(fired(port));
	advance_to(start + 10 * MS - 1);
	assert_false(fired(port));
	advance_to(start + 10 * MS);
	assert_true(fired(port));
	vcpu_periodic_stop(v);
	advance_to(start + 20 * MS);
	assert_false(fired(port));
}

static void the_virtual_timer_counts_running_time_only(void **state)
{
	u32 port = bind(XENO_VIRQ_VIRTUAL_TIMER);

	(void)state;
	vcpu_runstate_change(v, RUNSTATE_running, 1000);
	host_clock_ns = 2000;
	vcpu_virtual_timer_set(v, 5000, 2000);
	advance_to(5000);
	vcpu_runstate_change(v, RUNSTATE_runnable, 5000); /* 3000 ran */
	advance_to(100000);
	assert_false(fired(port));
	vcpu_runstate_change(v, RUNSTATE_running, 100000);
	advance_to(101999);
	assert_false(fired(port));
	advance_to(102000);
	assert_true(fired(port));
	advance_to(900000);
	assert_false(fired(port));
}

static void a_virtual_timer_that_ran_out_unnoticed_fires_later(void **state)
{
	u32 port = bind(XENO_VIRQ_VIRTUAL_TIMER);

	(void)state;
	vcpu_runstate_change(v, RUNSTATE_running, 1000);
	vcpu_virtual_timer_set(v, 500, 1000);
	/* Its interrupt was not served before the vCPU left the CPU. */
	vcpu_runstate_change(v, RUNSTATE_blocked, 1600);
	advance_to(9000);
	assert_false(fired(port));
	vcpu_runstate_change(v, RUNSTATE_running, 9000);
	advance_to(9000);
	assert_true(fired(port));
	vcpu_virtual_timer_set(v, 500, 9000);
	vcpu_virtual_timer_stop(v);
	advance_to(10000);
	assert_false(fired(port));
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(times_add_up_to_elapsed_time),
		TEST(the_guests_copy_follows),
		TEST(the_update_flag_makes_the_copy_consistent),
		TEST(a_single_shot_fires_once_on_time_or_at_once),
		TEST(a_periodic_timer_keeps_its_phase),
		TEST(a_periodic_timer_rests_with_its_vcpu),
		TEST(the_virtual_timer_counts_running_time_only),
		TEST(a_virtual_timer_that_ran_out_unnoticed_fires_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
