// SPDX-License-Identifier: Apache-2.0
/* What a VIF may send, and who gets what it sends to many. */
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/work.h>

#include "../fake/domains.h"
#include "../fake/net_world.h"
#include "check.h"

static const u8 broadcast[6] = { 255, 255, 255, 255, 255, 255 };
static const u8 stranger[6] = { 2, 9, 9, 9, 9, 9 };
static const u8 outside[4] = { 10, 0, 2, 2 };

static struct frame_bytes frame;
static struct received got;
static struct front a, b;
static struct domain *zero;

static void two_guests(u32 card_flags, u32 features, u32 headroom)
{
	zero = world_two_guests(card_flags, features, headroom, &a, &b);
}
static void assert_same(const struct frame_bytes *x, const u8 *y, u32 bytes)
{
	assert_int_equal(x->bytes, bytes);
	assert_memory_equal(x->data, y, bytes);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guard),
		cmocka_unit_test(test_broadcast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
