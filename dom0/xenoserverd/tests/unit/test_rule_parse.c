// SPDX-License-Identifier: Apache-2.0
/* Tests of network/rule_parse.c. */
#include <arpa/inet.h>

#include "network/rule_parse.h"
#include "unit.h"

#define MOST 4

static struct given_rule rules[MOST];
static uint32_t count;
static struct error err;

static int parse(const char *text)
{
	return rules_parse(rules, MOST, &count, text, &err);
}

static void words_become_fields(void **state)
{
	(void)state;
	assert_int_equal(parse("# web\n\ndrop from 3:1 protocol tcp "
			       "source 10.1.0.0/16 dport 80-90\n"
			       "count both any target fe80::1"),
			 0);
	assert_int_equal(count, 2);
	assert_int_equal(rules[0].rule.action, XENO_RULE_DROP);
	assert_int_equal(rules[0].rule.direction, XENO_RULE_FROM);
	assert_int_equal(rules[0].rule.domain_id, 3);
	assert_int_equal(rules[0].rule.vif, 1);
	assert_int_equal(rules[0].rule.protocol, 6);
	assert_int_equal(rules[0].rule.family, 4);
	assert_int_equal(rules[0].rule.source_prefix, 16);
	assert_int_equal(rules[0].rule.source[1], 1);
	assert_int_equal(rules[0].rule.source_port_last, 65535);
	assert_int_equal(rules[0].rule.target_port_first, 80);
	assert_int_equal(rules[0].rule.target_port_last, 90);
	assert_int_equal(rules[1].rule.domain_id, XENO_RULE_ANY_DOMAIN);
	assert_int_equal(rules[1].rule.vif, XENO_RULE_ANY_VIF);
	assert_int_equal(rules[1].rule.family, 6);
	assert_int_equal(rules[1].rule.target_prefix, 128);
}

static void redirect_has_a_target(void **state)
{
	(void)state;
	assert_int_equal(parse("redirect from uplink protocol udp dport 53 "
			       "to-vif 7:0 to-address 10.0.0.7 to-port 5353"),
			 0);
	assert_int_equal(rules[0].rule.domain_id, XENO_RULE_UPLINK);
	assert_int_equal(rules[0].rule.redirect_domain_id, 7);
	assert_int_equal(rules[0].rule.redirect_vif, 0);
	assert_int_equal(rules[0].rule.redirect_port, 5353);
	assert_int_equal(rules[0].rule.redirect_address[3], 7);
}

static void domains_have_names(void **state)
{
	(void)state;
	assert_int_equal(parse("drop from web.1_a-b\n"
			       "\n"
			       "count to 3com:2\n"
			       "count to 12:3\n"
			       "redirect from uplink to-vif any:1"),
			 0);
	assert_int_equal(count, 4);
	assert_string_equal(rules[0].name, "web.1_a-b");
	assert_int_equal(rules[0].rule.vif, XENO_RULE_ANY_VIF);
	assert_string_equal(rules[0].redirect_name, "");
	assert_int_equal(rules[0].line, 1);
	/* It starts with a digit, and is a name all the same. */
	assert_string_equal(rules[1].name, "3com");
	assert_int_equal(rules[1].rule.vif, 2);
	assert_int_equal(rules[1].line, 3);
	assert_string_equal(rules[2].name, "");
	assert_int_equal(rules[2].rule.domain_id, 12);
	assert_string_equal(rules[3].name, "");
	assert_int_equal(rules[3].rule.domain_id, XENO_RULE_UPLINK);
	assert_string_equal(rules[3].redirect_name, "any");
	assert_int_equal(rules[3].rule.redirect_vif, 1);
}

static void nonsense_is_refused(void **state)
{
	static const char *const wrong[] = {
		"allow from any",
		"drop",
		"drop sideways any",
		"drop from 3:8",
		"drop from x:8",
		"drop from x:",
		"drop from :1",
		"drop from .x",
		"drop from a/b",
		"drop from a-name-that-is-longer-than-a-domain-s-name-can-be",
		"drop from 40000",
		"drop from any dport",
		"drop from any dport 9-8",
		"drop from any dport 65536",
		"drop from any source 10.0.0.1/33",
		"drop from any source 10.0.0.1 target fe80::1",
		"drop from any to-port 5",
		"redirect from uplink to-vif 7",
		"redirect from uplink to-vif web",
		"redirect from uplink to-vif uplink",
		"drop from any protocol 256",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (parse(wrong[i]) == 0)
			fail_msg("accepted: %s", wrong[i]);
		assert_non_null(strstr(err.message, "line 1"));
	}
	assert_int_equal(parse("drop to 1\ndrop to 1\ndrop to 1\ndrop to 1\n"
			       "drop to 1\n"),
			 -1);
}

static void parts_have_names(void **state)
{
	(void)state;
	assert_string_equal(rule_part(offsetof(struct xeno_rule, protocol)),
			    "its protocol");
	assert_string_equal(
		rule_part(offsetof(struct xeno_rule, redirect_address)),
		"to-address");
	assert_string_equal(rule_part(sizeof(struct xeno_rule)), "something");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_become_fields),
		cmocka_unit_test(redirect_has_a_target),
		cmocka_unit_test(domains_have_names),
		cmocka_unit_test(parts_have_names),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
