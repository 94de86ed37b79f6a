// SPDX-License-Identifier: Apache-2.0
/*
 * ACPI tables out of any bytes. Tables with wrong sums are skipped, so this
 * corrects the sum of whatever table is mapped: the reader must cope with
 * well-summed nonsense. The root pointer is the first 36 bytes.
 */
#include <stdlib.h>
#include <string.h>

#include <hv/acpi.h>

#include "../fake/boot_fakes.h"

#define BASE 0xe0000UL

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fake_memory memory;

static u8 sum_of(const u8 *p, u64 size)
{
	u8 sum = 0;

	while (size--)
		sum = (u8)(sum + *p++);
	return sum;
}

static const void *map_with_sum(void *ctx, u64 maddr, u64 size)
{
	u8 *p;

	(void)ctx;
	p = (u8 *)(uintptr_t)memory.view.map(&memory, maddr, size);
	/* Not for a look at the header only, nor for pointers. The header
	 * that was seen must stay, so the last byte makes up for the sum. */
	if (p && size > 36)
		p[size - 1] = (u8)(p[size - 1] - sum_of(p, size));
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine_view view = { map_with_sum, NULL };
	static struct acpi_info info;
	u8 rsdp[36];

	if (size < sizeof(rsdp))
		return 0;
	memcpy(rsdp, data, sizeof(rsdp));
	memcpy(rsdp, "RSD PTR ", 8);
	rsdp[8] = (u8)(rsdp[8] - sum_of(rsdp, 20));
	rsdp[32] = (u8)(rsdp[32] - sum_of(rsdp, 36));
	fake_memory_init(&memory, data + sizeof(rsdp), BASE,
			 size - sizeof(rsdp));
	acpi_read(&info, &view, rsdp, sizeof(rsdp));
	fake_memory_exit(&memory);
	if (!info.found || info.cpu_count > ACPI_CPUS_MAX ||
	    info.io_apic_count > ACPI_IO_APICS_MAX ||
	    info.override_count > ACPI_OVERRIDES_MAX ||
	    info.pci_segment_count > ACPI_PCI_SEGMENTS_MAX ||
	    info.poweroff_count > 2)
		abort();
	return 0;
}
