// SPDX-License-Identifier: Apache-2.0
/* Interfaces created, connected, disconnected with packets at the card,
 * destroyed; and turns. */
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/work.h>

#include <xeno/meter_page.h>

#include "../fake/domains.h"
#include "../fake/net_world.h"
#include "check.h"

static const u8 stranger[6] = { 2, 9, 9, 9, 9, 9 };
static const u8 outside[4] = { 10, 0, 2, 2 };

static struct frame_bytes frame;
static struct received got;
static struct front a, b;
static struct domain *zero, *one;

static void two_guests(u32 card_flags, u32 features, u32 headroom)
{
	zero = world_two_guests(card_flags, features, headroom, &a, &b);
	one = b.d;
}

static void tcp_a_to_b(u32 payload)
{
	frame_ip(&frame, world_mac[1], world_mac[0], 4, world_ip[0],
		 world_ip[1], 6, 1000, 80, payload, 3);
}
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
	assert_true(one->meter_page->vifs[1].in_use);
	assert_int_equal(net_vif_destroy(one, 1), 0);
	assert_false(one->meter_page->vifs[1].in_use);
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
	/* Whoever looks after the dead learns that the last one is back. */
	frame_owners_freed = 0;
	card_complete(1);
	world_run();
	assert_int_equal(frame_owners_freed, 1);
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
	(void)work_run(~0UL);
	share = front_info(&a).tx_packets;
	assert_true(share > 0 && share < 250);
	share = front_info(&b).tx_packets;
	assert_true(share > 0 && share < 250);
	world_exit();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create),
		cmocka_unit_test(test_connect),
		cmocka_unit_test(test_in_flight),
		cmocka_unit_test(test_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
