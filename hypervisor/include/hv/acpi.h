/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few facts that we take from ACPI tables: processors and interrupt
 * controllers, how to power off and reset, where PCI configuration space is.
 * No AML is interpreted.
 */
#ifndef HV_ACPI_H
#define HV_ACPI_H

#include <hv/machine_view.h>
#include <hv/types.h>

#define ACPI_CPUS_MAX 64
#define ACPI_IO_APICS_MAX 16
#define ACPI_OVERRIDES_MAX 32
#define ACPI_PCI_SEGMENTS_MAX 4

struct acpi_io_apic {
	u64 maddr;
	u32 id, gsi_base;
};

/* ISA interrupt `irq` arrives as global interrupt `gsi`. */
struct acpi_override {
	u32 gsi;
	u16 flags; /* bits 0-1 polarity, 2-3 trigger mode, as in the MADT */
	u8 irq;
};

struct acpi_pci_segment {
	u64 maddr; /* of bus 0 */
	u16 segment;
	u8 first_bus, last_bus;
};

struct acpi_reset {
	u8 space; /* 0: memory, 1: port, 2: PCI configuration */
	u8 value;
	u64 address;
};

struct acpi_info {
	bool found;       /* false: no valid root pointer, everything else 0 */
	u32 cpu_count;    /* enabled ones, boot CPU among them */
	u32 cpus_ignored; /* enabled ones beyond ACPI_CPUS_MAX */
	u32 apic_ids[ACPI_CPUS_MAX];
	u64 local_apic_maddr;
	bool has_legacy_pic;
	struct acpi_io_apic io_apics[ACPI_IO_APICS_MAX];
	u32 io_apic_count;
	struct acpi_override overrides[ACPI_OVERRIDES_MAX];
	u32 override_count;
	struct acpi_pci_segment pci_segments[ACPI_PCI_SEGMENTS_MAX];
	u32 pci_segment_count;
	u16 pm_timer_port; /* 0: none */
	bool has_reset;
	struct acpi_reset reset;
	/* Writes of 16 bits that power the machine off, in order. */
	struct {
		u16 port, value;
	} poweroff[2];
	u32 poweroff_count; /* 0: not known */
};

/* rsdp: the boot loader's copy of the root pointer (rsdp_bytes 0: search the
 * BIOS area). Damaged tables are skipped, never an error. */
void acpi_read(struct acpi_info *info, const struct machine_view *view,
	       const u8 *rsdp, u32 rsdp_bytes);

#endif
