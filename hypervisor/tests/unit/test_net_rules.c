// SPDX-License-Identifier: Apache-2.0
/* The classifier against a first-match walk over the same rules, written from
 * the contract; tables of rules: checked, replaced as a whole, counted. */
#include <hv/errno.h>
#include <hv/log.h>

#include <arch/host_machine.h>

#include "../../net/rule_table.h"
#include "../../net/switch.h"
#include "../fake/domains.h"
#include "../fake/net_world.h"
#include "check.h"

#define MANY 4096u

static struct xeno_rule rules[XENO_RULES_MAX + 1];
static u64 seed = 1;

static u32 dice(u32 n)
{
	return (u32)(random_next(&seed) % n);
}

/* ---- the reference ---- */

static bool prefix_matches(const u8 *rule, const u8 *address, u8 bits)
{
	for (u8 i = 0; i < bits; i++)
		if ((rule[i / 8] ^ address[i / 8]) >> (7 - i % 8) & 1)
			return false;
	return true;
}

static bool matches(const struct xeno_rule *r, const struct packet_key *k,
		    u32 domain_id, u16 vif, bool to)
{
	bool any_source = !r->source_port_first && r->source_port_last == 65535;
	bool any_target = !r->target_port_first && r->target_port_last == 65535;
	bool ports = k->flags & KEY_PORTS;

	if (!(r->direction & (to ? XENO_RULE_TO : XENO_RULE_FROM)))
		return false;
	if (r->domain_id == XENO_RULE_ANY_DOMAIN) {
		if (domain_id == XENO_RULE_UPLINK)
			return false;
	} else if (r->domain_id != domain_id) {
		return false;
	}
	if (r->vif != XENO_RULE_ANY_VIF && r->vif != vif)
		return false;
	if (r->family && r->family != k->family)
		return false;
	if (r->protocol && r->protocol != k->protocol)
		return false;
	if (!prefix_matches(r->source, k->source.bytes, r->source_prefix) ||
	    !prefix_matches(r->target, k->target.bytes, r->target_prefix))
		return false;
	if ((!any_source || !any_target) && !ports)
		return false;
	return !ports || (k->source_port >= r->source_port_first &&
			  k->source_port <= r->source_port_last &&
			  k->target_port >= r->target_port_first &&
			  k->target_port <= r->target_port_last);
}

/* ---- random rules and packets, from few values so that they meet ---- */

static void random_address(u8 *a, u8 family)
{
	memset(a, 0, 16);
	a[0] = family == 4 ? 10 : 0xfd;
	a[family == 4 ? 2 : 14] = (u8)dice(3);
	a[family == 4 ? 3 : 15] = (u8)dice(4);
}

static u8 random_prefix(u8 family)
{
	static const u8 four[] = { 0, 8, 23, 24, 31, 32 };
	static const u8 six[] = { 0, 8, 64, 119, 120, 127, 128 };

	return family == 4 ? four[dice(6)] : family == 6 ? six[dice(7)] : 0;
}

static void random_ports(u16 *first, u16 *last)
{
	*first = 0;
	*last = 65535;
	if (dice(2))
		return;
	*first = (u16)dice(6);
	*last = (u16)(*first + (dice(2) ? 0 : dice(3)));
}

static struct xeno_rule random_rule(void)
{
	static const u8 families[] = { 0, 4, 4, 6 };
	struct xeno_rule r = { .source_port_last = 65535,
			       .target_port_last = 65535 };

	r.action = (u8)dice(3);
	r.direction = (u8)(1 + dice(3));
	r.family = families[dice(4)];
	r.domain_id = dice(3)   ? dice(3)
		      : dice(2) ? XENO_RULE_ANY_DOMAIN
				: XENO_RULE_UPLINK;
	r.vif = r.domain_id == XENO_RULE_UPLINK || dice(2) ? XENO_RULE_ANY_VIF
							   : (u16)dice(2);
	r.protocol = dice(3) ? (dice(2) ? 6 : 17) : (u8)(dice(2) * 58);
	if (r.protocol == 6 || r.protocol == 17) {
		random_ports(&r.source_port_first, &r.source_port_last);
		random_ports(&r.target_port_first, &r.target_port_last);
	}
	r.source_prefix = random_prefix(r.family);
	r.target_prefix = random_prefix(r.family);
	random_address(r.source, r.family);
	random_address(r.target, r.family);
	return r;
}

/* One of a table of many: of few shapes, with addresses that mostly differ. */
static struct xeno_rule plain_rule(void)
{
	struct xeno_rule r = { .source_port_last = 65535,
			       .target_port_last = 65535,
			       .family = 4,
			       .source_prefix = 32,
			       .domain_id = XENO_RULE_ANY_DOMAIN,
			       .vif = XENO_RULE_ANY_VIF };

	r.action = (u8)dice(3);
	r.direction = (u8)(1 + dice(3));
	r.protocol = dice(2) ? 6 : 0;
	put_be32(r.source, 0x0a000000 + dice(MANY));
	return r;
}

static struct packet_key random_key(void)
{
	static const u8 families[] = { 0, 4, 4, 6 };
	struct packet_key k = { .family = families[dice(4)] };

	if (!k.family)
		return k;
	k.protocol = dice(4) ? (dice(2) ? 6 : 17) : 58;
	random_address(k.source.bytes, k.family);
	random_address(k.target.bytes, k.family);
	if (k.protocol != 58 && dice(5)) {
		k.flags = KEY_PORTS;
		k.source_port = (u16)dice(8);
		k.target_port = (u16)dice(8);
	}
	return k;
}

static void read_counters(u64 generation, struct xeno_rule_counter *to,
			  u32 count)
{
	struct xeno_rules_counters op = {
		.generation = generation,
		.count = count,
		.counters = 0x1000,
	};

	host_guest_window(0x1000, to, count * sizeof(*to));
	CHECK(!net_rules_counters(&op));
}

static void one_table(u32 count, u32 packets)
{
	static struct xeno_rule_counter want[MANY], have[MANY];
	struct xeno_rules_replace op;

	memset(want, 0, sizeof(want));
	for (u32 i = 0; i < count; i++)
		rules[i] = count < MANY ? random_rule() : plain_rule();
	op = world_rules(rules, count);
	assert_int_equal(op.status, 0);
	for (u32 n = 0; n < packets; n++) {
		struct packet_key k = random_key();
		u32 at = 0x0a000000 + dice(MANY);
		u32 domain_id = dice(4) ? dice(3) : XENO_RULE_UPLINK;
		u16 vif = (u16)dice(2);
		bool uplink = domain_id == XENO_RULE_UPLINK, to = dice(2);
		u32 interface = uplink ? INTERFACE_UPLINK
				       : interface_of((u16)domain_id, vif);
		const struct rule_verdict *v;
		u32 i;

		if (count == MANY && k.family == 4)
			put_be32(k.source.bytes, at);
		for (i = 0; i < count; i++) {
			if (!matches(&rules[i], &k, domain_id, vif, to))
				continue;
			want[i].packets++;
			want[i].bytes += n;
			if (rules[i].action != XENO_RULE_COUNT)
				break;
		}
		v = rules_decide(&k, interface, to, n);
		if (i == count)
			assert_null(v);
		else
			assert_int_equal(v->action, rules[i].action);
	}
	read_counters(op.generation, have, count);
	assert_memory_equal(have, want, count * sizeof(want[0]));
}

static void test_first_match(void **state)
{
	(void)state;
	world_init(0);
	for (u32 round = 0; round < 400; round++)
		one_table(1 + dice(60), 500);
	one_table(MANY, 2000);
	world_exit();
}

/* Thousands of rules of one shape cost one hash, not thousands of steps. */
static void test_cost(void **state)
{
	static struct match_rule m;
	static u8 memory[4096 * 200];
	struct classifier c;
	struct packet_key k = { .family = 4,
				.protocol = 6,
				.flags = KEY_PORTS };
	struct match_key key;
	u32 ignored, longest = 0, steps = 0;

	(void)state;
	assert_true(classifier_bytes(MANY) <= sizeof(memory));
	classifier_init(&c, memory, MANY);
	for (u32 i = MANY; i--;) {
		struct xeno_rule r =
			world_rule(XENO_RULE_DROP, XENO_RULE_FROM, 1, 0);

		r.family = 4;
		r.source_prefix = 32;
		put_be32(r.source, 0x0a000000 + i);
		CHECK(!rule_compile(&r, &m, &ignored));
		classifier_insert(&c, &m, i);
	}
	assert_int_equal(c.tuple_count, 1);
	for (u32 b = 0; b <= c.bucket_mask; b++) {
		u32 n = 0;

		for (u32 i = c.buckets[b]; i != RULE_NONE; i = c.nodes[i].next)
			n++;
		longest = n > longest ? n : longest;
	}
	assert_true(longest < 12);
	put_be32(k.source.bytes, 0x0a000000 + 3000);
	rule_key(&k, interface_of(1, 0), false, &key);
	assert_int_equal(classifier_first(&c, &key, RULE_NONE, &steps), 3000);
	assert_true(steps <= classifier_steps(&c));
	assert_true(classifier_steps(&c) <= 1 + longest);
}

/* All match all packets: none is found by its hash. */
static void same_rules(u32 count)
{
	for (u32 i = 0; i < count; i++)
		rules[i] = world_rule(XENO_RULE_COUNT, XENO_RULE_BOTH,
				      XENO_RULE_ANY_DOMAIN, XENO_RULE_ANY_VIF);
}

static void test_dear_table(void **state)
{
	struct packet_key k = { .family = 4, .protocol = 1 };
	struct xeno_rules_replace op;
	u64 generation;
	u32 most = RULE_STEPS_MAX / 2 - 1; /* a match is two */

	(void)state;
	world_init(0);
	same_rules(MANY);
	generation = world_rules(rules, most).generation;
	op = world_rules(rules, MANY);
	assert_int_equal(op.status, -E2BIG);
	assert_int_equal(op.bad_rule, MANY - most - 1);
	assert_int_equal(op.generation, generation);
	net_read_lock();
	assert_null(rules_decide(&k, interface_of(1, 0), false, 60));
	assert_in_range(net_spent(), 2 * most, RULE_STEPS_MAX);
	net_read_unlock();
	world_exit();
}

/* VIFs of domain id without a front end, each with a MAC of its own. */
static void give_vifs(struct domain *d, u32 first)
{
	struct xeno_vif_create op = { .domain_id = d->id };

	memcpy(op.mac, "\2\0\0\0", 4);
	op.mac[4] = (u8)d->id;
	for (op.vif = first; op.vif < XENO_VIFS_PER_DOMAIN; op.vif++) {
		op.mac[5] = (u8)op.vif;
		CHECK(!net_vif_create(d, &op));
	}
}

/* How many of the VIFs have been offered a packet that they had no room for. */
static u64 offered(struct domain *const *domains, u32 count)
{
	u64 sum = 0;

	for (u32 i = 0; i < count; i++)
		for (u32 n = 0; n < XENO_VIFS_PER_DOMAIN; n++) {
			struct xeno_vif_info info = {
				.domain_id = domains[i]->id,
				.vif = n,
			};

			CHECK(!net_vif_info(domains[i], &info));
			sum += info.rx_drops[XENO_DROP_NO_BUFFER];
		}
	return sum;
}

/* A broadcast ends when it has cost enough, however many could get it. */
static void test_dear_broadcast(void **state)
{
	static const u8 all[6] = { 255, 255, 255, 255, 255, 255 };
	static struct frame_bytes frame;
	static struct front a;
	struct domain *domains[4];
	u64 cheap, dear;

	(void)state;
	domains[0] = world_init(0);
	world_vif(domains[0], 0, 0, 0);
	front_connect(&a, domains[0], 0, 0, 0);
	give_vifs(domains[0], 1);
	for (u16 i = 1; i < 4; i++) {
		domains[i] = world_domain(i);
		give_vifs(domains[i], 0);
	}
	frame_ip(&frame, all, world_mac[0], 4, world_ip[0], world_ip[1], 17, 5,
		 6, 10, 0);
	front_send(&a, &frame, 0, 0);
	cheap = offered(domains, 4);
	assert_int_equal(cheap, 4 * XENO_VIFS_PER_DOMAIN - 1);
	same_rules(RULE_STEPS_MAX / 2 - 1);
	assert_int_equal(world_rules(rules, RULE_STEPS_MAX / 2 - 1).status, 0);
	front_send(&a, &frame, 0, 0);
	dear = offered(domains, 4) - cheap;
	assert_in_range(dear, 1, FLOOD_STEPS / RULE_STEPS_MAX + 1);
	world_rules(NULL, 0);
	world_exit();
}

static void test_bad_rules(void **state)
{
	struct xeno_rule good =
		world_rule(XENO_RULE_DROP, XENO_RULE_FROM, 1, 0);
	struct xeno_rules_replace op;
	u64 before;

	(void)state;
	world_init(0);
	rules[0] = good;
	before = world_rules(rules, 1).generation;
#define EXPECT_BAD(field, value)                                               \
	do {                                                                   \
		for (u32 i = 0; i < 300; i++)                                  \
			rules[i] = good;                                       \
		rules[299].field = (value);                                    \
		op = world_rules(rules, 300);                                  \
		assert_int_equal(op.status, -EINVAL);                          \
		assert_int_equal(op.bad_rule, 299);                            \
		assert_int_equal(op.bad_field,                                 \
				 offsetof(struct xeno_rule, field));           \
		assert_int_equal(op.generation, before);                       \
	} while (0)
	EXPECT_BAD(action, 4);
	EXPECT_BAD(direction, 0);
	EXPECT_BAD(direction, 4);
	EXPECT_BAD(family, 5);
	EXPECT_BAD(domain_id, 1024);
	EXPECT_BAD(vif, 8);
	EXPECT_BAD(source_prefix, 1);
	EXPECT_BAD(target_prefix, 1);
	EXPECT_BAD(mbz, 1);
	good.protocol = IP_TCP;
	good.family = 4;
	EXPECT_BAD(source_prefix, 33);
	good.target_port_last = 9;
	EXPECT_BAD(target_port_first, 10);
	EXPECT_BAD(protocol, 1);
	/* Redirection: all of what it needs. */
	good.action = XENO_RULE_REDIRECT;
	good.domain_id = XENO_RULE_UPLINK;
	good.vif = XENO_RULE_ANY_VIF;
	good.target_prefix = 32;
	good.target_port_first = 9;
	good.redirect_port = 80;
	good.redirect_domain_id = 1;
	good.redirect_address[0] = 10;
	rules[0] = good;
	before = world_rules(rules, 1).generation;
	EXPECT_BAD(direction, XENO_RULE_BOTH);
	EXPECT_BAD(protocol, 0);
	EXPECT_BAD(target_prefix, 31);
	EXPECT_BAD(target_port_last, 10);
	EXPECT_BAD(redirect_port, 0);
	EXPECT_BAD(redirect_vif, 8);
	EXPECT_BAD(redirect_domain_id, 1024);
	EXPECT_BAD(redirect_address[0], 0);
	EXPECT_BAD(domain_id, 1);
	world_exit();
}

static void test_replace_errors(void **state)
{
	struct xeno_rules_replace op = { .count = XENO_RULES_MAX + 1 };
	struct xeno_rules_counters counters = { .generation = 99999 };

	(void)state;
	world_init(0);
	assert_int_equal(net_rules_replace(&op), -EINVAL);
	op.count = 1;
	op.mbz = 1;
	assert_int_equal(net_rules_replace(&op), -EINVAL);
	op.mbz = 0;
	op.rules = 0xdead0000;
	assert_int_equal(net_rules_replace(&op), -EFAULT);
	assert_int_equal(net_rules_counters(&counters), -EAGAIN);
	/* Another request while one is being worked on takes its place. */
	for (u32 i = 0; i < 400; i++)
		rules[i] = world_rule(XENO_RULE_DROP, XENO_RULE_FROM, 1, 0);
	host_guest_window(0x1000, rules, sizeof(rules));
	op = (struct xeno_rules_replace){ .count = 400, .rules = 0x1000 };
	assert_int_equal(net_rules_replace(&op), -ERESTART);
	op = world_rules(rules, 3);
	counters = (struct xeno_rules_counters){ .generation = op.generation,
						 .first = 2,
						 .count = 2 };
	assert_int_equal(net_rules_counters(&counters), -EINVAL);
	world_exit();
}

/* Rules at both ends of a packet's way, told apart in what is counted. */
static void test_on_the_way(void **state)
{
	static struct frame_bytes frame;
	static struct front a, b;
	static struct received got;
	static struct xeno_rule_counter counter[3];
	struct domain *zero, *one;
	u64 generation;

	(void)state;
	zero = world_init(0);
	one = world_domain(1);
	world_vif(zero, 0, 0, 0);
	world_vif(one, 0, 1, 0);
	front_connect(&a, zero, 0, 0, 0);
	front_connect(&b, one, 0, 0, 0);
	rules[0] = world_rule(XENO_RULE_COUNT, XENO_RULE_BOTH,
			      XENO_RULE_ANY_DOMAIN, XENO_RULE_ANY_VIF);
	rules[1] = world_rule(XENO_RULE_DROP, XENO_RULE_TO, 1, 0);
	rules[1].protocol = 17;
	rules[2] = world_rule(XENO_RULE_DROP, XENO_RULE_FROM, 0, 0);
	rules[2].protocol = 6;
	rules[2].target_port_first = rules[2].target_port_last = 23;
	generation = world_rules(rules, 3).generation;
	frame_ip(&frame, world_mac[1], world_mac[0], 4, world_ip[0],
		 world_ip[1], 6, 1, 22, 10, 0);
	front_send(&a, &frame, 0, 0);
	assert_true(front_receive(&b, &got));
	frame_ip(&frame, world_mac[1], world_mac[0], 4, world_ip[0],
		 world_ip[1], 6, 1, 23, 10, 0);
	front_send(&a, &frame, 0, 0);
	assert_false(front_receive(&b, &got));
	assert_int_equal(front_info(&a).tx_drops[XENO_DROP_RULE], 1);
	frame_ip(&frame, world_mac[1], world_mac[0], 4, world_ip[0],
		 world_ip[1], 17, 1, 23, 22, 0);
	front_send(&a, &frame, 0, 0);
	assert_false(front_receive(&b, &got));
	assert_int_equal(front_info(&b).rx_drops[XENO_DROP_RULE], 1);
	read_counters(generation, counter, 3);
	assert_int_equal(counter[0].packets, 5);
	assert_int_equal(counter[0].bytes, 5 * 64);
	assert_int_equal(counter[1].packets, 1);
	assert_int_equal(counter[2].packets, 1);
	/* None: all pass again. */
	world_rules(NULL, 0);
	front_send(&a, &frame, 0, 0);
	assert_true(front_receive(&b, &got));
	world_exit();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_match),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_dear_table),
		cmocka_unit_test(test_dear_broadcast),
		cmocka_unit_test(test_bad_rules),
		cmocka_unit_test(test_replace_errors),
		cmocka_unit_test(test_on_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
