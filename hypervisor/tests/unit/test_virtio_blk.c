// SPDX-License-Identifier: Apache-2.0
/* Virtio disks: requests, full queues, and devices that lie. */
#include <string.h>

#include <hv/drivers.h>
#include <hv/errno.h>
#include <hv/meter.h>
#include <hv/work.h>

#include <arch/host_machine.h>

#include "../fake/virtio_device.h"
#include "check.h"

#define F_SEG_MAX (1UL << 2)
#define F_RO (1UL << 5)
#define F_BLK_SIZE (1UL << 6)
#define F_FLUSH (1UL << 9)
#define F_TOPOLOGY (1UL << 10)
#define F_DISCARD (1UL << 13)
#define F_INDIRECT (1UL << 28)
#define F_EVENT_IDX (1UL << 29)
#define F_ALL                                                                  \
	(F_SEG_MAX | F_FLUSH | F_DISCARD | F_BLK_SIZE | F_TOPOLOGY |           \
	 F_INDIRECT | F_EVENT_IDX)

#define REQUESTS 200

static struct request {
	struct disk_request r;
	struct disk_segment segments[DISK_SEGMENTS_MAX];
	int status;
	unsigned int done;
} requests[REQUESTS];
static unsigned int done_count;

static int setup(void **state)
{
	(void)state;
	fake_start();
	meter_cpu_start(0, host_clock_ns);
	work_start();
	done_count = 0;
	for (unsigned int i = 0; i < sizeof(fake_disk_data); i++)
		fake_disk_data[i] = (u8)(i * 7 + i / 512);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_stop();
	return 0;
}

static struct fake_function *add_device(u64 features)
{
	struct fake_function *f = fake_virtio_add(0, 8, 0x1042, features);

	fake_put64(f->config, 64);
	fake_put32(f->config + 12, 4);
	fake_put32(f->config + 20, 1024);
	f->config[24] = 2;
	fake_put32(f->config + 36, 32);
	f->on_notify = fake_serve_disk;
	return f;
}

static struct disk *start(u64 features)
{
	add_device(features);
	drivers_init(NULL, 0);
	assert_non_null(fake_disk);
	return fake_disk;
}

static void done(struct disk_request *r, int status)
{
	struct request *q = container_of(r, struct request, r);

	assert_int_equal(host_locks_held, 0);
	q->status = status;
	q->done++;
	done_count++;
}

/* Request i, of `count` segments of 512 bytes each in its own page. */
static struct request *make(unsigned int i, enum disk_op op, u64 sector,
			    u32 count)
{
	struct request *q = &requests[i];

	memset(q, 0, sizeof(*q));
	q->r.op = op;
	q->r.sector = sector;
	q->r.sectors = op == DISK_FLUSH ? 0 : count;
	q->r.segments = q->segments;
	q->r.done = done;
	if (op == DISK_READ || op == DISK_WRITE)
		q->r.segment_count = count;
	for (u32 s = 0; s < q->r.segment_count; s++)
		q->segments[s] = (struct disk_segment){
			fake_guest_page() + 512UL * (s & 7), 512
		};
	return q;
}

static void run_work(void)
{
	for (int i = 0; i < 100 && work_run(~0UL); i++)
		;
}

static void submit(struct disk *d, struct request *q)
{
	assert_int_equal(disk_submit(d, &q->r), 0);
}

static void finish_all(struct disk *d)
{
	disk_kick(d);
	fake_interrupt(0);
	run_work();
}

static void a_disk_says_what_it_is(void **state)
{
	const struct disk *d = start(F_ALL);

	(void)state;
	assert_int_equal(d->sectors, 64);
	assert_int_equal(d->segments_max, 4);
	assert_int_equal(d->physical_block_bytes, 4096);
	assert_int_equal(d->discard_sectors_max, 32);
	assert_int_equal(d->flags, DISK_HAS_FLUSH | DISK_HAS_DISCARD);
	assert_string_equal(d->serial, "SERIAL-0123456789ABC");
	assert_string_equal(d->name, "virtio-blk-00:01.0");
	assert_int_equal(fake_device->status & 0x8f, 0x0f);
	/* Memory and DMA on, pins off. */
	assert_int_equal(fake_device->space[4] & 6, 6);
	assert_int_equal(fake_device->space[5] & 4, 4);
}

static void reads_and_writes_reach_the_right_bytes(u64 features)
{
	struct disk *d = start(features);
	struct request *r, *w;

	r = make(0, DISK_READ, 3, 4);
	submit(d, r);
	w = make(1, DISK_WRITE, 40, 2);
	memset(fake_memory(w->segments[0].maddr), 0xaa, 512);
	memset(fake_memory(w->segments[1].maddr), 0xbb, 512);
	submit(d, w);
	assert_int_equal(done_count, 0);
	finish_all(d);
	assert_int_equal(done_count, 2);
	assert_int_equal(r->status, 0);
	assert_int_equal(w->status, 0);
	for (int s = 0; s < 4; s++)
		assert_memory_equal(fake_memory(r->segments[s].maddr),
				    fake_disk_data + (3 + s) * 512, 512);
	for (int i = 0; i < 512; i++) {
		assert_int_equal(fake_disk_data[40 * 512 + i], 0xaa);
		assert_int_equal(fake_disk_data[41 * 512 + i], 0xbb);
	}
	assert_int_equal(d->requests[DISK_READ], 1);
	assert_int_equal(d->bytes[DISK_READ], 2048);
	assert_int_equal(d->bytes[DISK_WRITE], 1024);
	assert_int_equal(d->errors, 0);
}

static void requests_work_with_all_features(void **state)
{
	(void)state;
	reads_and_writes_reach_the_right_bytes(F_ALL);
}

static void requests_work_without_any(void **state)
{
	(void)state;
	reads_and_writes_reach_the_right_bytes(0);
}

static void flush_and_discard_are_sent_where_offered(void **state)
{
	struct disk *d = start(F_ALL);
	struct request *f = make(0, DISK_FLUSH, 0, 0);
	struct request *c = make(1, DISK_DISCARD, 8, 32);
	struct request *big = make(2, DISK_DISCARD, 8, 33);

	(void)state;
	submit(d, f);
	submit(d, c);
	submit(d, big);
	finish_all(d);
	assert_int_equal(f->status, 0);
	assert_int_equal(c->status, 0);
	assert_int_equal(big->status, -EIO);
	assert_int_equal(fake_types[4], 1);
	assert_int_equal(fake_types[11], 1);
	for (int i = 0; i < 32 * 512; i++)
		assert_int_equal(fake_disk_data[8 * 512 + i], 0);
	assert_int_not_equal(fake_disk_data[40 * 512 + 1], 0);
}

static void what_the_disk_has_not_fails(void **state)
{
	struct disk *d = start(F_RO | F_INDIRECT | F_SEG_MAX);

	(void)state;
	assert_int_equal(d->flags, DISK_READ_ONLY);
	submit(d, make(0, DISK_WRITE, 0, 1));
	submit(d, make(1, DISK_FLUSH, 0, 0));
	submit(d, make(2, DISK_DISCARD, 0, 1));
	submit(d, make(3, DISK_READ, 64, 1));
	submit(d, make(4, DISK_READ, 63, 2));
	submit(d, make(5, DISK_READ, ~0UL - 1, 4));
	submit(d, make(6, DISK_READ, 0, 5));
	submit(d, make(7, DISK_READ, 0, 0));
	submit(d, make(8, DISK_READ, 63, 1));
	finish_all(d);
	assert_int_equal(done_count, 9);
	for (int i = 0; i < 8; i++)
		assert_int_equal(requests[i].status, -EIO);
	assert_int_equal(requests[8].status, 0);
	assert_int_equal(d->errors, 8);
	assert_int_equal(fake_types[1] + fake_types[4] + fake_types[11], 0);
}

static void a_full_queue_says_busy_and_takes_again(void **state)
{
	struct disk *d = start(F_ALL);
	unsigned int i = 0;

	(void)state;
	while (!disk_submit(d, &make(i, DISK_READ, i % 64, 1)->r))
		i++;
	assert_int_equal(i, 128);
	assert_int_equal(disk_submit(d, &requests[128].r), -EBUSY);
	finish_all(d);
	assert_int_equal(done_count, 128);
	for (i = 0; i < 128; i++)
		assert_int_equal(requests[i].done, 1);
	submit(d, &requests[128]);
	finish_all(d);
	assert_int_equal(done_count, 129);
}

static void a_queue_without_tables_fills_by_descriptors(void **state)
{
	struct disk *d;
	unsigned int i = 0;

	(void)state;
	add_device(F_SEG_MAX)->queues[0].max = 128;
	drivers_init(NULL, 0);
	d = fake_disk;
	while (!disk_submit(d, &make(i, DISK_READ, i % 60, 4)->r))
		i++;
	assert_int_equal(i, 128 / 6);
	finish_all(d);
	assert_int_equal(done_count, 128 / 6);
	submit(d, &requests[128 / 6]);
	finish_all(d);
	assert_int_equal(done_count, 128 / 6 + 1);
}

static void a_batch_is_one_notification(void **state)
{
	struct disk *d = start(F_ALL);
	u64 before = fake_device->notified;

	(void)state;
	for (unsigned int i = 0; i < 20; i++)
		submit(d, make(i, DISK_READ, i, 1));
	assert_int_equal(fake_device->notified, before);
	disk_kick(d);
	disk_kick(d);
	assert_int_equal(fake_device->notified, before + 1);
}

static void errors_of_the_device_are_errors(void **state)
{
	struct disk *d = start(F_ALL);

	(void)state;
	fake_disk_status = 1;
	submit(d, make(0, DISK_READ, 0, 1));
	finish_all(d);
	assert_int_equal(requests[0].status, -EIO);
	assert_int_equal(d->errors, 1);
	fake_disk_status = 0;
	submit(d, make(0, DISK_READ, 0, 1));
	finish_all(d);
	assert_int_equal(requests[0].status, 0);
}

static void many_requests_go_round_the_rings(void **state)
{
	struct disk *d = start(F_ALL);
	uint64_t seed = 9;

	(void)state;
	/* More than 65,536, where the indices wrap. */
	for (unsigned int i = 0; i < 128; i++)
		make(i, DISK_READ, i % 64, 1);
	for (unsigned int round = 0; round < 3000; round++) {
		unsigned int n = 1 + random_next(&seed) % 60;

		for (unsigned int i = 0; i < n; i++)
			submit(d, &requests[i]);
		done_count = 0;
		finish_all(d);
		assert_int_equal(done_count, n);
		assert_int_equal(requests[n - 1].status, 0);
	}
	assert_true(d->requests[DISK_READ] > 66000);
}

/* ---- lies about what was done ---- */

static void hold(struct fake_function *f, u16 queue)
{
	(void)f;
	(void)queue;
}

static struct fake_chain chain;

/* Three requests the device has taken and not answered. */
static struct disk *three_in_flight(void)
{
	struct disk *d = start(F_ALL);

	fake_device->on_notify = hold;
	for (unsigned int i = 0; i < 3; i++)
		submit(d, make(i, DISK_READ, i, 1));
	disk_kick(d);
	assert_true(fake_take(fake_device, 0, &chain));
	return d;
}

static void check_broken(struct disk *d, unsigned int good)
{
	fake_interrupt(0);
	run_work();
	assert_int_equal(done_count, 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(requests[i].done, 1);
		assert_int_equal(requests[i].status, i < good ? 0 : -EIO);
	}
	/* Reset, and no DMA. */
	assert_int_equal(fake_device->status, 0);
	assert_int_equal(fake_device->space[4] & 4, 0);
	submit(d, make(5, DISK_READ, 0, 1));
	finish_all(d);
	assert_int_equal(requests[5].status, -EIO);
	assert_int_equal(requests[0].done, 1);
}

static void an_id_out_of_range_breaks_it(void **state)
{
	struct disk *d = three_in_flight();

	(void)state;
	fake_done(fake_device, 0, 256, 513);
	check_broken(d, 0);
}

static void an_enormous_id_breaks_it(void **state)
{
	struct disk *d = three_in_flight();

	(void)state;
	fake_done(fake_device, 0, 0xffff0000U | chain.head, 513);
	check_broken(d, 0);
}

static void an_id_not_in_flight_breaks_it(void **state)
{
	struct disk *d = three_in_flight();

	(void)state;
	fake_done(fake_device, 0, 77, 513);
	check_broken(d, 0);
}

static void the_same_id_twice_breaks_it(void **state)
{
	struct disk *d = three_in_flight();

	(void)state;
	*(u8 *)fake_memory(chain.buffers[2].maddr) = 0;
	fake_done(fake_device, 0, chain.head, 513);
	fake_done(fake_device, 0, chain.head, 513);
	check_broken(d, 1);
}

static void more_bytes_than_room_break_it(void **state)
{
	struct disk *d = three_in_flight();

	(void)state;
	fake_done(fake_device, 0, chain.head, 514);
	check_broken(d, 0);
}

static void an_index_that_jumps_breaks_it(void **state)
{
	struct disk *d = three_in_flight();
	u8 *used = fake_memory(fake_device->queues[0].used);

	(void)state;
	/* The serial number was request 1. */
	fake_put16(used + 2, 5);
	check_broken(d, 0);
}

static void a_device_that_cannot_be_reset_still_fails_them(void **state)
{
	struct disk *d = three_in_flight();

	(void)state;
	fake_device->never_resets = true;
	fake_done(fake_device, 0, 256, 513);
	fake_interrupt(0);
	run_work();
	assert_int_equal(done_count, 3);
	assert_int_equal(fake_device->space[4] & 4, 0);
	assert_int_equal(d->errors, 3);
}

static void rings_that_the_device_overwrites_are_not_believed(void **state)
{
	struct disk *d = three_in_flight();

	(void)state;
	/* Descriptors and the available ring are the driver's own. */
	memset(fake_memory(fake_device->queues[0].desc), 0xff, 16 * 128);
	memset((u8 *)fake_memory(fake_device->queues[0].avail) + 4, 0xff, 256);
	*(u8 *)fake_memory(chain.buffers[2].maddr) = 0;
	fake_done(fake_device, 0, chain.head, 513);
	fake_interrupt(0);
	run_work();
	assert_int_equal(done_count, 1);
	assert_int_equal(requests[0].status, 0);
	assert_int_equal(d->errors, 0);
}

/* ---- devices that are not used ---- */

static void refused(struct fake_function *f)
{
	(void)f;
	drivers_init(NULL, 0);
	assert_null(fake_disk);
	run_work();
}

#define REFUSED(name, change)                                                  \
	static void name(void **state)                                         \
	{                                                                      \
		struct fake_function *f = add_device(F_ALL);                   \
                                                                               \
		(void)state;                                                   \
		change;                                                        \
		refused(f);                                                    \
	}

REFUSED(legacy_by_capability, f->space[FAKE_CAP_COMMON + 3] = 77)
REFUSED(legacy_by_feature, f->offered &= ~(1UL << 32))
REFUSED(no_msix, f->space[FAKE_CAP_MSIX] = 5)
REFUSED(no_vector, f->no_vectors = true)
REFUSED(no_queue, f->num_queues = 0)
REFUSED(empty_queue, f->queues[0].max = f->queues[0].size = 0)
REFUSED(no_reset, f->status = 1; f->never_resets = true)
REFUSED(no_agreement, f->never_agrees = true)
REFUSED(no_sectors, fake_put64(f->config, 0))
REFUSED(too_many_sectors, fake_put64(f->config, ~0UL))
REFUSED(common_beyond_bar,
	fake_put32(f->space + FAKE_CAP_COMMON + 8, FAKE_BAR4_BYTES - 8))
REFUSED(common_too_short, fake_put32(f->space + FAKE_CAP_COMMON + 12, 8))
REFUSED(common_in_bar_9, f->space[FAKE_CAP_COMMON + 4] = 9)
REFUSED(config_beyond_bar,
	fake_put32(f->space + FAKE_CAP_DEVICE + 8, 0xfffffff0))
REFUSED(notify_beyond_bar,
	fake_put32(f->space + FAKE_CAP_NOTIFY + 8, FAKE_BAR4_BYTES))
REFUSED(notify_offset_beyond, f->queues[0].notify_off = 0xffff)
REFUSED(notify_offset_overflow,
	fake_put32(f->space + FAKE_CAP_NOTIFY + 16, 0xffffffff);
	f->queues[0].notify_off = 0xffff)
REFUSED(no_answer, f->on_notify = hold)

static void odd_queue_sizes_are_rounded_down(void **state)
{
	(void)state;
	add_device(F_ALL)->queues[0].max = 100;
	drivers_init(NULL, 0);
	assert_non_null(fake_disk);
	assert_int_equal(fake_device->queues[0].size, 64);
}

static void short_queues_take_short_requests(void **state)
{
	struct fake_function *f = add_device(F_SEG_MAX);

	(void)state;
	fake_put32(f->config + 12, 60);
	f->queues[0].max = 8;
	drivers_init(NULL, 0);
	assert_non_null(fake_disk);
	assert_int_equal(fake_disk->segments_max, 6);
	submit(fake_disk, make(0, DISK_READ, 0, 6));
	assert_int_equal(disk_submit(fake_disk, &make(1, DISK_READ, 0, 1)->r),
			 -EBUSY);
	submit(fake_disk, make(2, DISK_READ, 0, 7));
	finish_all(fake_disk);
	assert_int_equal(requests[0].status, 0);
	assert_int_equal(requests[2].status, -EIO);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_disk_says_what_it_is),
		TEST(requests_work_with_all_features),
		TEST(requests_work_without_any),
		TEST(flush_and_discard_are_sent_where_offered),
		TEST(what_the_disk_has_not_fails),
		TEST(a_full_queue_says_busy_and_takes_again),
		TEST(a_queue_without_tables_fills_by_descriptors),
		TEST(a_batch_is_one_notification),
		TEST(errors_of_the_device_are_errors),
		TEST(many_requests_go_round_the_rings),
		TEST(an_id_out_of_range_breaks_it),
		TEST(an_enormous_id_breaks_it),
		TEST(an_id_not_in_flight_breaks_it),
		TEST(the_same_id_twice_breaks_it),
		TEST(more_bytes_than_room_break_it),
		TEST(an_index_that_jumps_breaks_it),
		TEST(a_device_that_cannot_be_reset_still_fails_them),
		TEST(rings_that_the_device_overwrites_are_not_believed),
		TEST(legacy_by_capability),
		TEST(legacy_by_feature),
		TEST(no_msix),
		TEST(no_vector),
		TEST(no_queue),
		TEST(empty_queue),
		TEST(no_reset),
		TEST(no_agreement),
		TEST(no_sectors),
		TEST(too_many_sectors),
		TEST(common_beyond_bar),
		TEST(common_too_short),
		TEST(common_in_bar_9),
		TEST(config_beyond_bar),
		TEST(notify_beyond_bar),
		TEST(notify_offset_beyond),
		TEST(notify_offset_overflow),
		TEST(no_answer),
		TEST(short_queues_take_short_requests),
		TEST(odd_queue_sizes_are_rounded_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
