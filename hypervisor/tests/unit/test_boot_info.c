// SPDX-License-Identifier: Apache-2.0
/* Tests of boot/boot_info.c and boot/memory_map.c on a fake memory. */
#include <hv/boot_info.h>
#include <hv/errno.h>

#include "../fake/boot_fakes.h"
#include "boot_unit.h"

#define BASE 0x10000UL
#define SIZE 0x10000UL
#define MAP_AT 0x1000U
#define MODULES_AT 0x2000U
#define STRINGS_AT 0x3000U

static struct boot_info bi;
static char err[128];

/* Writes loader information at rising offsets of a fake memory. */
struct image {
	u8 bytes[SIZE];
	u32 at;
};

static struct image img;

static void put(u32 offset, const void *data, size_t size)
{
	assert_true(offset + size <= SIZE);
	memcpy(img.bytes + offset, data, size);
}

static void put32(u32 offset, u32 value)
{
	put(offset, &value, sizeof(value));
}

static void put64(u32 offset, u64 value)
{
	put(offset, &value, sizeof(value));
}

static int parse(u32 magic)
{
	struct fake_memory m;
	int rc;

	fake_memory_init(&m, img.bytes, BASE, SIZE);
	err[0] = '\0';
	rc = boot_info_parse(&bi, magic, BASE, &m.view, err, sizeof(err));
	fake_memory_exit(&m);
	return rc;
}

static int clear(void **state)
{
	(void)state;
	memset(&img, 0, sizeof(img));
	return 0;
}

/* ---- Multiboot 1 ---- */

static void mb1_map_entry(u64 start, u64 size, u32 type)
{
	u32 at = MAP_AT + img.at;

	put32(at, 20);
	put64(at + 4, start);
	put64(at + 12, size);
	put32(at + 20, type);
	img.at += 24;
	put32(0, 1U << 6);
	put32(44, img.at);
	put32(48, BASE + MAP_AT);
}

static void expect_range(u32 i, u64 start, u64 end, enum boot_range_type type)
{
	assert_true(i < bi.range_count);
	assert_int_equal(bi.ranges[i].start_maddr, start);
	assert_int_equal(bi.ranges[i].end_maddr, end);
	assert_int_equal(bi.ranges[i].type, type);
}

static void ram_is_rounded_inwards_and_the_rest_outwards(void **state)
{
	(void)state;
	mb1_map_entry(0, 0x9fc00, 1);
	mb1_map_entry(0x9fc00, 0x400, 2);
	mb1_map_entry(0x100000, 0x7fe0800, 1);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
	assert_int_equal(bi.range_count, 3);
	expect_range(0, 0, 0x9f000, BOOT_RANGE_RAM);
	expect_range(1, 0x9f000, 0xa0000, BOOT_RANGE_RESERVED);
	expect_range(2, 0x100000, 0x80e0000, BOOT_RANGE_RAM);
}

static void reserved_wins_inside_ram(void **state)
{
	(void)state;
	mb1_map_entry(0x200000, 0x1000, 2);
	mb1_map_entry(0x100000, 0x300000, 1);
	mb1_map_entry(0x300000, 0x1000, 3);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
	assert_int_equal(bi.range_count, 5);
	expect_range(0, 0x100000, 0x200000, BOOT_RANGE_RAM);
	expect_range(1, 0x200000, 0x201000, BOOT_RANGE_RESERVED);
	expect_range(2, 0x201000, 0x300000, BOOT_RANGE_RAM);
	expect_range(3, 0x300000, 0x301000, BOOT_RANGE_ACPI);
	expect_range(4, 0x301000, 0x400000, BOOT_RANGE_RAM);
}

static void touching_ranges_of_one_type_are_merged(void **state)
{
	(void)state;
	mb1_map_entry(0x300000, 0x100000, 1);
	mb1_map_entry(0x100000, 0x100000, 1);
	mb1_map_entry(0x200000, 0x100000, 1);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
	assert_int_equal(bi.range_count, 1);
	expect_range(0, 0x100000, 0x400000, BOOT_RANGE_RAM);
}

static void sparse_map_keeps_its_holes(void **state)
{
	(void)state;
	mb1_map_entry(0x8000000000, 0x40000000, 1);
	mb1_map_entry(0x100000, 0x40000000, 1);
	mb1_map_entry(~0UL - 0xfff, 0x1000, 1);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
	assert_int_equal(bi.range_count, 2);
	expect_range(1, 0x8000000000, 0x8040000000, BOOT_RANGE_RAM);
}

/* Any input: sorted, disjoint, aligned, and every page has the type of the
 * highest rank that covers it. */
static void random_maps_agree_with_a_page_by_page_model(void **state)
{
	unsigned int seed = 1;
	int round;

	(void)state;
	for (round = 0; round < 300; round++) {
		int model[64];
		u32 i, n = 2 + (u32)(rand_r(&seed) % 12);

		memset(&img, 0, sizeof(img));
		memset(model, -1, sizeof(model));
		for (i = 0; i < n; i++) {
			u64 start = (u64)(rand_r(&seed) % 60) * 0x800;
			u64 size = (u64)(rand_r(&seed) % 20) * 0x800;
			u32 type = 1 + (u32)(rand_r(&seed) % 3);
			int rank = type == 1   ? BOOT_RANGE_RAM
				   : type == 2 ? BOOT_RANGE_RESERVED
					       : BOOT_RANGE_ACPI;
			u64 page;

			mb1_map_entry(start, size, type);
			for (page = 0; page < 64; page++) {
				u64 lo = page * 0x1000, hi = lo + 0x1000;
				bool covers =
					type == 1 ? start <= lo &&
							    start + size >= hi
						  : size && start < hi &&
							    start + size > lo;

				if (covers && rank > model[page])
					model[page] = rank;
			}
		}
		mb1_map_entry(0x100000, 0x1000, 1);
		assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
		for (i = 0; i < bi.range_count; i++) {
			const struct boot_range *r = &bi.ranges[i];
			u64 page = r->start_maddr >> 12;

			assert_true(r->start_maddr < r->end_maddr);
			if (i)
				assert_true(r[-1].end_maddr <= r->start_maddr);
			for (; page < MIN(r->end_maddr >> 12, 64UL); page++) {
				assert_int_equal(model[page], (int)r->type);
				model[page] = -1;
			}
		}
		for (i = 0; i < 64; i++)
			assert_int_equal(model[i], -1);
	}
}

static void too_many_ranges_are_refused(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i <= BOOT_RANGES_MAX; i++)
		mb1_map_entry(i * 0x2000UL, 0x1000, 1);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), -EINVAL);
	assert_non_null(strstr(err, "128 ranges"));
}

static void exactly_the_greatest_number_of_ranges_fits(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < BOOT_RANGES_MAX; i++)
		mb1_map_entry(i * 0x2000UL, 0x1000, 1);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
	assert_int_equal(bi.range_count, BOOT_RANGES_MAX);
}

static void mb1_module(u32 i, u32 start, u32 end, const char *line)
{
	u32 string = STRINGS_AT + i * 0x1000;

	put32(MODULES_AT + i * 16, start);
	put32(MODULES_AT + i * 16 + 4, end);
	put32(MODULES_AT + i * 16 + 8, BASE + string);
	put(string, line, strlen(line) + 1);
	put32(20, i + 1);
	put32(24, BASE + MODULES_AT);
}

static void mb1_loader(const char *name, const char *line)
{
	put32(0, 1U << 2 | 1U << 3 | 1U << 6 | 1U << 9);
	put32(16, BASE + 0x800);
	put(0x800, line, strlen(line) + 1);
	put32(64, BASE + 0x700);
	put(0x700, name, strlen(name) + 1);
}

static void file_names_are_stripped_unless_the_loader_is_grub2(void **state)
{
	(void)state;
	mb1_map_entry(0x100000, 0x1000000, 1);
	mb1_module(0, 0x800000, 0x800005, "vmlinuz root=/dev/xvda  quiet");
	mb1_module(1, 0x900000, 0x900000, "initrd.img");
	mb1_loader("qemu", "xeno.elf loglvl=debug");
	assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
	assert_string_equal(bi.command_line, "loglvl=debug");
	assert_int_equal(bi.module_count, 2);
	assert_int_equal(bi.modules[0].start_maddr, 0x800000);
	assert_int_equal(bi.modules[0].size_bytes, 5);
	assert_string_equal(bi.modules[0].line, "root=/dev/xvda  quiet");
	assert_int_equal(bi.modules[1].size_bytes, 0);
	assert_string_equal(bi.modules[1].line, "");

	mb1_loader("GRUB 2.06-13", "loglvl=debug");
	assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
	assert_string_equal(bi.command_line, "loglvl=debug");
	assert_string_equal(bi.modules[1].line, "initrd.img");

	mb1_loader("GRUB 0.97", "/boot/xeno loglvl=debug");
	assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
	assert_string_equal(bi.command_line, "loglvl=debug");
}

static void module_that_ends_before_it_starts_is_refused(void **state)
{
	(void)state;
	mb1_map_entry(0x100000, 0x1000000, 1);
	mb1_module(0, 0x800000, 0x7fffff, "k");
	mb1_loader("qemu", "x");
	assert_int_equal(parse(MULTIBOOT1_MAGIC), -EINVAL);
	assert_non_null(strstr(err, "module 0"));
}

static void ninth_module_is_refused(void **state)
{
	u32 i;

	(void)state;
	mb1_map_entry(0x100000, 0x1000000, 1);
	for (i = 0; i < 9; i++)
		mb1_module(i, 0x800000, 0x900000, "k");
	mb1_loader("qemu", "x");
	assert_int_equal(parse(MULTIBOOT1_MAGIC), -EINVAL);
	assert_non_null(strstr(err, "more than 8 modules"));
	put32(20, 8);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
}

static void too_long_command_line_is_refused_not_cut(void **state)
{
	char line[BOOT_COMMAND_LINE_BYTES + 1];

	(void)state;
	memset(line, 'a', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	mb1_map_entry(0x100000, 0x1000000, 1);
	mb1_loader("GRUB 2.06", "");
	put32(16, BASE + 0x4800);
	put(0x4800, line, sizeof(line));
	put32(0, 1U << 2 | 1U << 6 | 1U << 9);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), -EINVAL);
	assert_non_null(strstr(err, "longer than 2047"));
	img.bytes[0x4800 + BOOT_COMMAND_LINE_BYTES - 1] = '\0';
	assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
	assert_int_equal(strlen(bi.command_line), 2047);
}

static void sizes_stand_in_for_a_missing_map(void **state)
{
	(void)state;
	put32(0, 1);
	put32(4, 639);
	put32(8, 0x10000);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), 0);
	expect_range(0, 0, 0x9f000, BOOT_RANGE_RAM);
	expect_range(1, 0x100000, 0x4100000, BOOT_RANGE_RAM);
}

static void bad_information_is_named(void **state)
{
	(void)state;
	assert_int_equal(parse(0x12345678), -EINVAL);
	assert_non_null(strstr(err, "12345678"));
	assert_int_equal(parse(MULTIBOOT1_MAGIC), -EINVAL);
	assert_non_null(strstr(err, "no memory map"));
	mb1_map_entry(0, 0x100000, 2);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), -EINVAL);
	assert_non_null(strstr(err, "no RAM"));
	put32(MAP_AT, 0xffffffff);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), -EINVAL);
	put32(48, BASE + SIZE - 8);
	assert_int_equal(parse(MULTIBOOT1_MAGIC), -EINVAL);
	assert_non_null(strstr(err, "out of reach"));
}

/* ---- Multiboot 2 ---- */

static u32 mb2_tag(u32 type, u32 payload)
{
	u32 at = img.at ? img.at : 8;

	put32(at, type);
	put32(at + 4, payload + 8);
	img.at = at + (u32)ALIGN_UP((u64)payload + 8, 8);
	put32(0, img.at);
	return at + 8;
}

static void mb2_ram(void)
{
	u32 at = mb2_tag(6, 8 + 48);

	put32(at, 24);
	put64(at + 8, 0x100000);
	put64(at + 16, 0x1000000);
	put32(at + 24, 1);
	put64(at + 32, 0xfd000000);
	put64(at + 40, 0x1000);
	put32(at + 48, 2);
}

static void multiboot2_tags_are_read(void **state)
{
	u32 at;

	(void)state;
	put(mb2_tag(1, 12), "loglvl=warn", 12);
	put(mb2_tag(2, 10), "GRUB 2.06", 10);
	at = mb2_tag(3, 8 + 6);
	put32(at, 0x2000000);
	put32(at + 4, 0x2100000);
	put(at + 8, "quiet", 6);
	mb2_ram();
	put(mb2_tag(14, 20), "RSD PTR old.........", 20);
	put(mb2_tag(15, 36), "RSD PTR new.........................", 36);
	mb2_tag(0, 0);
	assert_int_equal(parse(MULTIBOOT2_MAGIC), 0);
	assert_string_equal(bi.command_line, "loglvl=warn");
	assert_string_equal(bi.loader_name, "GRUB 2.06");
	assert_int_equal(bi.module_count, 1);
	assert_int_equal(bi.modules[0].size_bytes, 0x100000);
	assert_string_equal(bi.modules[0].line, "quiet");
	assert_int_equal(bi.range_count, 2);
	expect_range(1, 0xfd000000, 0xfd001000, BOOT_RANGE_RESERVED);
	assert_int_equal(bi.rsdp_bytes, 36);
	assert_memory_equal(bi.rsdp, "RSD PTR new", 11);
}

static void tag_beyond_the_information_is_refused(void **state)
{
	u32 at;

	(void)state;
	mb2_ram();
	at = mb2_tag(1, 8);
	put32(at - 4, 0x1000);
	assert_int_equal(parse(MULTIBOOT2_MAGIC), -EINVAL);
	put32(at - 4, 7);
	assert_int_equal(parse(MULTIBOOT2_MAGIC), -EINVAL);
}

static void string_without_end_in_its_tag_is_refused(void **state)
{
	(void)state;
	mb2_ram();
	put(mb2_tag(1, 4), "abcd", 4);
	mb2_tag(0, 0);
	assert_int_equal(parse(MULTIBOOT2_MAGIC), -EINVAL);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, clear)
	const struct CMUnitTest tests[] = {
		TEST(ram_is_rounded_inwards_and_the_rest_outwards),
		TEST(reserved_wins_inside_ram),
		TEST(touching_ranges_of_one_type_are_merged),
		TEST(sparse_map_keeps_its_holes),
		TEST(random_maps_agree_with_a_page_by_page_model),
		TEST(too_many_ranges_are_refused),
		TEST(exactly_the_greatest_number_of_ranges_fits),
		TEST(file_names_are_stripped_unless_the_loader_is_grub2),
		TEST(module_that_ends_before_it_starts_is_refused),
		TEST(ninth_module_is_refused),
		TEST(too_long_command_line_is_refused_not_cut),
		TEST(sizes_stand_in_for_a_missing_map),
		TEST(bad_information_is_named),
		TEST(multiboot2_tags_are_read),
		TEST(tag_beyond_the_information_is_refused),
		TEST(string_without_end_in_its_tag_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
