// SPDX-License-Identifier: Apache-2.0
/* Virtio cards: frames in both directions, and cards that lie. */
#include <string.h>

#include <hv/drivers.h>
#include <hv/errno.h>
#include <hv/meter.h>
#include <hv/work.h>

#include <arch/host_machine.h>

#include "../fake/virtio_device.h"
#include "check.h"

#define F_CSUM (1UL << 0)
#define F_GUEST_CSUM (1UL << 1)
#define F_MTU (1UL << 3)
#define F_MAC (1UL << 5)
#define F_TSO4 (1UL << 11)
#define F_TSO6 (1UL << 12)
#define F_STATUS (1UL << 16)
#define F_INDIRECT (1UL << 28)
#define F_EVENT_IDX (1UL << 29)
#define F_ALL                                                                  \
	(F_CSUM | F_GUEST_CSUM | F_MAC | F_TSO4 | F_TSO6 | F_STATUS |          \
	 F_INDIRECT | F_EVENT_IDX)

#define RX 0
#define TX 1
#define HEADER 12

static struct {
	u8 bytes[2048];
	u32 count;
	struct packet_offload offload;
} last;
static unsigned int received, sent;
static u32 receive_instructions;

static int setup(void **state)
{
	(void)state;
	fake_start();
	meter_cpu_start(0, host_clock_ns);
	work_start();
	received = sent = receive_instructions = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_stop();
	return 0;
}

static void run_work(void)
{
	for (int i = 0; i < 100 && work_run(~0UL); i++)
		;
}

static u32 receive(struct uplink *u, const void *data, u32 bytes,
		   const struct packet_offload *offload)
{
	(void)u;
	assert_int_equal(host_locks_held, 0);
	assert_true(bytes <= sizeof(last.bytes));
	memcpy(last.bytes, data, bytes);
	last.count = bytes;
	last.offload = *offload;
	received++;
	return receive_instructions;
}

static void done(struct uplink_packet *p)
{
	(void)p;
	assert_int_equal(host_locks_held, 0);
	sent++;
}

static struct fake_function *add_device(u64 features)
{
	struct fake_function *f = fake_virtio_add(0, 8, 0x1041, features);

	memcpy(f->config, "\x52\x54\x00\x12\x34\x56", 6);
	fake_put16(f->config + 6, 1);
	return f;
}

static struct uplink *start(u64 features)
{
	add_device(features);
	drivers_init(NULL, 0);
	assert_non_null(fake_uplink);
	fake_uplink->receive = receive;
	return fake_uplink;
}

/* The card puts a frame of so many bytes into the next buffer. */
static void arrive(const void *header, u32 bytes)
{
	struct fake_chain c;
	u8 *to;

	assert_true(fake_take(fake_device, RX, &c));
	assert_int_equal(c.count, 1);
	assert_true(c.buffers[0].writable && c.buffers[0].bytes >= 1526);
	to = fake_memory(c.buffers[0].maddr);
	memcpy(to, header, HEADER);
	for (u32 i = 0; i < bytes; i++)
		to[HEADER + i] = (u8)(i * 3 + bytes);
	fake_done(fake_device, RX, c.head, HEADER + bytes);
}

static const u8 plain[HEADER];

static void a_card_says_what_it_is(void **state)
{
	const struct uplink *u = start(F_ALL);

	(void)state;
	assert_memory_equal(u->mac, "\x52\x54\x00\x12\x34\x56", 6);
	assert_int_equal(u->mtu, 1500);
	assert_true(u->link_up);
	assert_int_equal(u->flags, UPLINK_CSUM | UPLINK_TSO4 | UPLINK_TSO6);
	assert_string_equal(u->name, "virtio-net-00:01.0");
	assert_int_equal(fake_device->status & 4, 4);
}

static void segmentation_needs_checksums(void **state)
{
	(void)state;
	assert_int_equal(start(F_TSO4 | F_TSO6)->flags, 0);
}

static void a_small_mtu_is_kept_and_a_large_one_not_agreed_on(void **state)
{
	struct fake_function *f = add_device(F_ALL | F_MTU);

	(void)state;
	fake_put16(f->config + 10, 1400);
	drivers_init(NULL, 0);
	assert_int_equal(fake_uplink->mtu, 1400);
	assert_true(f->agreed & F_MTU);
	fake_put16(f->config + 10, 9000);
	drivers_init(NULL, 0);
	assert_int_equal(fake_uplink->mtu, 1500);
	assert_false(f->agreed & F_MTU);
}

static void frames_come_in(u64 features)
{
	struct uplink *u = start(features);

	/* Round the ring twice, all at once as far as a round goes. */
	for (int round = 0; round < 6; round++) {
		for (u32 i = 0; i < 100; i++)
			arrive(plain, 60 + i);
		fake_interrupt(0);
		run_work();
		assert_int_equal(received, (round + 1) * 100);
		assert_int_equal(last.count, 159);
		for (u32 i = 0; i < last.count; i++)
			assert_int_equal(last.bytes[i], (u8)(i * 3 + 159));
	}
	assert_int_equal(u->rx_packets, 600);
	assert_int_equal(u->rx_bytes, 6 * (60 * 100 + 4950));
	assert_int_equal(u->rx_dropped, 0);
}

static void frames_come_in_with_all_features(void **state)
{
	(void)state;
	frames_come_in(F_ALL);
}

static void frames_come_in_without_any(void **state)
{
	(void)state;
	frames_come_in(0);
}

static void headers_of_frames_are_checked(void **state)
{
	struct uplink *u = start(F_ALL);
	static const u8 good[HEADER] = { 2 };
	static const u8 blank[HEADER] = { 1, 0, 0, 0, 0, 0, 34, 0, 16, 0 };
	static const u8 beyond[HEADER] = { 1, 0, 0, 0, 0, 0, 34, 0, 25, 0 };
	static const u8 wraps[HEADER] = { 1, 0,    0,    0,    0,
					  0, 0xff, 0xff, 0xff, 0xff };
	static const u8 large[HEADER] = { 0, 1, 54, 0, 100, 0 };

	(void)state;
	arrive(good, 60);
	fake_interrupt(0);
	run_work();
	assert_int_equal(last.offload.flags, PACKET_CSUM_GOOD);
	arrive(blank, 60);
	fake_interrupt(0);
	run_work();
	assert_int_equal(last.offload.flags, PACKET_CSUM_BLANK);
	assert_int_equal(last.offload.csum_start, 34);
	assert_int_equal(last.offload.csum_offset, 16);
	assert_int_equal(received, 2);
	arrive(beyond, 60);
	arrive(wraps, 60);
	arrive(large, 1000);
	arrive(plain, 13);
	fake_interrupt(0);
	run_work();
	assert_int_equal(received, 2);
	assert_int_equal(u->rx_dropped, 4);
}

static void frames_nobody_wants_are_counted(void **state)
{
	struct uplink *u = start(F_ALL);

	(void)state;
	u->receive = NULL;
	arrive(plain, 60);
	fake_interrupt(0);
	run_work();
	assert_int_equal(u->rx_dropped, 1);
	assert_int_equal(u->rx_packets, 0);
}

/* So that no run of the work lasts long. */
static void dear_frames_end_a_round(void **state)
{
	(void)state;
	start(F_ALL);
	receive_instructions = 20000;
	for (int i = 0; i < 8; i++)
		arrive(plain, 60);
	fake_interrupt(0);
	(void)work_run(~0UL);
	assert_int_equal(received, 3);
	run_work();
	assert_int_equal(received, 8);
}

static struct uplink_packet packets[300];

static struct uplink_packet *make(unsigned int i, u32 segments)
{
	struct uplink_packet *p = &packets[i];

	memset(p, 0, sizeof(*p));
	p->segment_count = segments;
	p->done = done;
	for (u32 s = 0; s < segments; s++) {
		p->segments[s].maddr = fake_guest_page() + s;
		p->segments[s].bytes = 100 + s;
		memset(fake_memory(p->segments[s].maddr), (int)(i + s),
		       100 + s);
	}
	return p;
}

static void packets_go_out_as_they_are(void **state)
{
	struct uplink *u = start(F_ALL);
	struct fake_chain c;
	u64 before = fake_device->notified;
	struct uplink_packet *p = make(1, 3);
	const u8 *h;

	(void)state;
	p->offload = (struct packet_offload){
		.flags = PACKET_CSUM_BLANK | PACKET_GSO_TCPV4,
		.csum_start = 34,
		.csum_offset = 16,
		.gso_bytes = 1448,
		.header_bytes = 66,
	};
	assert_int_equal(u->driver->send(u, p), 0);
	assert_int_equal(u->driver->send(u, make(2, 1)), 0);
	u->driver->kick(u);
	assert_int_equal(fake_device->notified, before + 1);
	assert_true(fake_take(fake_device, TX, &c));
	assert_int_equal(c.count, 4);
	h = fake_memory(c.buffers[0].maddr);
	assert_memory_equal(h, "\1\1\x42\0\xa8\5\x22\0\x10\0\0\0", HEADER);
	for (u32 s = 0; s < 3; s++) {
		assert_int_equal(c.buffers[s + 1].maddr, p->segments[s].maddr);
		assert_int_equal(c.buffers[s + 1].bytes, 100 + s);
		assert_false(c.buffers[s + 1].writable);
	}
	fake_done(fake_device, TX, c.head, 0);
	assert_true(fake_take(fake_device, TX, &c));
	assert_int_equal(c.count, 2);
	h = fake_memory(c.buffers[0].maddr);
	assert_memory_equal(h, plain, HEADER);
	fake_done(fake_device, TX, c.head, 0);
	fake_interrupt(0);
	run_work();
	assert_int_equal(sent, 2);
	assert_int_equal(u->tx_packets, 2);
	assert_int_equal(u->tx_bytes, 303 + 100);
}

static void what_the_card_cannot_do_is_dropped(void **state)
{
	struct uplink *u = start(F_INDIRECT);
	static const struct packet_offload offloads[] = {
		{ .flags = PACKET_CSUM_BLANK, .csum_start = 34 },
		{ .flags = PACKET_GSO_TCPV4, .gso_bytes = 1000 },
	};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		make(i, 1)->offload = offloads[i];
		assert_int_equal(u->driver->send(u, &packets[i]), 0);
	}
	assert_int_equal(u->driver->send(u, make(2, 0)), 0);
	make(3, 1)->segment_count = UPLINK_SEGMENTS_MAX + 1;
	assert_int_equal(u->driver->send(u, &packets[3]), 0);
	run_work();
	assert_int_equal(sent, 4);
	assert_int_equal(u->tx_dropped, 4);
}

static void a_full_queue_says_busy_and_takes_again(void **state)
{
	struct uplink *u = start(F_ALL);
	struct fake_chain c;
	unsigned int n = 0;

	(void)state;
	while (!u->driver->send(u, make(n, 1)))
		n++;
	assert_int_equal(n, 256);
	u->driver->kick(u);
	while (fake_take(fake_device, TX, &c))
		fake_done(fake_device, TX, c.head, 0);
	fake_interrupt(0);
	run_work();
	assert_int_equal(sent, 256);
	assert_int_equal(u->driver->send(u, make(n, 1)), 0);
}

static void a_cable_is_pulled(void **state)
{
	struct uplink *u = start(F_ALL);

	(void)state;
	fake_put16(fake_device->config + 6, 0);
	assert_int_equal(fake_device->config_msix, 1);
	fake_interrupt(1);
	run_work();
	assert_false(u->link_up);
	fake_put16(fake_device->config + 6, 1);
	fake_interrupt(1);
	run_work();
	assert_true(u->link_up);
}

static void check_broken(struct uplink *u, unsigned int dropped)
{
	fake_interrupt(0);
	run_work();
	assert_int_equal(fake_device->status, 0);
	assert_int_equal(fake_device->space[4] & 4, 0);
	assert_false(u->link_up);
	assert_int_equal(sent, dropped);
	assert_int_equal(u->tx_dropped, dropped);
	assert_int_equal(u->driver->send(u, make(9, 1)), 0);
	u->driver->kick(u);
	run_work();
	assert_int_equal(sent, dropped + 1);
}

static void a_frame_longer_than_its_buffer_breaks_it(void **state)
{
	struct uplink *u = start(F_ALL);
	struct fake_chain c;

	(void)state;
	assert_true(fake_take(fake_device, RX, &c));
	fake_done(fake_device, RX, c.head, c.buffers[0].bytes + 1);
	check_broken(u, 0);
	assert_int_equal(received, 0);
}

static void a_wrong_id_breaks_it_and_ends_what_was_sent(void **state)
{
	struct uplink *u = start(F_ALL);

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(u->driver->send(u, make(i, 2)), 0);
	u->driver->kick(u);
	fake_done(fake_device, TX, 200, 0);
	check_broken(u, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_card_says_what_it_is),
		TEST(segmentation_needs_checksums),
		TEST(a_small_mtu_is_kept_and_a_large_one_not_agreed_on),
		TEST(frames_come_in_with_all_features),
		TEST(frames_come_in_without_any),
		TEST(headers_of_frames_are_checked),
		TEST(frames_nobody_wants_are_counted),
		TEST(dear_frames_end_a_round),
		TEST(packets_go_out_as_they_are),
		TEST(what_the_card_cannot_do_is_dropped),
		TEST(a_full_queue_says_busy_and_takes_again),
		TEST(a_cable_is_pulled),
		TEST(a_frame_longer_than_its_buffer_breaks_it),
		TEST(a_wrong_id_breaks_it_and_ends_what_was_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
