// SPDX-License-Identifier: Apache-2.0
/* Tests of model/domain_spec.c, domain_state.c and label_selector.c. */
#include "model/domain_spec.h"
#include "model/domain_state.h"
#include "model/label_selector.h"
#include "model/spec_text.h"
#include "unit.h"

static struct domain_spec good(void)
{
	struct domain_spec s;

	domain_spec_default(&s);
	strcpy(s.name, "web-1");
	strcpy(s.kernel, "vmlinuz");
	s.memory_bytes = 128 << 20;
	return s;
}

static struct violations check(struct domain_spec *s)
{
	struct violations v = { .count = 0 };

	domain_spec_check(s, &v);
	return v;
}

/* The only one, of this field. */
static void assert_wrong(struct domain_spec *s, const char *field,
			 const char *value)
{
	struct violations v = check(s);

	assert_int_equal(v.count, 1);
	assert_string_equal(v.list[0].field, field);
	assert_string_equal(v.list[0].value, value);
	assert_true(*v.list[0].limit);
}

static void good_one_has_no_violations(void **state)
{
	struct domain_spec s = good();

	(void)state;
	s.disk_count = 1;
	s.disks[0] = (struct disk_spec){ "xvda", true, 1 << 20, "debian", "" };
	s.nic_count = 1;
	strcpy(s.nics[0].mac, "02:AB:00:00:00:01");
	s.nics[0].address_count = 2;
	strcpy(s.nics[0].addresses[0], "10.0.0.1");
	strcpy(s.nics[0].addresses[1], "2001:DB8:0:0::1");
	assert_int_equal(check(&s).count, 0);
	assert_string_equal(s.nics[0].mac, "02:ab:00:00:00:01");
	assert_string_equal(s.nics[0].addresses[1], "2001:db8::1");
}

static void each_limit_is_named_with_field_and_value(void **state)
{
	struct domain_spec s = good();

	(void)state;
	strcpy(s.name, "a/b");
	assert_wrong(&s, "/name", "a/b");
	s = good();
	strcpy(s.kernel, "../vmlinuz");
	assert_wrong(&s, "/kernel", "../vmlinuz");
	s = good();
	strcpy(s.command, "a\nb");
	assert_wrong(&s, "/command", "a\nb");
	s = good();
	s.memory_bytes = 4096;
	assert_wrong(&s, "/memory_bytes", "4096");
	s = good();
	s.vcpus = 33;
	assert_wrong(&s, "/vcpus", "33");
	s = good();
	s.cpu_reservation_permille = 1001;
	assert_wrong(&s, "/cpu_reservation_permille", "1001");
	s = good();
	s.cpu_cap_permille = 50;
	assert_wrong(&s, "/cpu_cap_permille", "50");
	s = good();
	s.disk_count = 2;
	s.disks[0] = (struct disk_spec){ "xvda", true, 1 << 20, "", "" };
	s.disks[1] = (struct disk_spec){ "xvda", true, 1 << 20, "", "" };
	assert_wrong(&s, "/disks/1/device", "xvda");
	s = good();
	s.nic_count = 1;
	s.nics[0].address_count = 1;
	strcpy(s.nics[0].addresses[0], "10.0.0");
	assert_wrong(&s, "/nics/0/addresses/0", "10.0.0");
	s = good();
	s.nic_count = 1;
	strcpy(s.nics[0].mac, "01:00:00:00:00:01");
	assert_wrong(&s, "/nics/0/mac", "01:00:00:00:00:01");
	s = good();
	s.label_count = 1;
	strcpy(s.labels[0].key, "team");
	strcpy(s.labels[0].value, "a b");
	assert_wrong(&s, "/labels/team", "a b");
}

static void violations_are_bounded(void **state)
{
	struct violations v = { .count = 0 };

	(void)state;
	for (int i = 0; i < 2 * VIOLATIONS_MAX; i++)
		violation_add(&v, "", "none", "/x/%d", i);
	assert_int_equal(v.count, VIOLATIONS_MAX);
	v.count = 0;
	violation_add(&v, "1", "first", "/x");
	violation_add(&v, "1", "second", "/x");
	assert_int_equal(v.count, 1);
	assert_string_equal(v.list[0].limit, "first");
}

static void words_of_states_and_actions_lead_back(void **state)
{
	enum domain_state s;
	enum domain_action a;

	(void)state;
	for (unsigned int i = 0; i < DOMAIN_STATES; i++) {
		assert_true(domain_state_parse(&s, domain_state_word(i)));
		assert_int_equal(s, i);
	}
	for (unsigned int i = 0; i < DOMAIN_ACTIONS; i++) {
		assert_true(domain_action_parse(&a, domain_action_word(i)));
		assert_int_equal(a, i);
	}
	assert_false(domain_state_parse(&s, "asleep"));
}

static void nothing_follows_the_end(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < DOMAIN_STATES; i++)
		assert_false(domain_may_become(DOMAIN_DESTROYED, i));
	for (unsigned int i = 0; i < DOMAIN_ACTIONS; i++)
		assert_false(domain_action_legal(i, DOMAIN_DESTROYED));
	/* And nothing that runs vanishes at once. */
	assert_false(domain_may_become(DOMAIN_RUNNING, DOMAIN_DESTROYED));
	assert_false(domain_action_legal(ACTION_DELETE, DOMAIN_RUNNING));
}

static void selector_is_parsed_or_refused(void **state)
{
	struct label_selector l;

	(void)state;
	assert_true(label_selector_parse(&l, "env=prod,tier!=db,team,!old"));
	assert_int_equal(l.count, 4);
	assert_int_equal(l.terms[0].relation, LABEL_IS);
	assert_string_equal(l.terms[0].label.value, "prod");
	assert_int_equal(l.terms[1].relation, LABEL_IS_NOT);
	assert_string_equal(l.terms[1].label.key, "tier");
	assert_int_equal(l.terms[2].relation, LABEL_EXISTS);
	assert_int_equal(l.terms[3].relation, LABEL_MISSING);
	assert_string_equal(l.terms[3].label.key, "old");
	assert_false(label_selector_parse(&l, ""));
	assert_false(label_selector_parse(&l, "a,"));
	assert_false(label_selector_parse(&l, "=b"));
	assert_false(label_selector_parse(&l, "a=b c"));
	assert_false(label_selector_parse(&l, "a,b,c,d,e,f,g,h,i"));
}

/* What is written as a configuration is read as what was meant. */
static void text_leads_to_the_configuration_that_was_meant(void **state)
{
	const struct spec_folders folders = { "/boot", "/pool" };
	struct strbuf text = { .text = NULL };
	struct domain_spec s = good();
	struct domain_config c;
	struct error err;

	(void)state;
	strcpy(s.ramdisk, "initrd");
	strcpy(s.command, "console=hvc0 a=b");
	s.vcpus = 2;
	s.cpu_reservation_permille = 1500;
	s.cpu_cap_permille = 2000;
	s.disk_count = 2;
	s.disks[0] = (struct disk_spec){ "xvda", true, 1 << 20, "debian", "" };
	s.disks[1] = (struct disk_spec){ "xvdb", false, 1 << 20, "", "" };
	s.nic_count = 2;
	strcpy(s.nics[0].mac, "02:ab:00:00:00:01");
	s.nics[0].address_count = 2;
	strcpy(s.nics[0].addresses[0], "10.0.0.1");
	strcpy(s.nics[0].addresses[1], "2001:db8::1");
	assert_int_equal(check(&s).count, 0);
	spec_text(&text, "dom_1", &s, &folders);
	assert_int_equal(domain_config_parse(&c, text.text, text.length, &err),
			 0);
	strbuf_clear(&text);
	assert_string_equal(c.name, "dom_1");
	assert_string_equal(c.kernel, "/boot/vmlinuz");
	assert_string_equal(c.ramdisk, "/boot/initrd");
	assert_string_equal(c.command, "console=hvc0 a=b");
	assert_int_equal(c.memory_bytes, s.memory_bytes);
	assert_int_equal(c.vcpus, 2);
	assert_int_equal(c.weight, 1500);
	assert_int_equal(c.cap_permille, 2000);
	assert_int_equal(c.on_reboot, END_PRESERVE);
	assert_int_equal(c.disk_count, 2);
	assert_true(c.disks[0].writable);
	assert_string_equal(c.disks[0].source, "/pool/dom_1.xvda");
	assert_false(c.disks[1].writable);
	assert_string_equal(c.disks[1].source, "/pool/dom_1.xvdb");
	assert_int_equal(c.vif_count, 2);
	assert_int_equal(c.vifs[0].mac[1], 0xab);
	assert_int_equal(c.vifs[0].ipv4_count, 1);
	assert_int_equal(c.vifs[0].ipv6_count, 1);
	assert_false(c.vifs[1].has_mac);
}

static void volumes_are_files_of_their_own(void **state)
{
	const struct spec_folders folders = { "/boot", "/pool" };
	struct strbuf text = { .text = NULL };
	struct domain_spec s = good();

	(void)state;
	s.disk_count = 1;
	s.disks[0] = (struct disk_spec){ "xvda", true, 0, "", "vol_1" };
	assert_int_equal(check(&s).count, 0);
	spec_text(&text, "dom_1", &s, &folders);
	assert_non_null(strstr(text.text, "xvda w file:/pool/vol_1.disk\n"));
	strbuf_clear(&text);
	strcpy(s.disks[0].image, "debian");
	assert_string_equal(check(&s).list[0].field, "/disks/0/image");
	strcpy(s.disks[0].image, "");
	strcpy(s.disks[0].volume, "../x");
	assert_string_equal(check(&s).list[0].field, "/disks/0/volume");
}

/* The largest that is legal is legal for the configuration too. */
static void text_of_the_largest_is_a_configuration(void **state)
{
	const struct spec_folders folders = { "/boot", "/pool" };
	struct strbuf text = { .text = NULL };
	struct domain_spec s = good();
	struct domain_config c;
	struct error err;

	(void)state;
	memset(s.command, '#', SPEC_COMMAND_MAX - 1);
	s.memory_bytes = SPEC_MEMORY_MOST;
	s.vcpus = CONFIG_VCPUS_MAX;
	s.cpu_reservation_permille = s.cpu_cap_permille = SPEC_CAP_MOST;
	assert_int_equal(check(&s).count, 0);
	spec_text(&text, "dom_1", &s, &folders);
	assert_int_equal(domain_config_parse(&c, text.text, text.length, &err),
			 0);
	strbuf_clear(&text);
	assert_string_equal(c.command, s.command);
	assert_int_equal(c.memory_bytes, SPEC_MEMORY_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_one_has_no_violations),
		cmocka_unit_test(each_limit_is_named_with_field_and_value),
		cmocka_unit_test(violations_are_bounded),
		cmocka_unit_test(words_of_states_and_actions_lead_back),
		cmocka_unit_test(nothing_follows_the_end),
		cmocka_unit_test(
			text_leads_to_the_configuration_that_was_meant),
		cmocka_unit_test(text_of_the_largest_is_a_configuration),
		cmocka_unit_test(volumes_are_files_of_their_own),
		cmocka_unit_test(selector_is_parsed_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
