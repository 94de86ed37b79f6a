// SPDX-License-Identifier: Apache-2.0
/* Tests of network/rule_policy.c. */
#include "network/rule_policy.h"
#include "unit.h"

#define MOST 8

static struct rule_policy *policy;
static struct xeno_rule table[MOST];
static uint32_t source[MOST];

static const char text[] =
	"drop from web:0 protocol tcp dport 25\n"
	"# to a guest, only while there is one\n"
	"redirect from uplink protocol tcp target 10.0.0.1 "
	"dport 80 to-vif web:0 to-address 10.0.0.2 to-port 80\n"
	"count both any\n"
	"drop to db\n"
	"drop from 7\n";

static int set_up(void **state)
{
	struct error err;

	(void)state;
	policy = rule_policy_new(text, &err);
	return policy ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	rule_policy_free(policy);
	return 0;
}

static uint32_t compile(void)
{
	memset(table, 0xff, sizeof(table));
	return rule_policy_compile(policy, table, source);
}

static void rules_of_absent_domains_are_left_out(void **state)
{
	(void)state;
	assert_string_equal(rule_policy_unbound(policy), "web");
	assert_int_equal(compile(), 2);
	assert_int_equal(table[0].domain_id, XENO_RULE_ANY_DOMAIN);
	assert_int_equal(source[0], 2);
	assert_int_equal(table[1].domain_id, 7);
	assert_int_equal(source[1], 4);
}

static void rules_follow_their_domains(void **state)
{
	(void)state;
	assert_true(rule_policy_bind(policy, "web", 3));
	assert_false(rule_policy_bind(policy, "web", 3));
	assert_false(rule_policy_bind(policy, "we", 4));
	assert_string_equal(rule_policy_unbound(policy), "db");
	assert_int_equal(compile(), 4);
	assert_int_equal(table[0].domain_id, 3);
	assert_int_equal(table[0].vif, 0);
	assert_int_equal(table[1].domain_id, XENO_RULE_UPLINK);
	assert_int_equal(table[1].redirect_domain_id, 3);

	/* It has rebooted, and db has its old number. */
	assert_true(rule_policy_bind(policy, "web", 9));
	assert_true(rule_policy_bind(policy, "db", 3));
	assert_null(rule_policy_unbound(policy));
	assert_int_equal(compile(), 5);
	assert_int_equal(table[0].domain_id, 9);
	assert_int_equal(table[1].redirect_domain_id, 9);
	assert_int_equal(table[3].domain_id, 3);
	assert_int_equal(table[3].direction, XENO_RULE_TO);

	assert_true(rule_policy_bind(policy, "web", RULE_NO_DOMAIN));
	assert_int_equal(compile(), 3);
	assert_int_equal(source[1], 3);
	rule_policy_unbind(policy);
	assert_int_equal(compile(), 2);
}

/* The table's counters of the rules of this policy, in order. */
static void count(uint64_t first, uint64_t second, uint64_t third)
{
	const struct xeno_rule_counter now[] = { { first, first * 100 },
						 { second, second * 100 },
						 { third, third * 100 } };

	rule_policy_count(policy, now);
}

static void totals_go_on(void **state)
{
	const struct policy_rule *r = policy->rules;

	(void)state;
	rule_policy_in_force(policy, source, compile());
	assert_int_equal(policy->in_force, 2);
	assert_int_equal(r[0].slot, RULE_LEFT_OUT);
	count(5, 1, 77);
	count(8, 1, 77);
	assert_int_equal(r[2].total.packets, 8);
	assert_int_equal(r[2].total.bytes, 800);
	assert_int_equal(r[4].total.packets, 1);
	assert_int_equal(r[3].total.packets, 0);

	/* Another table has other places, and starts from 0. */
	rule_policy_bind(policy, "db", 1);
	rule_policy_in_force(policy, source, compile());
	count(2, 3, 4);
	assert_int_equal(r[2].total.packets, 10);
	assert_int_equal(r[3].total.packets, 3);
	assert_int_equal(r[4].total.packets, 5);

	/* What is left out keeps its total. */
	rule_policy_bind(policy, "db", RULE_NO_DOMAIN);
	rule_policy_in_force(policy, source, compile());
	count(1, 1, 77);
	assert_int_equal(r[2].total.packets, 11);
	assert_int_equal(r[3].total.packets, 3);
	assert_int_equal(r[3].total.bytes, 300);
	assert_int_equal(r[4].total.packets, 6);
}

static void no_rules_are_a_policy(void **state)
{
	struct error err;
	struct rule_policy *p = rule_policy_new("# nothing\n", &err);

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->count, 0);
	assert_int_equal(rule_policy_compile(p, table, source), 0);
	rule_policy_free(p);
	assert_null(rule_policy_new("drop\n", &err));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rules_of_absent_domains_are_left_out),
		TEST(rules_follow_their_domains),
		TEST(totals_go_on),
		TEST(no_rules_are_a_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
