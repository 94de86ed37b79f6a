// SPDX-License-Identifier: Apache-2.0
/*
 * Turns at a disk: rings with endless or scarce requests in front of a device
 * that finishes them in order, as the data path drives them.
 */
#include <string.h>

#include <arch/host_machine.h>

#include "../../block/request_queue.h"
#include "check.h"

#define DISK 5
#define RINGS 24
#define SHARES 12
#define DEVICE 64

struct ring {
	struct disk_waiter waiter;
	struct disk_share *share;
	u32 cost;
	u32 slots, in_flight;
	u32 wants;  /* requests left */
	bool awake; /* its work is queued */
	u64 sectors, finished;
};

static struct disk_share shares[SHARES];
static struct ring rings[RINGS];
static struct {
	struct ring *ring;
	u32 cost;
} device[DEVICE];
static u32 device_count, device_sectors, device_most;

static void turn(struct disk_waiter *w)
{
	container_of(w, struct ring, waiter)->awake = true;
}

static int setup(void **state)
{
	(void)state;
	memset(rings, 0, sizeof(rings));
	disk_queue_init(DISK);
	for (u32 i = 0; i < SHARES; i++)
		disk_share_init(&shares[i]);
	for (u32 i = 0; i < RINGS; i++) {
		list_init(&rings[i].waiter.link);
		rings[i].waiter.turn = turn;
		rings[i].slots = 15;
	}
	device_count = device_sectors = device_most = 0;
	return 0;
}

static void start(struct ring *r, struct disk_share *s, u32 cost, u32 wants)
{
	r->share = s;
	r->cost = cost;
	r->wants = wants;
	r->awake = true;
}

static void work(struct ring *r)
{
	r->awake = false;
	while (r->wants && r->in_flight < r->slots) {
		if (!disk_queue_enter(DISK, r->share, &r->waiter, r->cost))
			return;
		r->wants--;
		r->in_flight++;
		assert_true(device_count < DEVICE);
		device[device_count].ring = r;
		device[device_count++].cost = r->cost;
		device_sectors += r->cost;
		device_most =
			device_count > device_most ? device_count : device_most;
		assert_true(device_count <= DISK_IN_FLIGHT_MAX);
		assert_true(device_sectors <= DISK_IN_FLIGHT_SECTORS_MAX);
	}
}

static void work_all(void)
{
	for (bool any = true; any;) {
		any = false;
		for (u32 i = 0; i < RINGS; i++) {
			if (rings[i].awake) {
				any = true;
				work(&rings[i]);
			}
		}
	}
}

static void finish_one(void)
{
	struct ring *r = device[0].ring;
	u32 cost = device[0].cost;

	memmove(device, device + 1, sizeof(device[0]) * --device_count);
	device_sectors -= cost;
	r->in_flight--;
	r->sectors += cost;
	r->finished++;
	r->awake = true;
	disk_queue_leave(DISK, cost);
}

static void run(u32 requests)
{
	work_all();
	while (requests-- && device_count) {
		finish_one();
		work_all();
	}
}

static void drain(void)
{
	for (u32 i = 0; i < RINGS; i++)
		rings[i].wants = 0;
	for (u32 i = 0; i < RINGS; i++) {
		if (rings[i].waiter.state != WAITER_IDLE)
			disk_queue_cancel(DISK, rings[i].share,
					  &rings[i].waiter);
		rings[i].awake = false;
	}
	while (device_count)
		finish_one();
	assert_int_equal(host_locks_held, 0);
	for (u32 i = 0; i < SHARES; i++)
		assert_true(list_empty(&shares[i].waiting));
}

static void one_domain_alone_waits_for_nobody(void **state)
{
	(void)state;
	start(&rings[0], &shares[0], 280, 5000);
	work_all();
	/* All that the bound of sectors allows. */
	assert_int_equal(device_count, DISK_IN_FLIGHT_SECTORS_MAX / 280);
	run(5000);
	assert_int_equal(rings[0].finished, 5000);
	drain();
}

static void equal_sectors_for_unequal_requests(void **state)
{
	u64 least = ~0UL, most = 0;

	(void)state;
	start(&rings[0], &shares[0], 64, ~0U);
	start(&rings[1], &shares[1], 256, ~0U);
	start(&rings[2], &shares[2], 88, ~0U);
	start(&rings[3], &shares[3], 280, ~0U);
	run(20000);
	for (int i = 0; i < 4; i++) {
		least = MIN(least, rings[i].sectors);
		most = MAX(most, rings[i].sectors);
	}
	/* Within what one may have in flight, and may come back with. */
	assert_true(most - least <=
		    DISK_IN_FLIGHT_SECTORS_MAX + SHARE_LAG_SECTORS);
	assert_true(least > 100000);
	drain();
}

static void rings_do_not_multiply_a_share(void **state)
{
	u64 many = 0;

	(void)state;
	for (u32 i = 0; i < 8; i++)
		start(&rings[i], &shares[0], 256, ~0U);
	start(&rings[8], &shares[1], 256, ~0U);
	run(20000);
	for (u32 i = 0; i < 8; i++)
		many += rings[i].sectors;
	assert_true(many + 2 * DISK_IN_FLIGHT_SECTORS_MAX > rings[8].sectors);
	assert_true(rings[8].sectors + 2 * DISK_IN_FLIGHT_SECTORS_MAX > many);
	/* And the eight share alike. */
	for (u32 i = 1; i < 8; i++)
		assert_in_range(rings[i].finished, rings[0].finished - 16,
				rings[0].finished + 16);
	drain();
}

static void weights_divide_the_disk(void **state)
{
	(void)state;
	shares[0].weight = 3 * SHARE_WEIGHT_DEFAULT;
	start(&rings[0], &shares[0], 256, ~0U);
	start(&rings[1], &shares[1], 256, ~0U);
	run(20000);
	assert_in_range(rings[0].sectors * 100 / rings[1].sectors, 290, 310);
	drain();
}

static void a_newcomer_is_served_soon(void **state)
{
	u32 steps = 0;

	(void)state;
	for (u32 i = 0; i < 10; i++)
		start(&rings[i], &shares[i], 256, ~0U);
	run(1000);
	start(&rings[10], &shares[10], 8, 1);
	work_all();
	while (!rings[10].finished) {
		run(1);
		steps++;
	}
	/* A round of the others, and what the device had before it. */
	assert_true(steps <= 10 + DISK_IN_FLIGHT_SECTORS_MAX / 256 + 1);
	drain();
}

static void a_full_device_asks_the_refused_first(void **state)
{
	(void)state;
	start(&rings[0], &shares[0], 256, ~0U);
	start(&rings[1], &shares[1], 256, ~0U);
	work_all();
	/* With nothing in flight nobody would wake it. */
	drain();
	start(&rings[2], &shares[2], 8, 0);
	assert_true(disk_queue_enter(DISK, &shares[2], &rings[2].waiter, 8));
	assert_false(disk_queue_refused(DISK, &shares[2], &rings[2].waiter));
	assert_int_equal(rings[2].waiter.state, WAITER_IDLE);
	/* With another in flight it waits for that one. */
	start(&rings[3], &shares[3], 8, 1);
	work_all();
	assert_int_equal(device_count, 1);
	assert_true(disk_queue_enter(DISK, &shares[2], &rings[2].waiter, 8));
	assert_true(disk_queue_refused(DISK, &shares[2], &rings[2].waiter));
	rings[2].awake = false;
	finish_one();
	assert_true(rings[2].awake);
	assert_true(disk_queue_enter(DISK, &shares[2], &rings[2].waiter, 8));
	disk_queue_leave(DISK, 8);
	rings[2].awake = false;
	drain();
}

static void random_comings_and_goings(void **state)
{
	u64 seed = 3;

	(void)state;
	for (u32 i = 0; i < 20000; i++) {
		struct ring *r = &rings[random_next(&seed) % RINGS];
		u32 action = (u32)(random_next(&seed) % 8);

		if (action < 3 && !r->wants && r->waiter.state == WAITER_IDLE)
			start(r, &shares[(u64)(r - rings) % SHARES],
			      1 + (u32)(random_next(&seed) % 300),
			      1 + (u32)(random_next(&seed) % 20));
		else if (action == 3 && r->wants) {
			r->wants = 0;
			disk_queue_cancel(DISK, r->share, &r->waiter);
		} else if (device_count) {
			finish_one();
		}
		work_all();
		/* Nobody waits at an idle disk. */
		for (u32 k = 0; !device_count && k < RINGS; k++)
			assert_int_equal(rings[k].waiter.state, WAITER_IDLE);
	}
	run(100000);
	for (u32 k = 0; k < RINGS; k++)
		assert_int_equal(rings[k].wants, 0);
	assert_true(device_most > 20);
	drain();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(one_domain_alone_waits_for_nobody,
				       setup),
		cmocka_unit_test_setup(equal_sectors_for_unequal_requests,
				       setup),
		cmocka_unit_test_setup(rings_do_not_multiply_a_share, setup),
		cmocka_unit_test_setup(weights_divide_the_disk, setup),
		cmocka_unit_test_setup(a_newcomer_is_served_soon, setup),
		cmocka_unit_test_setup(a_full_device_asks_the_refused_first,
				       setup),
		cmocka_unit_test_setup(random_comings_and_goings, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
