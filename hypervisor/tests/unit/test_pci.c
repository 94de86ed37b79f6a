// SPDX-License-Identifier: Apache-2.0
/* PCI: what is found, by both ways of access, and what cannot be believed. */
#include <string.h>

#include <hv/drivers.h>
#include <hv/errno.h>

#include "../../drivers/pci.h"
#include "../fake/virtio_device.h"
#include "check.h"

static struct pci_function seen[16];
static unsigned int seen_count;

static void note(const struct pci_function *f)
{
	assert_true(seen_count < 16);
	seen[seen_count++] = *f;
}

static int setup(void **state)
{
	(void)state;
	fake_start();
	seen_count = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fake_stop();
	return 0;
}

static const struct pci_window window = { FAKE_ECAM_MADDR, 0, 0, 255 };

static struct fake_function *add_bridge(u8 bus, u8 devfn, u8 secondary)
{
	struct fake_function *f = fake_function_add(bus, devfn, 0x8086, 1);

	f->space[PCI_HEADER_TYPE] = 1;
	f->space[PCI_SECONDARY_BUS] = secondary;
	return f;
}

static void add_tree(void)
{
	fake_function_add(0, 0, 0x8086, 0x1237);
	fake_function_add(0, 1 << 3, 0x8086, 2)->space[PCI_HEADER_TYPE] = 0x80;
	fake_function_add(0, 1 << 3 | 5, 0x8086, 3);
	/* No function 0 said that there are more. */
	fake_function_add(0, 2 << 3, 0x8086, 4);
	fake_function_add(0, 2 << 3 | 1, 0x8086, 5);
	add_bridge(0, 31 << 3, 7);
	fake_function_add(7, 3 << 3, 0x1af4, 6);
}

static void check_tree(void)
{
	static const u16 devices[] = { 0x1237, 2, 3, 4, 6 };

	assert_int_equal(seen_count, 5);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(seen[i].device, devices[i]);
	assert_int_equal(seen[2].devfn, 1 << 3 | 5);
	assert_int_equal(seen[4].bus, 7);
}

static void functions_are_found_through_memory(void **state)
{
	(void)state;
	add_tree();
	pci_scan(&window, 1, note);
	check_tree();
	assert_non_null(seen[0].ecam);
}

static void functions_are_found_through_ports(void **state)
{
	char name[PCI_NAME_BYTES];

	(void)state;
	add_tree();
	pci_scan(NULL, 0, note);
	check_tree();
	assert_null(seen[0].ecam);
	pci_name(&seen[4], name);
	assert_string_equal(name, "07:03.0");
}

static void bridges_in_a_circle_end(void **state)
{
	(void)state;
	add_bridge(0, 0, 1);
	add_bridge(1, 0, 2);
	add_bridge(2, 0, 0);
	add_bridge(2, 8, 1);
	fake_function_add(2, 16, 0x8086, 9);
	pci_scan(&window, 1, note);
	assert_int_equal(seen_count, 1);
}

static void buses_beyond_the_window_are_left_alone(void **state)
{
	static const struct pci_window small = { FAKE_ECAM_MADDR, 0, 0, 3 };

	(void)state;
	add_bridge(0, 0, 4);
	fake_function_add(4, 0, 0x8086, 9);
	pci_scan(&small, 1, note);
	assert_int_equal(seen_count, 0);
}

static void bars_have_their_sizes_and_keep_their_addresses(void **state)
{
	struct fake_function *d = fake_function_add(0, 0, 1, 1);

	(void)state;
	d->bar_bytes[0] = 0x20;
	fake_put32(d->space + 0x10, 0xc001);
	d->bar_bytes[1] = 0x1000;
	fake_put32(d->space + 0x14, 0xfebd1000);
	d->bar_bytes[2] = 0x400000;
	fake_put32(d->space + 0x18, 0x0040000cU);
	fake_put32(d->space + 0x1c, 0x80);
	d->bar_bytes[4] = 0x400000000;
	fake_put32(d->space + 0x20, 0x4);
	fake_put32(d->space + 0x24, 0x80);
	fake_put16(d->space + PCI_COMMAND, 3);
	for (int by_ports = 0; by_ports < 2; by_ports++) {
		struct pci_function *f = &seen[0];

		seen_count = 0;
		pci_scan(by_ports ? NULL : &window, by_ports ? 0 : 1, note);
		pci_read_bars(f);
		assert_int_equal(f->bars[0].bytes, 0);
		assert_int_equal(f->bars[1].maddr, 0xfebd1000);
		assert_int_equal(f->bars[1].bytes, 0x1000);
		assert_int_equal(f->bars[2].maddr, 0x8000400000);
		assert_int_equal(f->bars[2].bytes, 0x400000);
		assert_int_equal(f->bars[3].bytes, 0);
		assert_int_equal(f->bars[4].maddr, 0x8000000000);
		assert_int_equal(f->bars[4].bytes, 0x400000000);
		assert_int_equal(pci_read(f, PCI_BAR(1), 4), 0xfebd1000);
		assert_int_equal(pci_read(f, PCI_BAR(3), 4), 0x80);
		assert_int_equal(pci_read(f, PCI_COMMAND, 2), 3);
		/* Nothing beyond a BAR is mapped, whatever the arithmetic. */
		assert_non_null(pci_map(f, 1, 0xff0, 16));
		assert_null(pci_map(f, 1, 0xff0, 17));
		assert_null(pci_map(f, 1, 0x1001, 0));
		assert_null(pci_map(f, 1, 8, ~0UL - 4));
		assert_null(pci_map(f, 0, 0, 1));
		assert_null(pci_map(f, 7, 0, 1));
	}
}

static void capability_lists_end(void **state)
{
	struct fake_function *d = fake_function_add(0, 0, 1, 1);
	struct pci_function *f = &seen[0];

	(void)state;
	pci_scan(NULL, 0, note);
	d->space[PCI_CAPABILITIES] = 0x50;
	d->space[0x50] = 9;
	/* Not present, whatever the pointer says. */
	assert_int_equal(pci_find_capability(f, 9, 0), 0);
	d->space[PCI_STATUS] = 0x10;
	assert_int_equal(pci_find_capability(f, 9, 0), 0x50);
	/* A circle. */
	d->space[0x51] = 0x60;
	d->space[0x60] = 5;
	d->space[0x61] = 0x50;
	assert_int_equal(pci_find_capability(f, 0x11, 0), 0);
	/* Into the header. */
	d->space[0x61] = 0x10;
	assert_int_equal(pci_find_capability(f, 0x11, 0), 0);
	/* The reserved low bits do not count. */
	d->space[PCI_CAPABILITIES] = 0x53;
	assert_int_equal(pci_find_capability(f, 9, 0), 0x50);
}

static void a_write_of_the_command_keeps_the_status(void **state)
{
	struct fake_function *d = fake_function_add(0, 0, 1, 1);

	(void)state;
	pci_scan(NULL, 0, note);
	fake_put16(d->space + PCI_STATUS, 0xf910);
	pci_write(&seen[0], PCI_COMMAND, 2, 6);
	/* Ones would have cleared what they stand for. */
	assert_int_equal(pci_read(&seen[0], PCI_STATUS, 2), 0xf910);
	assert_int_equal(pci_read(&seen[0], PCI_COMMAND, 2), 6);
}

static void messages_are_masked_until_routed(void **state)
{
	struct fake_function *d = fake_virtio_add(0, 0, 0x1042, 0);
	struct pci_function *f = &seen[0];

	(void)state;
	memset(d->msix, 0, sizeof(d->msix));
	pci_scan(&window, 1, note);
	pci_read_bars(f);
	assert_int_equal(pci_msix_enable(f), 0);
	assert_int_equal(f->msix_count, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(d->msix[i * 16 + 12], 1);
	assert_int_equal(d->space[FAKE_CAP_MSIX + 3] & 0xc0, 0x80);
	assert_int_equal(pci_msix_route(f, 1, 1, NULL, NULL), 0);
	assert_int_equal(d->msix[16 + 12], 0);
	assert_int_equal(d->msix[16 + 1], 0x10);
	assert_int_equal(d->msix[12], 1);
	assert_int_equal(pci_msix_route(f, 3, 1, NULL, NULL), -EINVAL);
	/* A table that reaches beyond its BAR. */
	fake_put32(d->space + FAKE_CAP_MSIX + 4, 1 | 0xff0);
	assert_int_equal(pci_msix_enable(f), -ENODEV);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(functions_are_found_through_memory),
		TEST(functions_are_found_through_ports),
		TEST(bridges_in_a_circle_end),
		TEST(buses_beyond_the_window_are_left_alone),
		TEST(bars_have_their_sizes_and_keep_their_addresses),
		TEST(capability_lists_end),
		TEST(a_write_of_the_command_keeps_the_status),
		TEST(messages_are_masked_until_routed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
