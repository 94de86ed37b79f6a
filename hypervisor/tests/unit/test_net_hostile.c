// SPDX-License-Identifier: Apache-2.0
/* Front ends that break the protocol, or change what they send while it is
 * looked at. */
#include <pthread.h>

#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/work.h>

#include "../fake/domains.h"
#include "../fake/net_world.h"
#include "check.h"

#define ALL_FEATURES 31u
static const u8 stranger[6] = { 2, 9, 9, 9, 9, 9 };

static struct frame_bytes frame;
static struct received got;
static struct front a, b;

static void two_guests(u32 card_flags, u32 features, u32 headroom)
{
	(void)world_two_guests(card_flags, features, headroom, &a, &b);
}

static void tcp_a_to_b(u32 payload)
{
	frame_ip(&frame, world_mac[1], world_mac[0], 4, world_ip[0],
		 world_ip[1], 6, 1000, 80, payload, 3);
}

static void assert_same(const struct frame_bytes *x, const u8 *y, u32 bytes)
{
	assert_int_equal(x->bytes, bytes);
	assert_memory_equal(x->data, y, bytes);
}
static void test_no_buffers(void **state)
{
	struct xeno_vif_info i;

	(void)state;
	two_guests(0, 0, 0);
	tcp_a_to_b(100);
	for (u32 n = 0; n < FRONT_BUFFERS + 10; n++) {
		front_send(&a, &frame, 0, 0);
		front_reap(&a);
	}
	i = front_info(&b);
	assert_int_equal(i.rx_packets, FRONT_BUFFERS);
	assert_int_equal(i.rx_drops[XENO_DROP_NO_BUFFER], 10);
	/* The sender neither waits nor is blamed. */
	i = front_info(&a);
	assert_int_equal(i.tx_packets, FRONT_BUFFERS + 10);
	/* A page that was never granted: told, and the next one is good. */
	while (front_receive(&b, &got))
		;
	front_grant(&b,
		    b.first_ref + 2 + FRONT_BUFFERS + b.rx_seen % FRONT_BUFFERS,
		    0, 0);
	front_send(&a, &frame, 0, 0);
	assert_true(front_receive(&b, &got));
	assert_true(got.error);
	front_send(&a, &frame, 0, 0);
	assert_true(front_receive(&b, &got));
	assert_false(got.error);
	world_exit();
}

static void test_bad_slots(void **state)
{
	u32 answers = 0;

	(void)state;
	two_guests(0, ALL_FEATURES, 0);
	tcp_a_to_b(100);
	memcpy(a.tx_page[0], frame.data, frame.bytes);
	/* Across the page's end; too short; no such grant; parts longer than
	 * the whole; an empty part; a type of extra that is none. */
	front_slot(&a, a.first_ref + 2, 4000, 0, 154);
	front_slot(&a, a.first_ref + 2, 0, 0, 13);
	front_slot(&a, 5000, 0, 0, 154);
	front_slot(&a, a.first_ref + 2, 0, 4, 154);
	front_slot(&a, a.first_ref + 2, 0, 0, 154);
	front_slot(&a, a.first_ref + 2, 0, 4, 154);
	front_slot(&a, a.first_ref + 2, 0, 0, 0);
	front_slot(&a, a.first_ref + 2, 0, 8, 154);
	memset(&a.tx->slot[a.tx_prod++], 0, 12);
	front_push(&a);
	world_run();
	answers += front_reap(&a);
	assert_int_equal(answers, 9);
	assert_int_equal(a.tx_errors, 8);
	assert_int_equal(front_info(&a).tx_drops[XENO_DROP_MALFORMED], 6);
	/* And it is still served. */
	front_send(&a, &frame, 0, 0);
	assert_true(front_receive(&b, &got));
	/* A packet of which only the beginning is there waits for the rest. */
	front_reap(&a);
	front_slot(&a, a.first_ref + 2, 0, 4, 154);
	front_push(&a);
	world_run();
	assert_int_equal(front_reap(&a), 0);
	front_slot(&a, a.first_ref + 2, 100, 0, 54);
	front_push(&a);
	world_run();
	assert_int_equal(front_reap(&a), 2);
	assert_true(front_receive(&b, &got));
	assert_same(&got.frame, frame.data, frame.bytes);
	world_exit();
}

static void broken_ring(void (*break_it)(void))
{
	u64 before;

	two_guests(0, ALL_FEATURES, 0);
	tcp_a_to_b(100);
	memcpy(a.tx_page[0], frame.data, frame.bytes);
	break_it();
	CHECK(!event_send(a.d, a.port));
	world_run();
	before = front_info(&a).tx_drops[XENO_DROP_MALFORMED];
	assert_int_equal(before, 1);
	/* Not listened to any more; others are. */
	a.tx->head.req_prod = a.tx_seen + 1;
	CHECK(!event_send(a.d, a.port));
	world_run();
	assert_int_equal(front_info(&a).tx_drops[XENO_DROP_MALFORMED], before);
	frame_ip(&frame, world_mac[0], world_mac[1], 4, world_ip[1],
		 world_ip[0], 6, 1, 2, 10, 0);
	front_send(&b, &frame, 0, 0);
	assert_true(front_receive(&a, &got));
	world_exit();
}

static void wild_index(void)
{
	a.tx->head.req_prod = 0x80000000;
}

static void endless_fragments(void)
{
	for (u32 i = 0; i < 19; i++)
		front_slot(&a, a.first_ref + 2, 0, 4, 100);
	a.tx->head.req_prod = a.tx_prod;
}

static void endless_extras(void)
{
	static const u8 extra[12] = { 1, 1, 0, 5, 1 };

	front_slot(&a, a.first_ref + 2, 0, 8, 100);
	for (u32 i = 0; i < 255; i++)
		memcpy(&a.tx->slot[a.tx_prod++ % RING_ENTRIES], extra, 12);
	a.tx->head.req_prod = a.tx_prod;
}

static void test_broken_rings(void **state)
{
	(void)state;
	broken_ring(wild_index);
	broken_ring(endless_fragments);
	broken_ring(endless_extras);
	/* The same of the receiver. */
	two_guests(0, ALL_FEATURES, 0);
	b.rx->head.req_prod = 0x7fffffff;
	tcp_a_to_b(100);
	front_send(&a, &frame, 0, 0);
	front_send(&a, &frame, 0, 0);
	assert_int_equal(front_info(&b).rx_drops[XENO_DROP_NO_BUFFER], 2);
	assert_int_equal(b.rx->head.rsp_prod, 0);
	world_exit();
}

/* Whatever stands in both rings: nothing outside them is touched, and what the
 * front ends hold comes back. */
static void test_random_rings(void **state)
{
	u64 seed = 77;

	(void)state;
	for (u32 round = 0; round < 300; round++) {
		two_guests(round % 2 ? UPLINK_CSUM | UPLINK_TSO4 : 0,
			   round % 3 ? ALL_FEATURES : 0, 0);
		for (u32 i = 0; i < FRONT_BUFFERS; i++) {
			tcp_a_to_b((u32)(random_next(&seed) % 3000));
			if (random_next(&seed) % 3 == 0)
				memcpy(frame.data, stranger, 6);
			memcpy(a.tx_page[i], frame.data, 4096);
		}
		for (u32 i = 0; i < 200; i++) {
			u64 r = random_next(&seed);
			u16 flags =
				r % 4 ? (u16)(r >> 8 & 5) : (u16)(r >> 8 & 15);

			front_slot(&a,
				   r % 9 ? a.first_ref + 2 + (u32)(r >> 20) % 64
					 : (u32)(r >> 20) % 3000,
				   r % 7 ? 0 : (u16)(r >> 40), flags,
				   r % 5 ? (u16)(r >> 32) % 2000
					 : (u16)(r >> 32));
			if (r % 11 == 0) {
				front_push(&a);
				(void)work_run(~0UL);
				card_complete((u32)(r >> 50) % 8);
				while (front_receive(&b, &got))
					;
			}
		}
		front_push(&a);
		world_run();
		card_complete(CARD_PACKETS);
		world_run();
		world_exit();
	}
}

static u8 *flipped;
static u32 running;

static void *flip(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&running, __ATOMIC_SEQ_CST))
		__atomic_store_n(flipped, *flipped ^ 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* The sender's address changes while it is looked at: whatever goes through is
 * what was allowed. */
static void test_flipped_header(void **state)
{
	struct xeno_vif_info i;
	pthread_t thread;

	(void)state;
	two_guests(0, ALL_FEATURES, 0);
	frame_ip(&frame, world_mac[1], world_mac[0], 4, world_ip[0],
		 world_ip[1], 17, 1, 2, 1000, 0);
	memcpy(a.tx_page[0], frame.data, frame.bytes);
	flipped = a.tx_page[0] + 29;
	running = 1;
	CHECK(!pthread_create(&thread, NULL, flip, NULL));
	for (u32 n = 0; n < 20000; n++) {
		front_slot(&a, a.first_ref + 2, 0, 0, (u16)frame.bytes);
		front_push(&a);
		world_run();
		front_reap(&a);
		while (front_receive(&b, &got))
			assert_memory_equal(got.frame.data + 26, world_ip[0],
					    4);
	}
	running = 0;
	CHECK(!pthread_join(thread, NULL));
	i = front_info(&a);
	assert_int_equal(i.tx_packets + i.tx_drops[XENO_DROP_SPOOFED], 20000);
	world_exit();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_buffers),
		cmocka_unit_test(test_bad_slots),
		cmocka_unit_test(test_broken_rings),
		cmocka_unit_test(test_random_rings),
		cmocka_unit_test(test_flipped_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
