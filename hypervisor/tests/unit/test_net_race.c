// SPDX-License-Identifier: Apache-2.0
/*
 * Threads against each other: two interfaces that send to one another on two
 * CPUs while a third changes rules and takes interfaces in and out.
 */
#include <pthread.h>

#include <hv/errno.h>
#include <hv/log.h>
#include <hv/work.h>

#include <arch/cpu.h>

#include "../fake/domains.h"
#include "../fake/net_world.h"
#include "check.h"

#define PACKETS 3000u

static struct front a, b;
static struct domain *zero, *one;
static u32 running;

struct sender {
	struct front *front;
	u32 from, to, cpu;
	u32 received;
};

static void *send_all(void *arg)
{
	static _Thread_local struct frame_bytes frame;
	static _Thread_local struct received got;
	struct sender *s = arg;

	host_cpu = s->cpu;
	frame_ip(&frame, world_mac[s->to], world_mac[s->from], 4,
		 world_ip[s->from], world_ip[s->to], 6, 1, 2, 900, 0);
	for (u32 i = 0; i < PACKETS; i++) {
		front_put(s->front, &frame, 200, 400, 0, 0);
		front_push(s->front);
		while (work_run(~0UL))
			;
		(void)front_reap(s->front);
		while (front_receive(s->front, &got)) {
			CHECK(got.frame.bytes == frame.bytes);
			s->received++;
		}
	}
	__atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void test_both_ways(void **state)
{
	static struct sender s[2] = { { &a, 0, 1, 0, 0 }, { &b, 1, 0, 1, 0 } };
	struct xeno_rule rules[3];
	struct xeno_vif_info ia, ib;
	pthread_t thread[2];

	(void)state;
	zero = world_init(0);
	one = world_domain(1);
	world_vif(zero, 0, 0, 0);
	world_vif(one, 0, 1, 0);
	front_connect(&a, zero, 0, 31, 0);
	front_connect(&b, one, 0, 31, 0);
	world_run();
	running = 2;
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&thread[i], NULL, send_all, &s[i]));
	while (__atomic_load_n(&running, __ATOMIC_SEQ_CST)) {
		struct xeno_rules_replace op;

		for (int i = 0; i < 3; i++)
			rules[i] = world_rule(XENO_RULE_COUNT, XENO_RULE_BOTH,
					      XENO_RULE_ANY_DOMAIN,
					      XENO_RULE_ANY_VIF);
		op = world_rules(rules, 3);
		CHECK(!op.status);
		world_vif(one, 3, 3, 0);
		CHECK(!net_vif_destroy(one, 3));
	}
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_join(thread[i], NULL));
	world_run();
	ia = front_info(&a);
	ib = front_info(&b);
	assert_int_equal(ia.tx_packets, PACKETS);
	assert_int_equal(ib.tx_packets, PACKETS);
	assert_int_equal(ia.rx_packets + drops_of(ia.rx_drops), PACKETS);
	assert_int_equal(ib.rx_packets + drops_of(ib.rx_drops), PACKETS);
	assert_int_equal(drops_of(ia.rx_drops),
			 ia.rx_drops[XENO_DROP_NO_BUFFER]);
	world_exit();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
