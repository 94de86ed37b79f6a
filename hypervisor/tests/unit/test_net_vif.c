// SPDX-License-Identifier: Apache-2.0
/* Virtual interfaces from ring to ring and to the card: what arrives, what is
 * counted, what a hostile front end gets. */
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/log.h>

#include "../fake/domains.h"
#include "../fake/net_world.h"
#include "check.h"

#define ALL_FEATURES 31u
#define BLANK 1
static const u8 broadcast[6] = { 255, 255, 255, 255, 255, 255 };
static const u8 stranger[6] = { 2, 9, 9, 9, 9, 9 };
static const u8 outside[4] = { 10, 0, 2, 2 };

static struct frame_bytes frame;
static struct received got;
static struct front a, b;
static struct domain *zero, *one;

static void two_guests(u32 card_flags, u32 features, u32 headroom)
{
	zero = world_init(card_flags);
	one = world_domain(1);
	world_vif(zero, 0, 0, 0);
	world_vif(one, 0, 1, 0);
	front_connect(&a, zero, 0, ALL_FEATURES, 0);
	front_connect(&b, one, 0, features, headroom);
	world_run();
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

static void send_and_expect(enum xeno_drop why)
{
	u64 before = front_info(&a).tx_drops[why];

	front_send(&a, &frame, 0, 0);
	assert_int_equal(front_info(&a).tx_drops[why], before + 1);
	front_reap(&a);
}

static void send_and_pass(void)
{
	struct xeno_vif_info i = front_info(&a);
	u64 before = drops_of(i.tx_drops);

	front_send(&a, &frame, 0, 0);
	i = front_info(&a);
	assert_int_equal(drops_of(i.tx_drops), before);
	front_reap(&a);
	card_complete(CARD_PACKETS);
	world_run();
	front_reap(&a);
}

static void test_guard(void **state)
{
	static const u8 any4[4], any6[16], all4[4] = { 255, 255, 255, 255 };
	static const u8 snm[6] = { 0x33, 0x33, 0xff, 0, 0, 16 };
	static const u8 snm_ip[16] = { 0xff,
				       2, [11] = 1, [12] = 0xff, [15] = 16 };
	/* fe80::ff:fe00:10 of 02:00:00:00:00:10 */
	static const u8 local[16] = {
		0xfe, 0x80, [11] = 0xff, [12] = 0xfe, [15] = 0x10
	};

	(void)state;
	two_guests(0, 0, 0);
	/* MAC, IPv4, IPv6. */
	frame_ip(&frame, world_mac[1], stranger, 4, world_ip[0], world_ip[1], 6,
		 1, 2, 0, 0);
	send_and_expect(XENO_DROP_SPOOFED);
	frame_ip(&frame, world_mac[1], world_mac[0], 4, world_ip[2],
		 world_ip[1], 6, 1, 2, 0, 0);
	send_and_expect(XENO_DROP_SPOOFED);
	frame_ip(&frame, world_mac[1], world_mac[0], 6, world_ip6[2],
		 world_ip6[1], 6, 1, 2, 0, 0);
	send_and_expect(XENO_DROP_SPOOFED);
	frame_ip(&frame, world_mac[1], world_mac[0], 6, world_ip6[0],
		 world_ip6[1], 6, 1, 2, 0, 0);
	send_and_pass();
	frame_ip(&frame, world_mac[1], world_mac[0], 6, local, world_ip6[1], 6,
		 1, 2, 0, 0);
	send_and_pass();
	/* ARP: the sender's MAC, the sender's address, a probe, an answer. */
	frame_arp(&frame, broadcast, world_mac[0], 1, stranger, world_ip[0],
		  world_ip[1]);
	send_and_expect(XENO_DROP_SPOOFED);
	frame_arp(&frame, broadcast, world_mac[0], 1, world_mac[0], world_ip[2],
		  world_ip[1]);
	send_and_expect(XENO_DROP_SPOOFED);
	frame_arp(&frame, broadcast, world_mac[0], 2, world_mac[0], any4,
		  world_ip[1]);
	send_and_expect(XENO_DROP_SPOOFED);
	frame_arp(&frame, broadcast, world_mac[0], 1, world_mac[0], any4,
		  world_ip[1]);
	send_and_pass();
	/* Neighbour discovery. */
	frame_nd(&frame, world_mac[1], world_mac[0], world_ip6[0], world_ip6[1],
		 136, world_ip6[2], world_mac[0]);
	send_and_expect(XENO_DROP_SPOOFED);
	frame_nd(&frame, world_mac[1], world_mac[0], world_ip6[0], world_ip6[1],
		 136, world_ip6[0], stranger);
	send_and_expect(XENO_DROP_SPOOFED);
	frame_nd(&frame, world_mac[1], world_mac[0], world_ip6[0], world_ip6[1],
		 136, world_ip6[0], world_mac[0]);
	send_and_pass();
	frame_nd(&frame, snm, world_mac[0], any6, snm_ip, 135, world_ip6[1],
		 world_mac[0]);
	send_and_expect(XENO_DROP_SPOOFED);
	frame_nd(&frame, snm, world_mac[0], any6, snm_ip, 135, world_ip6[0],
		 world_mac[0]);
	send_and_pass();
	/* Only servers answer DHCP; anybody may ask. */
	frame_ip(&frame, broadcast, world_mac[0], 4, world_ip[0], all4, 17, 67,
		 68, 300, 0);
	send_and_expect(XENO_DROP_SPOOFED);
	frame_ip(&frame, broadcast, world_mac[0], 4, any4, all4, 17, 68, 67,
		 300, 0);
	send_and_pass();
	frame_ip(&frame, broadcast, world_mac[0], 4, any4, all4, 17, 69, 67,
		 300, 0);
	send_and_expect(XENO_DROP_SPOOFED);
	/* What cannot be checked. */
	frame_ethernet(&frame, broadcast, world_mac[0], 0x88cc);
	frame.bytes = 60;
	send_and_expect(XENO_DROP_SPOOFED);
	world_exit();
}

static void test_broadcast(void **state)
{
	static const u8 any4[4], all4[4] = { 255, 255, 255, 255 };
	struct domain *two;
	static struct front c;

	(void)state;
	two_guests(0, 0, 0);
	two = world_domain(2);
	world_vif(two, 0, 2, 0);
	front_connect(&c, two, 0, 0, 0);
	/* A question about a known address is asked there only. */
	frame_arp(&frame, broadcast, world_mac[0], 1, world_mac[0], world_ip[0],
		  world_ip[1]);
	front_send(&a, &frame, 0, 0);
	assert_true(front_receive(&b, &got));
	assert_false(front_receive(&c, &got));
	assert_int_equal(card_count, 0);
	/* About an unknown one, outside. */
	frame_arp(&frame, broadcast, world_mac[0], 1, world_mac[0], world_ip[0],
		  outside);
	front_send(&a, &frame, 0, 0);
	assert_false(front_receive(&b, &got));
	assert_int_equal(card_count, 1);
	/* Other broadcasts go everywhere but back. */
	frame_ip(&frame, broadcast, world_mac[0], 4, world_ip[0], all4, 17, 5,
		 5, 100, 0);
	front_send(&a, &frame, 0, 0);
	assert_true(front_receive(&b, &got));
	assert_same(&got.frame, frame.data, frame.bytes);
	assert_true(front_receive(&c, &got));
	assert_false(front_receive(&a, &got));
	assert_int_equal(card_count, 2);
	/* DHCP, with a server among us: it alone hears and answers. */
	world_vif(zero, 1, 3, XENO_VIF_ANY_SOURCE | XENO_VIF_DHCP_SERVER);
	frame_ip(&frame, broadcast, world_mac[0], 4, any4, all4, 17, 68, 67,
		 300, 0);
	front_send(&a, &frame, 0, 0);
	assert_false(front_receive(&b, &got));
	assert_int_equal(card_count, 2);
	assert_int_equal(
		drops_of(front_info(&(struct front){ .d = zero, .number = 1 })
				 .rx_drops),
		1);
	frame_ip(&frame, world_mac[1], stranger, 4, outside, world_ip[1], 17,
		 67, 68, 300, 0);
	card_receive(&frame, NULL);
	assert_false(front_receive(&b, &got));
	assert_int_equal(front_info(&b).rx_drops[XENO_DROP_SPOOFED], 1);
	world_exit();
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

/* ---- hostile rings ---- */

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
				(void)work_run();
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

/* ---- life ---- */

static void test_create(void **state)
{
	struct xeno_vif_create op = { .vif = 1, .mac = { 2, 0, 0, 0, 0, 9 } };

	(void)state;
	zero = world_init(0);
	one = world_domain(1);
	world_vif(zero, 0, 0, 0);
	op.mac[0] = 1;
	assert_int_equal(net_vif_create(zero, &op), -EINVAL);
	op.mac[0] = 2;
	op.vif = 8;
	assert_int_equal(net_vif_create(zero, &op), -EINVAL);
	op.vif = 1;
	op.ipv4_count = 9;
	assert_int_equal(net_vif_create(zero, &op), -EINVAL);
	op.ipv4_count = 1;
	assert_int_equal(net_vif_create(zero, &op), -EINVAL);
	memcpy(op.ipv4[0], world_ip[0], 4);
	assert_int_equal(net_vif_create(zero, &op), -EEXIST);
	op.ipv4[0][3]++;
	op.flags = XENO_VIF_ANY_SOURCE;
	assert_int_equal(net_vif_create(one, &op), -EINVAL);
	op.flags = 0;
	assert_int_equal(net_vif_create(one, &op), 0);
	assert_int_equal(net_vif_create(one, &op), -EEXIST);
	op.vif = 2;
	op.ipv4_count = 0;
	assert_int_equal(net_vif_create(one, &op), -EEXIST);
	assert_int_equal(net_vif_destroy(one, 2), -ENOENT);
	assert_int_equal(net_vif_destroy(one, 1), 0);
	assert_int_equal(net_vif_create(one, &op), 0);
	world_exit();
}

static void test_connect(void **state)
{
	struct xeno_vif_connect op = { .tx_ref = 8, .rx_ref = 9 };

	(void)state;
	two_guests(0, 0, 0);
	op.tx_port = op.rx_port = a.port;
	assert_int_equal(net_vif_connect(zero, &op), -EBUSY);
	assert_int_equal(net_vif_disconnect(zero, 0), 0);
	assert_int_equal(net_vif_disconnect(zero, 0), 0);
	assert_int_equal(front_info(&a).connected, 0);
	op.rx_ref = 4000;
	assert_int_equal(net_vif_connect(zero, &op), -EINVAL);
	op.rx_ref = 9;
	op.rx_port = a.port + 1;
	assert_int_equal(net_vif_connect(zero, &op), -EINVAL);
	op.rx_port = a.port;
	op.rx_headroom = 257;
	assert_int_equal(net_vif_connect(zero, &op), -EINVAL);
	op.rx_headroom = 0;
	op.features = 32;
	assert_int_equal(net_vif_connect(zero, &op), -EINVAL);
	op.features = 31;
	assert_int_equal(net_vif_connect(zero, &op), 0);
	tcp_a_to_b(5);
	front_send(&a, &frame, 0, 0);
	assert_true(front_receive(&b, &got));
	world_exit();
}

/* Packets at the card hold a disconnection back, and their pages. */
static void test_in_flight(void **state)
{
	struct grant_entry_v1 *e;
	int budget = 1000;

	(void)state;
	two_guests(0, 0, 0);
	frame_ip(&frame, stranger, world_mac[0], 4, world_ip[0], outside, 17, 5,
		 6, 1000, 1);
	front_send(&a, &frame, 0, 0);
	e = mfn_to_virt(grant_frame_mfn(zero, 0));
	assert_true(e[a.first_ref + 2].flags & GTF_reading);
	assert_int_equal(net_vif_disconnect(zero, 0), -ERESTART);
	assert_int_equal(net_domain_exit(zero, &budget), -EBUSY);
	/* Nothing is sent any more. */
	front_send(&a, &frame, 0, 0);
	assert_int_equal(card_count, 1);
	card_complete(1);
	world_run();
	assert_int_equal(net_vif_disconnect(zero, 0), 0);
	assert_false(e[a.first_ref + 2].flags & GTF_reading);
	assert_int_equal(a.tx->head.rsp_prod, 0);
	budget = 0;
	assert_int_equal(net_domain_exit(zero, &budget), -ERESTART);
	budget = 1;
	assert_int_equal(net_domain_exit(zero, &budget), 0);
	/* Whoever sends there finds nobody. */
	frame_ip(&frame, world_mac[0], world_mac[1], 4, world_ip[1],
		 world_ip[0], 6, 1, 2, 10, 0);
	front_send(&b, &frame, 0, 0);
	assert_int_equal(card_count, 1);
	world_exit();
}

/* Two senders share by bytes, whatever the sizes of their packets. */
static void test_turns(void **state)
{
	u64 share;

	(void)state;
	two_guests(0, 0, 0);
	for (u32 i = 0; i < 250; i++) {
		frame_ip(&frame, stranger, world_mac[0], 4, world_ip[0],
			 outside, 17, 5, 6, 1400, 1);
		front_put(&a, &frame, 4096, 4096, 0, 0);
		frame_ip(&frame, stranger, world_mac[1], 4, world_ip[1],
			 outside, 17, 5, 6, 50, 1);
		front_put(&b, &frame, 4096, 4096, 0, 0);
	}
	front_push(&a);
	front_push(&b);
	(void)work_run();
	share = front_info(&a).tx_packets;
	assert_true(share > 0 && share < 250);
	share = front_info(&b).tx_packets;
	assert_true(share > 0 && share < 250);
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
		cmocka_unit_test(test_guard),
		cmocka_unit_test(test_broadcast),
		cmocka_unit_test(test_no_buffers),
		cmocka_unit_test(test_bad_slots),
		cmocka_unit_test(test_broken_rings),
		cmocka_unit_test(test_random_rings),
		cmocka_unit_test(test_create),
		cmocka_unit_test(test_connect),
		cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
