/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do rules decide, count, and change as a whole?
 * Rule:     the first that matches and is not COUNT decides; a wrong table is
 *           refused with its place, and the old one stays.
 * Source:   xeno/vif.h.
 * Expected: port 7 dropped at the receiver, 8 passes; counters exact.
 */
#include "netfront.h"

#define MANY 1000u

static struct netfront a, b;
static struct net_frame f, got;
static struct xeno_rule rules[MANY];
static struct xeno_rule_counter counters[3];

static void rule(struct xeno_rule *r, u8 action, u8 direction, u32 vif)
{
	memset(r, 0, sizeof(*r));
	r->action = action;
	r->direction = direction;
	r->domain_id = 0;
	r->vif = (u16)vif;
	r->source_port_last = r->target_port_last = 65535;
}

static struct xeno_rules_replace replace(u32 count)
{
	struct xeno_rules_replace op = { .count = count, .rules = (u64)rules };

	check_eq(net_control(&op, XENO_OP_RULES_REPLACE,
			     XENO_RULES_REPLACE_VERSION, sizeof(op)),
		 0);
	return op;
}

static bool passes(u16 port)
{
	frame_ip(&f,
		 &(struct frame_head){ b.mac, a.mac, a.ip, b.ip, 17, 5, port },
		 58);
	netfront_send(&a, &f);
	return netfront_receive(&b, &got, NULL, MS(2));
}

static long read_counters(u64 generation)
{
	struct xeno_rules_counters op = {
		.generation = generation,
		.count = 3,
		.counters = (u64)counters,
	};

	return net_control(&op, XENO_OP_RULES_COUNTERS,
			   XENO_RULES_COUNTERS_VERSION, sizeof(op));
}

void test_main(void)
{
	struct xeno_rules_replace op;
	u64 generation;

	netfront_start(&a, 0, 0, 0);
	netfront_start(&b, 1, 0, 0);
	rule(&rules[0], XENO_RULE_COUNT, XENO_RULE_BOTH, XENO_RULE_ANY_VIF);
	rule(&rules[1], XENO_RULE_DROP, XENO_RULE_TO, 1);
	rules[1].protocol = 17;
	rules[1].target_port_first = rules[1].target_port_last = 7;
	rule(&rules[2], XENO_RULE_ACCEPT, XENO_RULE_TO, 1);
	op = replace(3);
	check(!op.status, "status %d at %u", op.status, op.bad_rule);
	generation = op.generation;
	check(!passes(7) && passes(8) && passes(9), "wrong decisions");
	check(netfront_info(&b).rx_drops[XENO_DROP_RULE] == 1, "not counted");
	check_eq(read_counters(generation), 0);
	check(counters[0].packets == 6 && counters[0].bytes == 600 &&
		      counters[1].packets == 1 && counters[2].packets == 2,
	      "counted %lu %lu %lu", counters[0].packets, counters[1].packets,
	      counters[2].packets);
	for (u32 i = 0; i < MANY; i++) {
		rule(&rules[i], XENO_RULE_DROP, XENO_RULE_TO, 1);
		rules[i].protocol = 17;
		rules[i].target_port_first = rules[i].target_port_last =
			(u16)(2000 + i);
	}
	rules[MANY - 1].family = 5;
	op = replace(MANY);
	check(op.status == -XEN_EINVAL && op.bad_rule == MANY - 1 &&
		      op.bad_field == offsetof(struct xeno_rule, family),
	      "status %d at %u, %u", op.status, op.bad_rule, op.bad_field);
	check(!passes(7) && passes(2500), "the old table went");
	rules[MANY - 1].family = 4;
	op = replace(MANY);
	check(!op.status && op.generation > generation, "not replaced");
	check_eq(read_counters(generation), -XEN_EAGAIN);
	check(passes(7) && !passes(2500) && !passes(2999), "the new table");
	replace(0);
	check(passes(2500), "no table");
	pass("%u rules", MANY);
}
