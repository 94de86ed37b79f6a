// SPDX-License-Identifier: Apache-2.0
/* Tests of boot/command_line.c. */
#include <hv/errno.h>
#include <hv/options.h>

#include "boot_unit.h"

/* Tests run in the top directory. */
#define OPTIONS_PAGE "docs/hypervisor-options.md"

static struct options o;
static char err[128];

static int parse(const char *line)
{
	memset(&o, 0xa5, sizeof(o));
	err[0] = '\0';
	return options_parse(&o, line, err, sizeof(err));
}

static void expect_error(const char *line, const char *text)
{
	assert_int_equal(parse(line), -EINVAL);
	assert_string_equal(err, text);
}

static void empty_line_gives_every_option_its_default(void **state)
{
	(void)state;
	assert_int_equal(parse(" \t "), 0);
	assert_int_equal(o.console, CONSOLE_COM1);
	assert_int_equal(o.dom0_mem_bytes, 0);
	assert_int_equal(o.dom0_max_vcpus, 0);
	assert_int_equal(o.max_cpus, 0);
	assert_int_equal(o.sched, 0);
	assert_int_equal(o.slice_us, 5000);
	assert_int_equal(o.log_level, 2);
	assert_int_equal(o.reboot, REBOOT_AUTO);
	assert_int_equal(o.audit, 0);
}

static void every_option_is_set(void **state)
{
	(void)state;
	assert_int_equal(
		parse("console=none dom0_mem=1G dom0_max_vcpus=2 maxcpus=3\tsched=bvt slice_us=0x100 loglvl=debug  reboot=yes audit=7"),
		0);
	assert_int_equal(o.console, CONSOLE_NONE);
	assert_int_equal(o.dom0_mem_bytes, 1UL << 30);
	assert_int_equal(o.dom0_max_vcpus, 2);
	assert_int_equal(o.max_cpus, 3);
	assert_int_equal(o.slice_us, 256);
	assert_int_equal(o.log_level, 3);
	assert_int_equal(o.reboot, REBOOT_YES);
	assert_int_equal(o.audit, 7);
}

static void sizes_take_units(void **state)
{
	static const struct {
		const char *line;
		u64 bytes;
	} rows[] = {
		{ "dom0_mem=64M", 64UL << 20 },
		{ "dom0_mem=65536K", 64UL << 20 },
		{ "dom0_mem=65536k", 64UL << 20 },
		{ "dom0_mem=67108864", 64UL << 20 },
		{ "dom0_mem=3g", 3UL << 30 },
		{ "dom0_mem=16384G", 16UL << 40 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(parse(rows[i].line), 0);
		assert_int_equal(o.dom0_mem_bytes, rows[i].bytes);
	}
}

static void last_one_wins(void **state)
{
	(void)state;
	assert_int_equal(parse("slice_us=100 slice_us=200"), 0);
	assert_int_equal(o.slice_us, 200);
	assert_int_equal(parse("reboot=yes noreboot"), 0);
	assert_int_equal(o.reboot, REBOOT_NO);
}

static void errors_name_option_value_and_limit(void **state)
{
	(void)state;
	expect_error("slice_us=5",
		     "option slice_us=5: below the least value 100");
	expect_error(
		"slice_us=1000001",
		"option slice_us=1000001: above the greatest value 1000000");
	expect_error("dom0_mem=65535K",
		     "option dom0_mem=65535K: below the least value 64M");
	expect_error("dom0_mem=1M2", "option dom0_mem=1M2: not a size");
	expect_error("dom0_mem=M", "option dom0_mem=M: not a size");
	expect_error("dom0_mem=", "option dom0_mem=: not a size");
	expect_error("maxcpus=0x", "option maxcpus=0x: not a number");
	expect_error("maxcpus=-1", "option maxcpus=-1: not a number");
	expect_error("maxcpus=65",
		     "option maxcpus=65: above the greatest value 64");
	expect_error("maxcpus=18446744073709551617",
		     "option maxcpus=18446744073709551617: not a number");
	expect_error("dom0_mem=18014398509481984K",
		     "option dom0_mem=18014398509481984K: not a size");
	expect_error("sched=credit", "option sched=credit: not one of bvt");
	expect_error("loglvl=inf",
		     "option loglvl=inf: not one of error|warn|info|debug");
	expect_error("console", "option console: needs a value");
	expect_error("slice_ms=5", "option slice_ms: unknown");
	expect_error("noconsole", "option noconsole: unknown");
	expect_error("no", "option no: unknown");
	expect_error("=5", "option : unknown");
}

static void long_words_are_cut_in_messages(void **state)
{
	char line[400];

	(void)state;
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	assert_int_equal(parse(line), -EINVAL);
	assert_true(strlen(err) < sizeof(err) - 1);
}

/* The manual has a row for every option with its default, limits and help,
 * and for nothing else. */
static void manual_agrees_with_the_table(void **state)
{
	static char page[16384];
	FILE *f = fopen(OPTIONS_PAGE, "r");
	size_t len, i, rows = 0;
	char *p;

	(void)state;
	assert_non_null(f);
	len = fread(page, 1, sizeof(page) - 1, f);
	fclose(f);
	page[len] = '\0';
	for (i = 0; i < option_count; i++) {
		const struct option *opt = &option_table[i];
		char row[64];

		snprintf(row, sizeof(row), "| `%s=` |", opt->name);
		p = strstr(page, row);
		if (!p)
			fail_msg("no row for %s", opt->name);
		assert_non_null(strstr(p, opt->initial_text));
		p = strstr(p, opt->help);
		if (!p)
			fail_msg("help of %s differs", opt->name);
	}
	for (p = page; (p = strstr(p, "\n| `")); p++)
		rows++;
	assert_int_equal(rows, option_count);
}

static void every_default_is_legal(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < option_count; i++) {
		const struct option *opt = &option_table[i];

		assert_true(opt->offset + sizeof(u64) <= sizeof(o));
		assert_true(opt->least <= opt->most);
		assert_true(opt->initial == 0 || (opt->initial >= opt->least &&
						  opt->initial <= opt->most));
		if (opt->kind == OPTION_CHOICE) {
			const char *p = opt->names;
			u64 names = 1;

			while ((p = strchr(p, '|'))) {
				names++;
				p++;
			}
			assert_int_equal(opt->most, names - 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_line_gives_every_option_its_default),
		cmocka_unit_test(every_option_is_set),
		cmocka_unit_test(sizes_take_units),
		cmocka_unit_test(last_one_wins),
		cmocka_unit_test(errors_name_option_value_and_limit),
		cmocka_unit_test(long_words_are_cut_in_messages),
		cmocka_unit_test(manual_agrees_with_the_table),
		cmocka_unit_test(every_default_is_legal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
