// SPDX-License-Identifier: Apache-2.0
/* Virtual interfaces from ring to ring and to the card: what arrives, and what
 * is counted. */

#include <xeno/meter_page.h>

#include "../fake/domains.h"
#include "../fake/net_world.h"
#include "check.h"

#define ALL_FEATURES 31u
#define BLANK 1
static const u8 stranger[6] = { 2, 9, 9, 9, 9, 9 };
static const u8 outside[4] = { 10, 0, 2, 2 };

static struct frame_bytes frame;
static struct received got;
static struct front a, b;

static void two_guests(u32 card_flags, u32 features, u32 headroom)
{
	(void)world_two_guests(card_flags, features, headroom, &a, &b);
}

/* The pages that tell of a and b, which have done nothing else. */
static void check_meters(u64 packets, u64 bytes)
{
	const struct xeno_meter_vif *m = &a.d->meter_page->vifs[a.number];

	assert_true(m->in_use && !(m->tx_sequence & 1));
	assert_int_equal(m->tx_packets, packets);
	assert_int_equal(m->tx_bytes, bytes);
	m = &b.d->meter_page->vifs[b.number];
	assert_true(m->in_use && !(m->rx_sequence & 1));
	assert_int_equal(m->rx_packets, packets);
	assert_int_equal(m->rx_bytes, bytes);
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

static void test_between_guests(void **state)
{
	static const u32 sizes[] = { 0, 1, 60, 74, 75, 1000, 1446 };
	struct xeno_vif_info i;
	u64 bytes = 0;

	(void)state;
	two_guests(0, ALL_FEATURES, 0);
	for (u32 n = 0; n < 7; n++) {
		/* In one slot, and in many, with the header across pages. */
		for (u32 first = 14; first < 400; first += 77) {
			tcp_a_to_b(sizes[n]);
			front_put(&a, &frame, first, 333, 0, 0);
			front_push(&a);
			world_run();
			assert_true(front_reap(&a) > 0);
			assert_true(front_receive(&b, &got));
			assert_same(&got.frame, frame.data, frame.bytes);
			assert_int_equal(got.flags, 0);
			bytes += frame.bytes;
		}
	}
	assert_int_equal(a.tx_errors + a.tx_dropped, 0);
	i = front_info(&a);
	assert_int_equal(i.tx_packets, 7 * 6);
	assert_int_equal(i.tx_bytes, bytes);
	i = front_info(&b);
	assert_int_equal(i.rx_packets, 7 * 6);
	assert_int_equal(i.rx_bytes, bytes);
	assert_int_equal(drops_of(i.rx_drops), 0);
	check_meters(7 * 6, bytes);
	assert_int_equal(card_count, 0);
	world_exit();
}

static void test_headroom_and_no_sg(void **state)
{
	(void)state;
	two_guests(0, 0, 256);
	tcp_a_to_b(1000);
	front_send(&a, &frame, 0, 0);
	assert_true(front_receive(&b, &got));
	assert_same(&got.frame, frame.data, frame.bytes);
	assert_int_equal(b.rx->slot[0].answer.offset, 256);
	/* What does not fit one page. */
	tcp_a_to_b(4096 - 256 - 54 + 1);
	front_send(&a, &frame, 0, 0);
	assert_false(front_receive(&b, &got));
	assert_int_equal(front_info(&b).rx_drops[XENO_DROP_TOO_LONG], 1);
	world_exit();
}

/* Blanks the checksum as a kernel does, keeping what it ought to be. */
static u32 blank(struct frame_bytes *f, u8 protocol)
{
	u32 field = frame_transport(f) + (protocol == 6 ? 16 : 6);
	u32 full = (u32)(f->data[field] << 8 | f->data[field + 1]), l4, n, sum;

	l4 = frame_transport(f);
	n = f->bytes - l4;
	f->data[field] = f->data[field + 1] = 0;
	/* The pseudo header alone. */
	sum = naive_transport_sum(f) + 0xffff - naive_sum(f->data + l4, n, 0);
	sum = (sum & 0xffff) + (sum >> 16);
	put16(f->data + field, sum);
	return full;
}

static void test_checksums(void **state)
{
	static struct frame_bytes whole;

	(void)state;
	/* Takes blanks: passed on as it is. */
	two_guests(0, ALL_FEATURES, 0);
	tcp_a_to_b(777);
	(void)blank(&frame, 6);
	front_send(&a, &frame, BLANK, 0);
	assert_true(front_receive(&b, &got));
	assert_same(&got.frame, frame.data, frame.bytes);
	assert_int_equal(got.flags, 3);
	/* The card that cannot: completed. */
	for (u8 protocol = 6; protocol <= 17; protocol += 11) {
		frame_ip(&frame, stranger, world_mac[0], 4, world_ip[0],
			 outside, protocol, 5, 6, 777, 1);
		whole = frame;
		(void)blank(&frame, protocol);
		front_put(&a, &frame, 101, 333, BLANK, 0);
		front_push(&a);
		world_run();
		assert_int_equal(card_count, 1);
		assert_int_equal(card_sent[0].offload.flags, 0);
		assert_same(&whole, card_sent[0].data, card_sent[0].bytes);
		card_complete(1);
	}
	world_exit();
	/* The card that can: told where. */
	two_guests(UPLINK_CSUM, 0, 0);
	frame_ip(&frame, stranger, world_mac[0], 4, world_ip[0], outside, 6, 5,
		 6, 777, 1);
	(void)blank(&frame, 6);
	front_send(&a, &frame, BLANK, 0);
	assert_int_equal(card_sent[0].offload.flags, PACKET_CSUM_BLANK);
	assert_int_equal(card_sent[0].offload.csum_start, 34);
	assert_int_equal(card_sent[0].offload.csum_offset, 16);
	assert_same(&frame, card_sent[0].data, card_sent[0].bytes);
	/* The guest that cannot: completed. */
	tcp_a_to_b(778);
	whole = frame;
	(void)blank(&frame, 6);
	front_send(&a, &frame, BLANK, 0);
	assert_true(front_receive(&b, &got));
	assert_same(&whole, got.frame.data, got.frame.bytes);
	assert_int_equal(got.flags, 0);
	/* Blank, but of no protocol with a checksum. */
	frame.data[23] = 1;
	front_send(&a, &frame, BLANK, 0);
	front_reap(&a);
	assert_int_equal(a.tx_errors, 1);
	assert_int_equal(front_info(&a).tx_drops[XENO_DROP_MALFORMED], 1);
	world_exit();
}

static void test_gso_between_guests(void **state)
{
	(void)state;
	two_guests(0, ALL_FEATURES, 0);
	tcp_a_to_b(40000);
	(void)blank(&frame, 6);
	front_send(&a, &frame, BLANK, 1446);
	assert_true(front_receive(&b, &got));
	assert_same(&got.frame, frame.data, frame.bytes);
	assert_int_equal(got.gso_bytes, 1446);
	assert_int_equal(got.gso_type, 1);
	/* Ten pages and the extra slot. */
	assert_int_equal(b.rx_seen, 11);
	assert_int_equal(front_reap(&a), 11);
	world_exit();
}

/* The pieces, one after the other, are the whole. */
static void check_piece(const struct frame_bytes *whole, const u8 *data,
			u32 bytes, u32 at, u32 payload)
{
	static struct frame_bytes piece;
	u32 n = bytes - 54;

	memcpy(piece.data, data, bytes);
	piece.bytes = bytes;
	assert_memory_equal(data + 54, whole->data + 54 + at, n);
	assert_int_equal(naive_sum(data + 14, 20, 0), 0xffff);
	assert_int_equal(naive_transport_sum(&piece), 0xffff);
	assert_int_equal(data[16] << 8 | data[17], bytes - 14);
	assert_int_equal((u32)data[38] << 24 | (u32)data[39] << 16 |
				 (u32)data[40] << 8 | data[41],
			 1000u * 0 +
				 ((u32)whole->data[38] << 24 |
				  (u32)whole->data[39] << 16 |
				  (u32)whole->data[40] << 8 | whole->data[41]) +
				 at);
	/* PSH on the last only. */
	assert_int_equal(data[47] & 8, at + n == payload ? 8 : 0);
}

static void test_gso_cut(void **state)
{
	u32 at = 0;

	(void)state;
	two_guests(0, XENO_VIF_SG, 0);
	tcp_a_to_b(20000);
	(void)blank(&frame, 6);
	front_send(&a, &frame, BLANK, 1400);
	while (front_receive(&b, &got)) {
		check_piece(&frame, got.frame.data, got.frame.bytes, at, 20000);
		at += got.frame.bytes - 54;
	}
	assert_int_equal(at, 20000);
	assert_int_equal(front_info(&b).rx_packets, 15);
	/* To a card that cannot cut; the guest's pages are held. */
	front_reap(&a);
	frame_ip(&frame, stranger, world_mac[0], 4, world_ip[0], outside, 6, 5,
		 6, 30000, 1);
	(void)blank(&frame, 6);
	front_put(&a, &frame, 100, 4096, BLANK, 1446);
	front_push(&a);
	world_run();
	assert_int_equal(card_count, 21);
	at = 0;
	for (u32 i = 0; i < card_count; i++) {
		check_piece(&frame, card_sent[i].data, card_sent[i].bytes, at,
			    30000);
		at += card_sent[i].bytes - 54;
	}
	assert_int_equal(at, 30000);
	assert_int_equal(front_reap(&a), 0);
	card_complete(20);
	world_run();
	assert_int_equal(front_reap(&a), 0);
	card_complete(1);
	world_run();
	assert_int_equal(front_reap(&a), 10);
	/* So small that it would be too many pieces. */
	front_send(&a, &frame, BLANK, 100);
	assert_int_equal(card_count, 0);
	assert_int_equal(front_info(&a).tx_drops[XENO_DROP_TOO_LONG], 1);
	/* Not TCP, or no checksum to complete. */
	front_send(&a, &frame, 0, 1400);
	assert_int_equal(front_info(&a).tx_drops[XENO_DROP_MALFORMED], 1);
	world_exit();
}

static void test_gso_card(void **state)
{
	(void)state;
	two_guests(UPLINK_CSUM | UPLINK_TSO4, 0, 0);
	frame_ip(&frame, stranger, world_mac[0], 4, world_ip[0], outside, 6, 5,
		 6, 60000, 1);
	(void)blank(&frame, 6);
	front_send(&a, &frame, BLANK, 1446);
	assert_int_equal(card_count, 1);
	assert_int_equal(card_kicks, 1);
	assert_int_equal(card_sent[0].offload.flags,
			 PACKET_CSUM_BLANK | PACKET_GSO_TCPV4);
	assert_int_equal(card_sent[0].offload.gso_bytes, 1446);
	assert_int_equal(card_sent[0].offload.header_bytes, 54);
	assert_same(&frame, card_sent[0].data, card_sent[0].bytes);
	world_exit();
}

static void test_to_card(void **state)
{
	struct xeno_vif_info i;

	(void)state;
	two_guests(0, 0, 0);
	frame_ip(&frame, stranger, world_mac[0], 4, world_ip[0], outside, 17, 5,
		 6, 1000, 1);
	front_send(&a, &frame, 0, 0);
	assert_int_equal(card_count, 1);
	assert_same(&frame, card_sent[0].data, card_sent[0].bytes);
	/* The header went out from our copy, the rest from the guest's page. */
	assert_true(
		(u8 *)maddr_to_virt(card_sent[0].packet->segments[1].maddr) ==
		a.tx_page[0] + PAGE_SIZE - frame.bytes + PACKET_HEADER_BYTES);
	assert_int_equal(front_reap(&a), 0);
	card_complete(1);
	world_run();
	assert_int_equal(front_reap(&a), 1);
	/* A short one is answered at once. */
	frame_ip(&frame, stranger, world_mac[0], 4, world_ip[0], outside, 17, 5,
		 6, 20, 1);
	front_send(&a, &frame, 0, 0);
	assert_int_equal(front_reap(&a), 1);
	/* Longer than the link carries. */
	frame_ip(&frame, stranger, world_mac[0], 4, world_ip[0], outside, 17, 5,
		 6, 1500 - 28 + 1, 1);
	front_send(&a, &frame, 0, 0);
	card_full = true;
	frame_ip(&frame, stranger, world_mac[0], 4, world_ip[0], outside, 17, 5,
		 6, 1500 - 28, 1);
	front_send(&a, &frame, 0, 0);
	card_full = false;
	i = front_info(&a);
	assert_int_equal(i.tx_packets, 2);
	assert_int_equal(i.tx_drops[XENO_DROP_TOO_LONG], 1);
	assert_int_equal(i.tx_drops[XENO_DROP_UPLINK], 1);
	assert_int_equal(front_reap(&a), 2);
	assert_int_equal(a.tx_dropped, 2);
	world_exit();
}

/* More than the pieces that a VIF may have at the card: they wait. */
static void test_card_slow(void **state)
{
	u32 sent = 0;

	(void)state;
	two_guests(0, 0, 0);
	frame_ip(&frame, stranger, world_mac[0], 4, world_ip[0], outside, 17, 5,
		 6, 1000, 1);
	for (u32 i = 0; i < 200; i++)
		front_put(&a, &frame, 4096, 4096, 0, 0);
	front_push(&a);
	world_run();
	assert_true(card_count < 200);
	while (card_count) {
		sent += card_count;
		card_complete(card_count);
		world_run();
	}
	assert_int_equal(sent, 200);
	assert_int_equal(front_reap(&a), 200);
	assert_int_equal(front_info(&a).tx_packets, 200);
	world_exit();
}

static void test_from_card(void **state)
{
	struct packet_offload o = { .flags = PACKET_CSUM_GOOD };

	(void)state;
	two_guests(0, ALL_FEATURES, 0);
	frame_ip(&frame, world_mac[1], stranger, 4, outside, world_ip[1], 6, 5,
		 6, 1400, 1);
	card_receive(&frame, &o);
	assert_true(front_receive(&b, &got));
	assert_same(&got.frame, frame.data, frame.bytes);
	assert_int_equal(got.flags, 1);
	/* Nobody's, and malformed ones, go nowhere. */
	memcpy(frame.data, stranger, 6);
	card_receive(&frame, &o);
	memcpy(frame.data, world_mac[1], 6);
	frame.data[14] = 0x55;
	card_receive(&frame, &o);
	assert_false(front_receive(&a, &got));
	assert_false(front_receive(&b, &got));
	world_exit();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_between_guests),
		cmocka_unit_test(test_headroom_and_no_sg),
		cmocka_unit_test(test_checksums),
		cmocka_unit_test(test_gso_between_guests),
		cmocka_unit_test(test_gso_cut),
		cmocka_unit_test(test_gso_card),
		cmocka_unit_test(test_to_card),
		cmocka_unit_test(test_card_slow),
		cmocka_unit_test(test_from_card),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
