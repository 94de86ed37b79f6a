// SPDX-License-Identifier: Apache-2.0
/* Tests of serve/rules.c and serve/rule_record.c: against a hypervisor that
 * records, with files in a folder of their own. */
#include <unistd.h>

#include "../fake/fake_hv.h"
#include "serve/rules.h"
#include "unit.h"

#define TOO_MANY                                                               \
	": from this rule to the last there are too many that one packet "     \
	"would be compared with"

static char folder[] = "/tmp/xeno-rules-XXXXXX";
static struct hv hv;
static struct rules rules;
static struct error err;
static uint32_t web, db; /* the domains of these names; 0: none */

static void bind_one(struct rule_policy *p, const char *name, uint32_t id)
{
	if (id)
		rule_policy_bind(p, name, id);
}

static void bind_all(void *context, struct rule_policy *p)
{
	assert_ptr_equal(context, &hv);
	bind_one(p, "web", web);
	bind_one(p, "db", db);
}

static int set(const char *text)
{
	return rules_set(&rules, text, bind_all, &hv, &err);
}

static int now_is(const char *name, uint32_t id)
{
	rules_bind(&rules, name, id);
	return rules_install(&rules, &err);
}

/* What is printed of a rule, from 1. */
static void expect(unsigned int rule, unsigned int packets, const char *rest)
{
	struct strbuf out = { .text = NULL };
	char line[120];

	snprintf(line, sizeof(line), "rule %u packets=%u bytes=%u %s\n", rule,
		 packets, packets * 60, rest);
	assert_int_equal(rules_print(&rules, &out, &err), 0);
	if (!strstr(out.text, line))
		fail_msg("no %s in: %s", line, out.text);
	strbuf_clear(&out);
}

static void pass(uint32_t slot, unsigned int packets)
{
	hv.counted[slot].packets += packets;
	hv.counted[slot].bytes += packets * 60;
}

/* Another process; the one before was killed. */
static void open_again(void)
{
	rule_policy_free(rules.now.policy);
	assert_int_equal(rules_open(&rules, &hv, folder, &err), 0);
}

static int set_up(void **state)
{
	(void)state;
	memset(&hv, 0, sizeof(hv));
	web = db = 0;
	return rules_open(&rules, &hv, folder, &err);
}

static int tear_down(void **state)
{
	char path[64];

	(void)state;
	rules_close(&rules);
	snprintf(path, sizeof(path), "%s/rules", folder);
	unlink(path);
	return 0;
}

static void without_a_policy_nothing_is_asked(void **state)
{
	struct strbuf out = { .text = NULL };

	(void)state;
	assert_int_equal(now_is("web", 3), 0);
	assert_int_equal(rules_print(&rules, &out, &err), 0);
	assert_null(out.text);
	assert_int_equal(hv.generation, 0);
}

static void domains_come_reboot_and_go(void **state)
{
	(void)state;
	web = 3;
	assert_int_equal(set("drop from web\ndrop from db\ncount to any\n"), 0);
	assert_int_equal(hv.rule_count, 2);
	assert_int_equal(hv.rules[0].domain_id, 3);
	assert_int_equal(now_is("db", 4), 0);
	assert_int_equal(hv.rule_count, 3);
	assert_int_equal(hv.rules[1].domain_id, 4);
	assert_int_equal(now_is("web", RULE_NO_DOMAIN), 0);
	assert_int_equal(hv.rule_count, 2);
	/* Its number is another's now. */
	assert_int_equal(now_is("other", 3), 0);
	assert_int_equal(hv.rules[0].domain_id, 4);
	assert_int_equal(now_is("web", 5), 0);
	assert_int_equal(hv.rules[0].domain_id, 5);
}

static void who_is_not_named_changes_nothing(void **state)
{
	uint64_t generation;

	(void)state;
	assert_int_equal(set("drop from web\n"), 0);
	generation = hv.generation;
	assert_int_equal(now_is("db", 4), 0);
	assert_int_equal(now_is("db", RULE_NO_DOMAIN), 0);
	assert_int_equal(hv.generation, generation);
}

static void totals_survive_replacements(void **state)
{
	(void)state;
	web = 3;
	assert_int_equal(set("drop from web\n\ncount to any\n"), 0);
	pass(0, 5);
	pass(1, 7);
	assert_int_equal(now_is("web", RULE_NO_DOMAIN), 0);
	pass(0, 1);
	expect(1, 5, "line=1 in_force=no");
	expect(2, 8, "line=3 in_force=yes");
	assert_int_equal(now_is("web", 4), 0);
	pass(0, 2);
	expect(1, 7, "line=1 in_force=yes");
	expect(2, 8, "line=3 in_force=yes");
	/* A new text has new rules. */
	assert_int_equal(set("count to any\n"), 0);
	expect(1, 0, "line=1 in_force=yes");
}

static void totals_survive_processes(void **state)
{
	(void)state;
	web = 3;
	assert_int_equal(set("drop from web\ncount to any\ndrop to db"), 0);
	pass(1, 7);
	expect(2, 7, "line=2 in_force=yes");
	/* Nothing was recorded since, and the table still counts. */
	pass(1, 2);
	open_again();
	assert_false(rules.now.stale);
	expect(2, 9, "line=2 in_force=yes");
	pass(0, 1);
	rules_close(&rules);
	pass(0, 1);
	open_again();
	expect(1, 2, "line=1 in_force=yes");
	expect(3, 0, "line=3 in_force=no");
	/* The names are known as they were. */
	assert_int_equal(now_is("web", 3), 0);
	assert_int_equal(hv.generation, rules.now.generation);
	assert_int_equal(now_is("web", 4), 0);
	assert_int_equal(hv.rules[0].domain_id, 4);
	expect(1, 2, "line=1 in_force=yes");
}

/* Between the replacement and its record. */
static void a_table_that_is_not_known_is_replaced(void **state)
{
	static const struct xeno_rule other = { .target_port_last = 65535 };
	struct hv_bad_rule bad;
	uint64_t generation;

	(void)state;
	web = 3;
	assert_int_equal(set("drop from web\n"), 0);
	pass(0, 4);
	assert_int_equal(now_is("web", 4), 0);
	hv_rules_replace(&hv, &other, 1, &generation, &bad, &err);
	pass(0, 9);
	open_again();
	assert_true(rules.now.stale);
	assert_int_equal(rules_install(&rules, &err), 0);
	assert_int_equal(hv.rules[0].domain_id, 4);
	expect(1, 4, "line=1 in_force=yes");
}

/* Before the replacement, but after the record that the domain has come. */
static void what_was_not_replaced_is_replaced_later(void **state)
{
	(void)state;
	web = 3;
	assert_int_equal(set("drop from web\n"), 0);
	pass(0, 4);
	hv.rules_fail = true;
	assert_int_equal(now_is("web", 4), -1);
	pass(0, 1);
	hv.rules_fail = false;
	open_again();
	assert_int_equal(hv.rules[0].domain_id, 3);
	assert_int_equal(now_is("web", 4), 0);
	assert_int_equal(hv.rules[0].domain_id, 4);
	expect(1, 5, "line=1 in_force=yes");
}

static void a_refusal_names_the_line(void **state)
{
	(void)state;
	web = 3;
	assert_int_equal(set("count to any\n"), 0);
	pass(0, 2);
	hv.rules_most = 2;
	/* The place in the table is not the line, nor the rule's number. */
	assert_int_equal(set("# one\n"
			     "drop from web\n"
			     "\n"
			     "count to 1\n"
			     "count to 2\n"
			     "count to 3\n"),
			 -1);
	assert_int_equal(err.code, ERR_INVALID);
	assert_string_equal(err.message, "line 4" TOO_MANY);
	expect(1, 2, "line=1 in_force=yes");
	assert_int_equal(set("count to any\n"
			     "drop from db\n"
			     "drop from web dport 25\n"),
			 -1);
	assert_string_equal(err.message,
			    "line 3: its protocol is missing or not possible "
			    "here");
	hv.rules_fail = true;
	assert_int_equal(set("count to any\n"), -1);
	assert_string_equal(err.message, "no memory");
	assert_int_equal(hv.rule_count, 1);
}

/* Not when the domain is to start. */
static void what_would_be_too_many_is_refused_at_once(void **state)
{
	(void)state;
	hv.rules_most = 2;
	web = 1;
	hv.domains = 2;
	assert_int_equal(set("drop from web\ndrop from db\ndrop to x\n"), -1);
	assert_string_equal(err.message, "line 1" TOO_MANY);
	assert_int_equal(hv.generation, 0);
	assert_int_equal(set("drop from web\ndrop from db\n"), 0);
	/* It was tried with a number that no domain has. */
	assert_int_equal(hv.old_count, 2);
	assert_int_equal(hv.old_rules[1].domain_id, 3);
	assert_int_equal(hv.rule_count, 1);
	assert_int_equal(hv.rules[0].domain_id, 1);
}

static void what_is_not_in_force_stays_to_be_done(void **state)
{
	(void)state;
	assert_int_equal(set("count to any\ncount to web\n"), 0);
	hv.rules_most = 1;
	assert_int_equal(now_is("web", 3), -1);
	assert_string_equal(err.message, "rules: line 1" TOO_MANY);
	assert_int_equal(now_is("other", 4), -1);
	hv.rules_most = 0;
	assert_int_equal(now_is("other", 4), 0);
	assert_int_equal(hv.rules[1].domain_id, 3);
}

static void write_record(const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/rules", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void what_is_no_record_is_an_error(void **state)
{
	static const char *const wrong[] = {
		"",
		"xeno-rules 1 0 1\n",
		"xeno-rules 1 0 1 0\n",
		"xeno-rules 1 0 1 0\ndrop from web\n",
		/* More in force than there are, places, other text. */
		"xeno-rules 1 0 1 2\n1 1 0 0 0 0 0\ndrop from web\n",
		"xeno-rules 1 0 1 1\n1 1 1 0 0 0 0\ndrop from web\n",
		"xeno-rules 1 0 1 1\n1 1 0 0 0 0\ndrop from web\n",
		"xeno-rules 1 0 1 1\n1 1 0 0 0 0 0\n",
		"xeno-rules 1 0 1 1\n1 1 0 0 0 0 0\ndrop sideways web\n",
		"xeno-rules 1 0 9999 1\n1 1 0 0 0 0 0\ndrop from web\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		write_record(wrong[i]);
		if (rules_open(&rules, &hv, folder, &err) == 0)
			fail_msg("taken: %s", wrong[i]);
		assert_null(rules.now.policy);
	}
	write_record("xeno-rules 0 0 1 0\n1 4294967295 4294967295 6 360 0 0\n"
		     "drop from web\n");
	assert_int_equal(rules_open(&rules, &hv, folder, &err), 0);
	expect(1, 6, "line=1 in_force=no");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_policy_nothing_is_asked),
		TEST(domains_come_reboot_and_go),
		TEST(who_is_not_named_changes_nothing),
		TEST(totals_survive_replacements),
		TEST(totals_survive_processes),
		TEST(a_table_that_is_not_known_is_replaced),
		TEST(what_was_not_replaced_is_replaced_later),
		TEST(a_refusal_names_the_line),
		TEST(what_would_be_too_many_is_refused_at_once),
		TEST(what_is_not_in_force_stays_to_be_done),
		TEST(what_is_no_record_is_an_error),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, remove_folder);
}
