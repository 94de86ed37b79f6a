// SPDX-License-Identifier: Apache-2.0
/*
 * Readers of single ACPI tables. Fields are fetched by offset and width from
 * bytes that need not be aligned; a field beyond the table's end reads as 0.
 */
#include "acpi_tables.h"

#include <hv/string.h>

static u64 field(const struct acpi_table *t, u64 offset, u32 bytes)
{
	u64 value = 0;

	if (offset + bytes <= t->size)
		memcpy(&value, t->data + offset, bytes);
	return value;
}

/* ---- MADT: interrupt controllers ---- */

#define MADT_RECORDS 44
#define MADT_FLAG_PCAT 1U
#define MADT_CPU_ENABLED 1U

enum madt_record {
	MADT_LOCAL_APIC = 0,
	MADT_IO_APIC = 1,
	MADT_OVERRIDE = 2,
	MADT_LOCAL_APIC_ADDRESS = 5,
	MADT_LOCAL_X2APIC = 9,
};

static void add_cpu(struct acpi_info *info, u32 apic_id, u32 flags)
{
	u32 i;

	if (!(flags & MADT_CPU_ENABLED))
		return;
	/* A CPU may have a record of both kinds. */
	for (i = 0; i < info->cpu_count; i++)
		if (info->apic_ids[i] == apic_id)
			return;
	if (info->cpu_count == ACPI_CPUS_MAX) {
		info->cpus_ignored++;
		return;
	}
	info->apic_ids[info->cpu_count++] = apic_id;
}

static void add_io_apic(struct acpi_info *info, const struct acpi_table *t,
			u64 at)
{
	struct acpi_io_apic *a;

	if (info->io_apic_count == ACPI_IO_APICS_MAX)
		return;
	a = &info->io_apics[info->io_apic_count++];
	a->id = (u32)field(t, at + 2, 1);
	a->maddr = field(t, at + 4, 4);
	a->gsi_base = (u32)field(t, at + 8, 4);
}

static void add_override(struct acpi_info *info, const struct acpi_table *t,
			 u64 at)
{
	struct acpi_override *o;

	if (info->override_count == ACPI_OVERRIDES_MAX)
		return;
	o = &info->overrides[info->override_count++];
	o->irq = (u8)field(t, at + 3, 1);
	o->gsi = (u32)field(t, at + 4, 4);
	o->flags = (u16)field(t, at + 8, 2);
}

static void read_madt_record(struct acpi_info *info, const struct acpi_table *t,
			     u64 at, u32 type, u32 size)
{
	switch (type) {
	case MADT_LOCAL_APIC:
		if (size >= 8)
			add_cpu(info, (u32)field(t, at + 3, 1),
				(u32)field(t, at + 4, 4));
		break;
	case MADT_LOCAL_X2APIC:
		if (size >= 16)
			add_cpu(info, (u32)field(t, at + 4, 4),
				(u32)field(t, at + 8, 4));
		break;
	case MADT_IO_APIC:
		if (size >= 12)
			add_io_apic(info, t, at);
		break;
	case MADT_OVERRIDE:
		if (size >= 10)
			add_override(info, t, at);
		break;
	case MADT_LOCAL_APIC_ADDRESS:
		if (size >= 12)
			info->local_apic_maddr = field(t, at + 4, 8);
		break;
	default:
		break;
	}
}

void acpi_read_madt(struct acpi_info *info, const struct acpi_table *t)
{
	u64 at = MADT_RECORDS;

	if (info->local_apic_maddr)
		return; /* a second MADT */
	info->local_apic_maddr = field(t, 36, 4);
	info->has_legacy_pic = field(t, 40, 4) & MADT_FLAG_PCAT;
	while (at + 2 <= t->size) {
		u32 type = t->data[at];
		u32 size = t->data[at + 1];

		if (size < 2 || size > t->size - at)
			break;
		read_madt_record(info, t, at, type, size);
		at += size;
	}
}

/* ---- MCFG: PCI configuration space in memory ---- */

#define MCFG_RECORDS 44
#define MCFG_RECORD_BYTES 16

void acpi_read_mcfg(struct acpi_info *info, const struct acpi_table *t)
{
	u64 at;

	for (at = MCFG_RECORDS; at + MCFG_RECORD_BYTES <= t->size;
	     at += MCFG_RECORD_BYTES) {
		struct acpi_pci_segment *s;

		if (info->pci_segment_count == ACPI_PCI_SEGMENTS_MAX)
			return;
		s = &info->pci_segments[info->pci_segment_count++];
		s->maddr = field(t, at, 8);
		s->segment = (u16)field(t, at + 8, 2);
		s->first_bus = (u8)field(t, at + 10, 1);
		s->last_bus = (u8)field(t, at + 11, 1);
	}
}

/* ---- FADT and DSDT: power off and reset ---- */

#define FADT_DSDT 40
#define FADT_PM1A_CONTROL 64
#define FADT_PM1B_CONTROL 68
#define FADT_PM_TIMER 76
#define FADT_FLAGS 112
#define FADT_RESET_REGISTER                                                    \
	116 /* generic address: space, width, offset,                          \
	     * access size, address */
#define FADT_RESET_VALUE 128
#define FADT_X_DSDT 140
#define FADT_FLAG_RESET (1U << 10)

#define PM1_SLEEP_ENABLE (1U << 13)
#define PM1_SLEEP_TYPE_SHIFT 10

#define AML_ZERO 0x00
#define AML_ONE 0x01
#define AML_NAME 0x08
#define AML_BYTE 0x0a
#define AML_ROOT 0x5c
#define AML_PACKAGE 0x12

/* A small constant at *at, which moves behind it. */
static bool aml_constant(const struct acpi_table *t, u64 *at, u8 *value)
{
	if (*at >= t->size)
		return false;
	switch (t->data[*at]) {
	case AML_ZERO:
	case AML_ONE:
		*value = t->data[(*at)++];
		return true;
	case AML_BYTE:
		if (*at + 1 >= t->size)
			return false;
		*value = t->data[*at + 1];
		*at += 2;
		return true;
	default:
		return false;
	}
}

/*
 * Reads Name(\_S5_, Package(){ a, b, ... }) at the name: the sleep types for
 * the two PM1 control registers. The package's length takes 1 to 4 bytes, the
 * upper two bits of the first tell how many more.
 */
static bool read_s5(const struct acpi_table *t, u64 name, u8 types[2])
{
	u64 at = name + 4;
	bool named = t->data[name - 1] == AML_NAME ||
		     (t->data[name - 1] == AML_ROOT &&
		      t->data[name - 2] == AML_NAME);

	if (!named || at + 2 > t->size || t->data[at] != AML_PACKAGE)
		return false;
	at += 2 + (t->data[at + 1] >> 6) + 1; /* length, count of elements */
	if (!aml_constant(t, &at, &types[0]))
		return false;
	/* Firmware with one register may give one element. */
	if (!aml_constant(t, &at, &types[1]))
		types[1] = types[0];
	return types[0] < 8 && types[1] < 8;
}

static bool find_s5(const struct acpi_table *dsdt, u8 types[2])
{
	u64 at;

	for (at = sizeof(struct acpi_table_header) + 2; at + 4 <= dsdt->size;
	     at++)
		if (memcmp(dsdt->data + at, "_S5_", 4) == 0 &&
		    read_s5(dsdt, at, types))
			return true;
	return false;
}

static void add_poweroff(struct acpi_info *info, u64 port, u8 sleep_type)
{
	if (port == 0 || port > 0xffff)
		return;
	info->poweroff[info->poweroff_count].port = (u16)port;
	info->poweroff[info->poweroff_count].value =
		(u16)(sleep_type << PM1_SLEEP_TYPE_SHIFT | PM1_SLEEP_ENABLE);
	info->poweroff_count++;
}

void acpi_read_fadt(struct acpi_info *info, const struct machine_view *view,
		    const struct acpi_table *t)
{
	u64 pm1a = field(t, FADT_PM1A_CONTROL, 4);
	u64 pm1b = field(t, FADT_PM1B_CONTROL, 4);
	u64 dsdt_maddr = field(t, FADT_X_DSDT, 8);
	struct acpi_table dsdt;
	u8 types[2];

	if (info->poweroff_count)
		return; /* a second FADT */
	info->pm_timer_port = (u16)field(t, FADT_PM_TIMER, 4);
	if (field(t, FADT_FLAGS, 4) & FADT_FLAG_RESET) {
		info->has_reset = true;
		info->reset.space = (u8)field(t, FADT_RESET_REGISTER, 1);
		info->reset.address = field(t, FADT_RESET_REGISTER + 4, 8);
		info->reset.value = (u8)field(t, FADT_RESET_VALUE, 1);
	}
	if (!dsdt_maddr)
		dsdt_maddr = field(t, FADT_DSDT, 4);
	if (!acpi_map_table(view, dsdt_maddr, &dsdt) ||
	    memcmp(dsdt.signature, "DSDT", 4) != 0 || !find_s5(&dsdt, types))
		return;
	add_poweroff(info, pm1a, types[0]);
	add_poweroff(info, pm1b, types[1]);
}
