// SPDX-License-Identifier: Apache-2.0
/* Tests of model/domain_config.c and network/vif_plan.c. */
#include "model/domain_config.h"
#include "network/vif_plan.h"
#include "unit.h"

#define BASE "name = one\nkernel = /k\nmemory = 16M\n"

static struct domain_config config;
static struct error err;

static int parse(const char *text)
{
	/* Exactly sized, for the address sanitizer. */
	size_t bytes = strlen(text);
	char *copy = malloc(bytes ? bytes : 1);
	int rc;

	assert_non_null(copy);
	memcpy(copy, text, bytes);
	rc = domain_config_parse(&config, copy, bytes, &err);
	free(copy);
	return rc;
}

static void least_has_usual_values(void **state)
{
	(void)state;
	assert_int_equal(parse(BASE), 0);
	assert_string_equal(config.name, "one");
	assert_string_equal(config.ramdisk, "");
	assert_int_equal(config.memory_bytes, 16 << 20);
	assert_int_equal(config.max_memory_bytes, 16 << 20);
	assert_int_equal(config.vcpus, 1);
	assert_int_equal(config.weight, 256);
	assert_int_equal(config.on_reboot, END_RESTART);
}

static void command_line_keeps_its_equals(void **state)
{
	(void)state;
	assert_int_equal(
		parse(BASE "# a comment\n\ncommand = console=hvc0 a=b"), 0);
	assert_string_equal(config.command, "console=hvc0 a=b");
}

static void disks_are_of_four_kinds(void **state)
{
	(void)state;
	assert_int_equal(parse(BASE "disk = xvda w disk:0\n"
				    "disk = xvdb1 r partition:/dev/xvda2\n"
				    "disk = xvdc w volume:vg/lv\n"
				    "disk = xvdp15 w file:/i m\n"),
			 -1);
	assert_int_equal(parse(BASE "disk = xvda w disk:0\n"
				    "disk =  xvdb1\tr partition:/dev/xvda2\n"
				    "disk = xvdc w volume:vg/lv\n"
				    "disk = xvdp15 w file:/i\n"),
			 0);
	assert_int_equal(config.disk_count, 4);
	assert_int_equal(config.disks[0].number, 51712);
	assert_int_equal(config.disks[1].number, 51712 + 17);
	assert_false(config.disks[1].writable);
	assert_int_equal(config.disks[2].kind, DISK_VOLUME);
	assert_string_equal(config.disks[3].source, "/i");
	assert_int_equal(config.disks[3].number, 51712 + 255);
}

static void interface_has_addresses(void **state)
{
	static const uint8_t mac[] = { 2, 0, 0xab, 0, 0, 9 };

	(void)state;
	assert_int_equal(
		parse(BASE
		      "vif = mac=02:00:AB:00:00:09 ip=10.0.0.2 ip=fe80::1\n"
		      "vif =\n"),
		0);
	assert_int_equal(config.vif_count, 2);
	assert_memory_equal(config.vifs[0].mac, mac, 6);
	assert_int_equal(config.vifs[0].ipv4_count, 1);
	assert_int_equal(config.vifs[0].ipv4[0][3], 2);
	assert_int_equal(config.vifs[0].ipv6_count, 1);
	assert_false(config.vifs[1].has_mac);
}

static void wrong_lines_are_named(void **state)
{
	static const char *const wrong[] = {
		"vcpus = 0",
		"vcpus = 33",
		"vcpus = 1x",
		"memory = 12",
		"memory = M",
		"memory = 99999999999999999999G",
		"max_memory = 1K",
		"weight = 65536",
		"on_crash = maybe",
		"what = 1",
		"no equals sign",
		"name = a/b",
		"name = ",
		"disk = sda w disk:0",
		"disk = xvda w disk:",
		"disk = xvda rw disk:0",
		"disk = xvda w",
		"disk = xvda w nfs:/x",
		"disk = xvda01 w disk:0",
		"vif = mac=01:00:00:00:00:00",
		"vif = mac=2:0:0:0:0:0",
		"vif = ip=1.2.3",
		"vif = bridge=x",
		"vif = ip=1.1.1.1 ip=1.1.1.1 ip=1.1.1.1 ip=1.1.1.1 ip=1.1.1.1 "
		"ip=1.1.1.1 ip=1.1.1.1 ip=1.1.1.1 ip=1.1.1.1",
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		snprintf(text, sizeof(text), "%s%s\n", BASE, wrong[i]);
		if (parse(text) == 0)
			fail_msg("accepted: %s", wrong[i]);
		assert_int_equal(err.code, ERR_INVALID);
		assert_non_null(strstr(err.message, "line 4"));
	}
}

static void whole_must_make_sense(void **state)
{
	(void)state;
	assert_int_equal(parse(""), -1);
	assert_int_equal(parse("name = a\nkernel = /k\n"), -1);
	assert_int_equal(parse(BASE "max_memory = 8M\n"), -1);
	assert_int_equal(parse(BASE "disk = xvda w disk:0\n"
				    "disk = xvda w disk:1\n"),
			 -1);
}

static void made_up_macs_stay_and_differ(void **state)
{
	struct xeno_vif_create a, b, c;
	struct vif_config none = { .has_mac = false };

	(void)state;
	vif_plan(&a, 1, 0, "one", &none);
	vif_plan(&b, 9, 0, "one", &none);
	assert_memory_equal(a.mac, b.mac, 6);
	assert_int_equal(a.mac[0] & 3, 2);
	vif_plan(&b, 1, 1, "one", &none);
	vif_plan(&c, 1, 0, "two", &none);
	assert_memory_not_equal(a.mac, b.mac, 6);
	assert_memory_not_equal(a.mac, c.mac, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(least_has_usual_values),
		cmocka_unit_test(command_line_keeps_its_equals),
		cmocka_unit_test(disks_are_of_four_kinds),
		cmocka_unit_test(interface_has_addresses),
		cmocka_unit_test(wrong_lines_are_named),
		cmocka_unit_test(whole_must_make_sense),
		cmocka_unit_test(made_up_macs_stay_and_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
