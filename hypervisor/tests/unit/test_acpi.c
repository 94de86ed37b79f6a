// SPDX-License-Identifier: Apache-2.0
/* Tests of boot/acpi.c and boot/acpi_tables.c on a fake memory below 1 MiB. */
#include <hv/acpi.h>

#include "../fake/boot_fakes.h"
#include "boot_unit.h"

#define SIZE 0x100000U
#define EBDA 0x9fc00U
#define BIOS 0xe0000U
#define RSDT_AT 0x10000U
#define XSDT_AT 0x11000U
#define MADT_AT 0x12000U
#define FADT_AT 0x13000U
#define DSDT_AT 0x14000U
#define MCFG_AT 0x15000U

static u8 mem[SIZE];
static struct acpi_info info;

static void put(u32 at, u64 value, u32 bytes)
{
	assert_true(at + bytes <= SIZE);
	memcpy(mem + at, &value, bytes);
}

static void fix_sum(u32 start, u32 size, u32 at)
{
	u8 sum = 0;
	u32 i;

	mem[at] = 0;
	for (i = 0; i < size; i++)
		sum = (u8)(sum + mem[start + i]);
	mem[at] = (u8)-sum;
}

static void finish_table(u32 at, const char *signature, u32 size)
{
	memcpy(mem + at, signature, 4);
	put(at + 4, size, 4);
	fix_sum(at, size, at + 9);
}

static void make_rsdp(u32 at, u8 revision)
{
	memcpy(mem + at, "RSD PTR ", 8);
	mem[at + 15] = revision;
	put(at + 16, RSDT_AT, 4);
	fix_sum(at, 20, at + 8);
	if (revision >= 2) {
		put(at + 20, 36, 4);
		put(at + 24, XSDT_AT, 8);
		fix_sum(at, 36, at + 32);
	}
}

static void make_lists(void)
{
	put(RSDT_AT + 36, FADT_AT, 4);
	put(RSDT_AT + 40, MADT_AT, 4);
	finish_table(RSDT_AT, "RSDT", 44);
	put(XSDT_AT + 36, FADT_AT, 8);
	put(XSDT_AT + 44, MADT_AT, 8);
	put(XSDT_AT + 52, MCFG_AT, 8);
	finish_table(XSDT_AT, "XSDT", 60);
}

static u32 madt_end;

static void madt_record(u8 type, u8 size, const void *rest)
{
	mem[madt_end] = type;
	mem[madt_end + 1] = size;
	memcpy(mem + madt_end + 2, rest, size - 2U);
	madt_end += size;
	finish_table(MADT_AT, "APIC", madt_end - MADT_AT);
}

static void madt_cpu(u8 apic_id, u8 enabled)
{
	u8 r[6] = { 0, apic_id, enabled };

	madt_record(0, 8, r);
}

static void make_madt(void)
{
	put(MADT_AT + 36, 0xfee00000, 4);
	put(MADT_AT + 40, 1, 4);
	madt_end = MADT_AT + 44;
	finish_table(MADT_AT, "APIC", 44);
	madt_cpu(0, 1);
	madt_cpu(1, 0);
	madt_cpu(5, 1);
	madt_record(1, 12, "\x02\x00\x00\x00\xc0\xfe\x10\x00\x00");
	madt_record(2, 10, "\x00\x00\x02\x00\x00\x00\x05\x00");
}

static void make_fadt(void)
{
	static const u8 s5[] = { 0x08, '_',  'S',  '5',  '_',  0x12, 0x06,
				 0x04, 0x0a, 0x05, 0x0a, 0x06, 0,    0 };

	put(FADT_AT + 40, DSDT_AT, 4);
	put(FADT_AT + 64, 0x604, 4);
	put(FADT_AT + 68, 0x704, 4);
	put(FADT_AT + 76, 0x608, 4);
	put(FADT_AT + 112, 1U << 10, 4);
	put(FADT_AT + 116, 1, 1);
	put(FADT_AT + 120, 0xcf9, 8);
	put(FADT_AT + 128, 0x0f, 1);
	finish_table(FADT_AT, "FACP", 244);
	memcpy(mem + DSDT_AT + 100, s5, sizeof(s5));
	finish_table(DSDT_AT, "DSDT", 200);
}

static void make_mcfg(void)
{
	put(MCFG_AT + 44, 0xb0000000, 8);
	put(MCFG_AT + 52, 1, 2);
	put(MCFG_AT + 54, 0, 1);
	put(MCFG_AT + 55, 255, 1);
	finish_table(MCFG_AT, "MCFG", 60);
}

static int make_all(void **state)
{
	(void)state;
	memset(mem, 0, sizeof(mem));
	put(0x40e, EBDA >> 4, 2);
	make_rsdp(BIOS + 0x4560, 2);
	make_lists();
	make_madt();
	make_fadt();
	make_mcfg();
	return 0;
}

static void read_with(const u8 *rsdp, u32 bytes)
{
	struct fake_memory m;

	fake_memory_init(&m, mem, 0, SIZE);
	acpi_read(&info, &m.view, rsdp, bytes);
	fake_memory_exit(&m);
}

static void read_all(void)
{
	read_with(NULL, 0);
}

static void everything_is_found_from_the_bios_area(void **state)
{
	(void)state;
	read_all();
	assert_true(info.found);
	assert_int_equal(info.cpu_count, 2);
	assert_int_equal(info.apic_ids[0], 0);
	assert_int_equal(info.apic_ids[1], 5);
	assert_int_equal(info.local_apic_maddr, 0xfee00000);
	assert_true(info.has_legacy_pic);
	assert_int_equal(info.io_apic_count, 1);
	assert_int_equal(info.io_apics[0].id, 2);
	assert_int_equal(info.io_apics[0].maddr, 0xfec00000);
	assert_int_equal(info.io_apics[0].gsi_base, 16);
	assert_int_equal(info.override_count, 1);
	assert_int_equal(info.overrides[0].irq, 0);
	assert_int_equal(info.overrides[0].gsi, 2);
	assert_int_equal(info.overrides[0].flags, 5);
	assert_int_equal(info.pci_segment_count, 1);
	assert_int_equal(info.pci_segments[0].maddr, 0xb0000000);
	assert_int_equal(info.pci_segments[0].segment, 1);
	assert_int_equal(info.pci_segments[0].last_bus, 255);
	assert_int_equal(info.pm_timer_port, 0x608);
	assert_true(info.has_reset);
	assert_int_equal(info.reset.space, 1);
	assert_int_equal(info.reset.address, 0xcf9);
	assert_int_equal(info.reset.value, 0x0f);
	assert_int_equal(info.poweroff_count, 2);
	assert_int_equal(info.poweroff[0].port, 0x604);
	assert_int_equal(info.poweroff[0].value, 5 << 10 | 1 << 13);
	assert_int_equal(info.poweroff[1].port, 0x704);
	assert_int_equal(info.poweroff[1].value, 6 << 10 | 1 << 13);
}

static void pointer_is_found_in_the_ebda_or_taken_from_the_loader(void **state)
{
	u8 copy[36];

	(void)state;
	memcpy(copy, mem + BIOS + 0x4560, sizeof(copy));
	memset(mem + BIOS + 0x4560, 0, 36);
	read_all();
	assert_false(info.found);
	assert_int_equal(info.cpu_count, 0);
	read_with(copy, sizeof(copy));
	assert_true(info.found);
	assert_int_equal(info.pci_segment_count, 1);
	/* Old and at the very end of the EBDA: only the RSDT. */
	make_rsdp(EBDA + 0x3e0, 0);
	read_all();
	assert_true(info.found);
	assert_int_equal(info.cpu_count, 2);
	assert_int_equal(info.pci_segment_count, 0);
}

static void damaged_loader_copy_falls_back_to_the_search(void **state)
{
	u8 copy[36];

	(void)state;
	memcpy(copy, mem + BIOS + 0x4560, sizeof(copy));
	copy[9] ^= 1;
	read_with(copy, sizeof(copy));
	assert_true(info.found);
	read_with(copy, 12);
	assert_true(info.found);
}

static void table_with_a_wrong_sum_is_skipped(void **state)
{
	(void)state;
	mem[MADT_AT + 20] ^= 1;
	read_all();
	assert_int_equal(info.cpu_count, 0);
	assert_int_equal(info.pci_segment_count, 1);
	mem[XSDT_AT + 20] ^= 1; /* then the RSDT serves */
	read_all();
	assert_int_equal(info.pci_segment_count, 0);
	assert_true(info.has_reset);
}

static void record_of_no_length_ends_the_madt(void **state)
{
	(void)state;
	mem[madt_end] = 0;
	mem[madt_end + 1] = 0;
	madt_end += 2;
	madt_cpu(7, 1);
	read_all();
	assert_int_equal(info.cpu_count, 2);
}

static void cpu_of_both_kinds_counts_once(void **state)
{
	(void)state;
	madt_record(9, 16, "\0\0\x05\0\0\0\x01\0\0\0\0\0\0");
	madt_record(9, 16, "\0\0\x00\x01\0\0\x01\0\0\0\0\0\0");
	read_all();
	assert_int_equal(info.cpu_count, 3);
	assert_int_equal(info.apic_ids[2], 256);
}

static void cpus_beyond_the_limit_are_counted(void **state)
{
	u8 i;

	(void)state;
	for (i = 6; i < 6 + 70; i++)
		madt_cpu(i, 1);
	read_all();
	assert_int_equal(info.cpu_count, 64);
	assert_int_equal(info.cpus_ignored, 8);
}

static void sleep_types_have_many_spellings(void **state)
{
	static const struct {
		u8 aml[12];
		bool found;
		u8 a, b;
	} rows[] = {
		{ { 0x08, '_', 'S', '5', '_', 0x12, 6, 4, 0, 0 }, true, 0, 0 },
		{ { 0x08, '_', 'S', '5', '_', 0x12, 6, 4, 1, 0x0a, 7 },
		  true,
		  1,
		  7 },
		{ { 0x5c, '_', 'S', '5', '_', 0x12, 6, 4, 1, 1 }, true, 1, 1 },
		{ { 0x08, '_', 'S', '5', '_', 0x12, 0x46, 0, 4, 1, 0 },
		  true,
		  1,
		  0 },
		{ { 0x08, '_', 'S', '5', '_', 0x12, 6, 1, 0x0a, 5, 0xff },
		  true,
		  5,
		  5 },
		{ { 0x08, '_', 'S', '5', '_', 0x12, 6, 4, 0x0a, 8, 0 },
		  false,
		  0,
		  0 },
		{ { 0x08, '_', 'S', '5', '_', 0x11, 6, 4, 0, 0 }, false, 0, 0 },
		{ { 0x14, '_', 'S', '5', '_', 0x12, 6, 4, 0, 0 }, false, 0, 0 },
		{ { 0x08, '_', 'S', '4', '_', 0x12, 6, 4, 0, 0 }, false, 0, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(mem + DSDT_AT + 36, 0, 164);
		mem[DSDT_AT + 99] = 0x08; /* before a root prefix */
		memcpy(mem + DSDT_AT + 100, rows[i].aml, 12);
		finish_table(DSDT_AT, "DSDT", 200);
		read_all();
		if (!rows[i].found) {
			assert_int_equal(info.poweroff_count, 0);
			continue;
		}
		assert_int_equal(info.poweroff_count, 2);
		assert_int_equal(info.poweroff[0].value,
				 rows[i].a << 10 | 1 << 13);
		assert_int_equal(info.poweroff[1].value,
				 rows[i].b << 10 | 1 << 13);
	}
}

/* The table ends at every place within the package: no read beyond it, and
 * one element is enough. */
static void name_at_the_end_of_the_dsdt_is_cut_safely(void **state)
{
	u32 size;

	(void)state;
	for (size = 100; size <= 112; size++) {
		finish_table(DSDT_AT, "DSDT", size);
		read_all();
		assert_int_equal(info.poweroff_count, size >= 110 ? 2 : 0);
	}
}

static void short_fadt_gives_what_it_has(void **state)
{
	(void)state;
	finish_table(FADT_AT, "FACP", 116);
	read_all();
	assert_int_equal(info.poweroff_count, 2);
	assert_int_equal(info.reset.address, 0);
	put(FADT_AT + 68, 0, 4);
	finish_table(FADT_AT, "FACP", 68);
	read_all();
	assert_false(info.has_reset);
	assert_int_equal(info.poweroff_count, 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, make_all)
	const struct CMUnitTest tests[] = {
		TEST(everything_is_found_from_the_bios_area),
		TEST(pointer_is_found_in_the_ebda_or_taken_from_the_loader),
		TEST(damaged_loader_copy_falls_back_to_the_search),
		TEST(table_with_a_wrong_sum_is_skipped),
		TEST(record_of_no_length_ends_the_madt),
		TEST(cpu_of_both_kinds_counts_once),
		TEST(cpus_beyond_the_limit_are_counted),
		TEST(sleep_types_have_many_spellings),
		TEST(name_at_the_end_of_the_dsdt_is_cut_safely),
		TEST(short_fadt_gives_what_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
