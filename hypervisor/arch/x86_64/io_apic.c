/* SPDX-License-Identifier: Apache-2.0 */
/* The I/O APIC, as far as ISA interrupts (the serial line) need it. */
#include <hv/acpi.h>

#include <arch/internal.h>
#include <arch/x86.h>

#define REG_VERSION 1
#define REG_REDIRECT(i) (0x10 + 2 * (i))
#define ENTRY_MASKED 0x10000
#define ENTRY_ACTIVE_LOW 0x2000
#define ENTRY_LEVEL 0x8000

static volatile u32 *io_apic;
static u32 gsi_base, gsi_count;
static const struct acpi_info *acpi_tables;

static void write_reg(u32 reg, u32 value)
{
	io_apic[0] = reg;
	io_apic[4] = value;
}

static u32 read_reg(u32 reg)
{
	io_apic[0] = reg;
	return io_apic[4];
}

void io_apic_init(const struct acpi_info *acpi)
{
	/* The 8259s are never used: mask all their lines. */
	outb(0x21, 0xff);
	outb(0xa1, 0xff);
	acpi_tables = acpi;
	if (!acpi->io_apic_count)
		return;
	io_apic = map_device(acpi->io_apics[0].maddr, PAGE_SIZE);
	gsi_base = acpi->io_apics[0].gsi_base;
	gsi_count = (read_reg(REG_VERSION) >> 16 & 0xff) + 1;
	for (u32 i = 0; i < gsi_count; i++)
		write_reg(REG_REDIRECT(i), ENTRY_MASKED);
}

/* To the boot CPU. ISA interrupts are edge triggered, active high, unless
 * the MADT overrides that. */
void io_apic_route_isa(unsigned int irq, u8 vector)
{
	u32 gsi = irq, entry = vector, pin;

	if (!io_apic)
		return;
	for (u32 i = 0; i < acpi_tables->override_count; i++) {
		const struct acpi_override *o = &acpi_tables->overrides[i];

		if (o->irq != irq)
			continue;
		gsi = o->gsi;
		if ((o->flags & 3) == 3)
			entry |= ENTRY_ACTIVE_LOW;
		if ((o->flags >> 2 & 3) == 3)
			entry |= ENTRY_LEVEL;
	}
	if (gsi < gsi_base || gsi - gsi_base >= gsi_count)
		return;
	pin = gsi - gsi_base;
	write_reg(REG_REDIRECT(pin) + 1, cpus[0]->apic_id << 24);
	write_reg(REG_REDIRECT(pin), entry);
}
