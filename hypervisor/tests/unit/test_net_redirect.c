// SPDX-License-Identifier: Apache-2.0
/* A node's port that is a guest's: rewritten both ways with right checksums,
 * bounded, and each VIF with its own share. */
#include <hv/errno.h>
#include <hv/log.h>

#include "../../net/redirect.h"
#include "../fake/domains.h"
#include "../fake/net_world.h"
#include "check.h"

static const u8 gateway[6] = { 2, 5, 5, 5, 5, 5 };
static const u8 client4[4] = { 192, 168, 7, 7 };
static const u8 client6[16] = { 0x20, 1, [15] = 7 };

static struct frame_bytes frame;
static struct received got;
static struct front a, b;
static struct domain *zero, *one;
static struct xeno_rule rules[4];

static void set_rule(struct xeno_rule *r, u8 family, u8 protocol, u16 port,
		     u32 domain_id, u32 i, u16 to_port)
{
	*r = world_rule(XENO_RULE_REDIRECT, XENO_RULE_FROM, XENO_RULE_UPLINK,
			XENO_RULE_ANY_VIF);
	r->family = family;
	r->protocol = protocol;
	r->target_prefix = family == 4 ? 32 : 128;
	memcpy(r->target, family == 4 ? world_ip[0] : world_ip6[0],
	       family == 4 ? 4 : 16);
	r->target_port_first = r->target_port_last = port;
	r->redirect_domain_id = domain_id;
	r->redirect_port = to_port;
	memcpy(r->redirect_address, family == 4 ? world_ip[i] : world_ip6[i],
	       family == 4 ? 4 : 16);
}

static void set_up(u32 card_flags, u32 features)
{
	zero = world_init(card_flags);
	one = world_domain(1);
	world_vif(zero, 0, 0, XENO_VIF_ANY_SOURCE);
	world_vif(one, 0, 1, 0);
	front_connect(&a, zero, 0, features, 0);
	front_connect(&b, one, 0, features, 0);
	set_rule(&rules[0], 4, 6, 8080, 1, 1, 80);
	set_rule(&rules[1], 4, 17, 5353, 1, 1, 53);
	set_rule(&rules[2], 6, 6, 8080, 1, 1, 80);
	set_rule(&rules[3], 6, 17, 5353, 1, 1, 53);
	world_rules(rules, 4);
}

static const u8 *client(int family)
{
	return family == 4 ? client4 : client6;
}

static const u8 *address(int family, u32 i)
{
	return family == 4 ? world_ip[i] : world_ip6[i];
}

static void expect(const u8 *data, u32 bytes)
{
	assert_int_equal(bytes, frame.bytes);
	assert_memory_equal(data, frame.data, bytes);
}

static void round_trip(int family, u8 protocol)
{
	u16 node = protocol == 6 ? 8080 : 5353, guest = protocol == 6 ? 80 : 53;

	/* A frame for the guest's port arrives as if it had been sent there. */
	frame_ip(&frame, world_mac[0], gateway, family, client(family),
		 address(family, 0), protocol, 40000, node, 333, 5);
	card_receive(&frame, NULL);
	assert_false(front_receive(&a, &got));
	assert_true(front_receive(&b, &got));
	frame_ip(&frame, world_mac[1], gateway, family, client(family),
		 address(family, 1), protocol, 40000, guest, 333, 5);
	expect(got.frame.data, got.frame.bytes);
	/* And its answer as if the node had given it. */
	frame_ip(&frame, gateway, world_mac[1], family, address(family, 1),
		 client(family), protocol, guest, 40000, 444, 6);
	front_send(&b, &frame, 0, 0);
	assert_int_equal(card_count, 1);
	frame_ip(&frame, gateway, world_mac[0], family, address(family, 0),
		 client(family), protocol, node, 40000, 444, 6);
	expect(card_sent[0].data, card_sent[0].bytes);
	card_complete(1);
	world_run();
	front_reap(&b);
}

static void test_round_trips(void **state)
{
	(void)state;
	set_up(0, 0);
	for (int family = 4; family <= 6; family += 2) {
		round_trip(family, 6);
		round_trip(family, 17);
	}
	/* The same guest's own connection from that port is left alone. */
	frame_ip(&frame, gateway, world_mac[1], 4, world_ip[1], client4, 6, 80,
		 40001, 10, 0);
	front_send(&b, &frame, 0, 0);
	expect(card_sent[0].data, card_sent[0].bytes);
	/* And other ports of the node are the node's. */
	frame_ip(&frame, world_mac[0], gateway, 4, client4, world_ip[0], 6,
		 40000, 8081, 10, 0);
	card_receive(&frame, NULL);
	assert_true(front_receive(&a, &got));
	expect(got.frame.data, got.frame.bytes);
	world_exit();
}

/* Checksums that are still to be completed, and UDP without one. */
static void test_checksum_kinds(void **state)
{
	struct packet_offload o = { .flags = PACKET_CSUM_BLANK,
				    .csum_start = 34,
				    .csum_offset = 16 };
	u32 pseudo;

	(void)state;
	set_up(0, XENO_VIF_CSUM_BLANK);
	frame_ip(&frame, world_mac[0], gateway, 4, client4, world_ip[0], 6,
		 40000, 8080, 100, 5);
	pseudo = naive_sum(frame.data + 26, 8, 0) + 6 + 120;
	put16(frame.data + 50, (pseudo & 0xffff) + (pseudo >> 16));
	card_receive(&frame, &o);
	assert_true(front_receive(&b, &got));
	assert_int_equal(got.flags, 3);
	frame_ip(&frame, world_mac[1], gateway, 4, client4, world_ip[1], 6,
		 40000, 80, 100, 5);
	pseudo = naive_sum(frame.data + 26, 8, 0) + 6 + 120;
	put16(frame.data + 50, (pseudo & 0xffff) + (pseudo >> 16));
	expect(got.frame.data, got.frame.bytes);
	frame_ip(&frame, world_mac[0], gateway, 4, client4, world_ip[0], 17,
		 40000, 5353, 100, 5);
	put16(frame.data + 40, 0);
	card_receive(&frame, NULL);
	assert_true(front_receive(&b, &got));
	assert_int_equal(got.frame.data[40] | got.frame.data[41], 0);
	world_exit();
}

static u32 answers_as(u16 client_port)
{
	u32 port;

	frame_ip(&frame, gateway, world_mac[1], 4, world_ip[1], client4, 6, 80,
		 client_port, 10, 0);
	front_send(&b, &frame, 0, 0);
	front_reap(&b);
	port = (u32)(card_sent[0].data[34] << 8 | card_sent[0].data[35]);
	card_complete(CARD_PACKETS);
	world_run();
	front_reap(&b);
	return port;
}

static void ask_from(u16 client_port)
{
	frame_ip(&frame, world_mac[0], gateway, 4, client4, world_ip[0], 6,
		 client_port, 8080, 10, 0);
	card_receive(&frame, NULL);
	assert_true(front_receive(&b, &got));
}

static void test_bounded(void **state)
{
	u64 pages, free_before;

	(void)state;
	set_up(0, 0);
	free_before = one->owner.state_pages;
	for (u32 i = 0; i < FLOWS_PER_VIF; i++)
		ask_from((u16)(1000 + i));
	pages = one->owner.state_pages;
	assert_true(pages > free_before);
	/* The oldest is used, so the next oldest goes. */
	assert_int_equal(answers_as(1000), 8080);
	ask_from(9000);
	pages = one->owner.state_pages - pages;
	assert_true(pages <= 1); /* a page of pieces for what was sent */
	assert_int_equal(answers_as(1000), 8080);
	assert_int_equal(answers_as(9000), 8080);
	assert_int_equal(answers_as(1001), 80);
	for (u32 i = 2; i < FLOWS_PER_VIF; i++)
		assert_int_equal(answers_as((u16)(1000 + i)), 8080);
	/* Flows die with their interface. */
	assert_int_equal(net_vif_destroy(one, 0), 0);
	frame_ip(&frame, world_mac[0], gateway, 4, client4, world_ip[0], 6, 1,
		 8080, 10, 0);
	card_receive(&frame, NULL);
	assert_false(front_receive(&a, &got));
	world_exit();
}

static void test_fragments(void **state)
{
	(void)state;
	set_up(0, 0);
	frame_ip(&frame, world_mac[0], gateway, 4, client4, world_ip[0], 6, 5,
		 8080, 100, 0);
	put16(frame.data + 20, 0x2000);
	put16(frame.data + 24, 0);
	card_receive(&frame, NULL);
	assert_false(front_receive(&b, &got));
	assert_int_equal(front_info(&b).rx_drops[XENO_DROP_NO_ROUTE], 1);
	world_exit();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_checksum_kinds),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_fragments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
