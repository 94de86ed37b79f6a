/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: how long do the largest table of rules and the dearest one, and
 *           packets that have to pass all of it, keep a CPU?
 * Rule:     replacing is cut like any other call; a table with which a packet
 *           would be compared for too long is refused; a turn of packets ends
 *           when enough has been compared.
 * Source:   hv/hold.h, xeno/vif.h.
 * Expected: tables are replaced, also while packets pass, but for one that is
 *           too dear; every packet that was sent is answered, those to all
 *           too; builds that measure print the longest entries.
 * test: time=120
 */
#include "netfront.h"

#define ROUNDS 4U
#define FRAMES 250U
/* All of them look at every packet. */
#define DEAREST 255U

static struct netfront a, b;
static struct net_frame f, to_all, got;
static struct xeno_rule rules[XENO_RULES_MAX];
static struct xeno_rule_counter counters[XENO_RULES_MAX];

/* Of different shapes, as a large table has them; the last one counts. */
static void make_rules(void)
{
	for (u32 i = 0; i < XENO_RULES_MAX; i++) {
		struct xeno_rule *r = &rules[i];

		r->action = XENO_RULE_DROP;
		r->direction = XENO_RULE_BOTH;
		r->family = 4;
		r->protocol = 17;
		r->domain_id = XENO_RULE_ANY_DOMAIN;
		r->vif = XENO_RULE_ANY_VIF;
		r->source_prefix = (u8)(25 + i % 8);
		memcpy(r->source, a.ip, 3);
		r->source[3] = r->source_prefix == 32 ? 200 : 128;
		r->source_port_last = 65535;
		r->target_port_first = r->target_port_last = (u16)(1000 + i);
	}
	rules[XENO_RULES_MAX - 1].action = XENO_RULE_COUNT;
	rules[XENO_RULES_MAX - 1].source_prefix = 0;
	memset(rules[XENO_RULES_MAX - 1].source, 0, 4);
	rules[XENO_RULES_MAX - 1].target_port_first = 0;
	rules[XENO_RULES_MAX - 1].target_port_last = 65535;
}

static void make_dear_rules(void)
{
	for (u32 i = 0; i <= DEAREST; i++)
		rules[i] = (struct xeno_rule){
			.action = XENO_RULE_COUNT,
			.direction = XENO_RULE_BOTH,
			.domain_id = XENO_RULE_ANY_DOMAIN,
			.vif = XENO_RULE_ANY_VIF,
			.source_port_last = 65535,
			.target_port_last = 65535,
		};
}

static struct xeno_rules_replace replace(u32 count)
{
	struct xeno_rules_replace op = { .count = count, .rules = (u64)rules };

	check_eq(net_control(&op, XENO_OP_RULES_REPLACE,
			     XENO_RULES_REPLACE_VERSION, sizeof(op)),
		 0);
	return op;
}

static u64 replaced(u32 count)
{
	struct xeno_rules_replace op = replace(count);

	check(!op.status, "status %d at rule %u, byte %u", op.status,
	      op.bad_rule, op.bad_field);
	return op.generation;
}

/* As many as the ring holds, at once. */
static void flood(void)
{
	u32 until = a.tx_seen + FRAMES;
	u64 end = now_ns() + MS(20000);

	for (u32 i = 0; i < FRAMES; i++)
		netfront_put(&a, i % 2 ? &f : &to_all, PAGE_SIZE, 0);
	netfront_kick(&a);
	while (a.tx_seen != until) {
		netfront_reap(&a);
		(void)!netfront_receive(&b, &got, NULL, 1);
		check(now_ns() < end, "%u answers are missing",
		      until - a.tx_seen);
	}
}

/* The packets that the table's last rule counted. */
static u64 last_count(u32 count, u64 generation)
{
	struct xeno_rules_counters op = {
		.generation = generation,
		.count = count,
		.counters = (u64)counters,
	};

	check_eq(net_control(&op, XENO_OP_RULES_COUNTERS,
			     XENO_RULES_COUNTERS_VERSION, sizeof(op)),
		 0);
	return counters[count - 1].packets;
}

static void rounds(u32 count)
{
	u64 generation = 0, packets;

	for (u32 i = 0; i < ROUNDS; i++) {
		generation = replaced(count);
		flood();
	}
	/* Each packet left its sender, not all found a buffer. */
	packets = last_count(count, generation);
	check(packets >= FRAMES, "%lu packets at the last of %u rules", packets,
	      count);
}

void test_main(void)
{

	netfront_start(&a, 0, 0, 0);
	netfront_start(&b, 1, 0, 0);
	frame_ip(&f, &(struct frame_head){ b.mac, a.mac, a.ip, b.ip, 17, 5, 6 },
		 58);
	to_all = f;
	memset(to_all.data, 0xff, 6);
	make_rules();
	rounds(XENO_RULES_MAX);
	make_dear_rules();
	rounds(DEAREST);
	check_eq(replace(DEAREST + 1).status, -XEN_E2BIG);
	pass("%u tables each of %u and %u rules, %u packets each", ROUNDS,
	     XENO_RULES_MAX, DEAREST, ROUNDS * FRAMES);
}
