// SPDX-License-Identifier: Apache-2.0
/*
 * Configuration space and what is read from it (contract in pci.h). Buses are
 * followed through the bridges, as firmware has numbered them; each bus is
 * looked at once, whatever bridges say.
 */
#include "pci.h"

#include <hv/drivers.h>
#include <hv/errno.h>
#include <hv/format.h>
#include <hv/lock.h>
#include <hv/log.h>

#include <arch/device.h>

#define BUS_BYTES (1UL << 20)
#define FUNCTION_BYTES 4096UL
#define BUSES 256

#define HEADER_MULTI 0x80
#define HEADER_BRIDGE 1
#define STATUS_CAPABILITIES 0x10

#define BAR_IO 1U
#define BAR_TYPE_MASK 6U
#define BAR_TYPE_64 4U

#define CAPABILITIES_MAX 48
#define CAPABILITY_FIRST 0x40
#define CAPABILITY_LAST 0xfc

/* The ports are an address and a datum: one CPU at a time. */
static struct spinlock ports_lock = SPINLOCK_INIT(RANK_FRAMES + 1);

/* ---- registers ---- */

u32 pci_read(const struct pci_function *f, u16 reg, unsigned int bytes)
{
	u32 value;

	if (f->ecam) {
		switch (bytes) {
		case 1:
			return device_read8(f->ecam + reg);
		case 2:
			return device_read16(f->ecam + reg);
		default:
			return device_read32(f->ecam + reg);
		}
	}
	spin_lock(&ports_lock);
	value = pci_ports_read(f->bus, f->devfn, (u8)reg);
	spin_unlock(&ports_lock);
	value >>= (reg & 3U) * 8;
	return bytes == 4 ? value : value & ((1U << bytes * 8) - 1);
}

void pci_write(const struct pci_function *f, u16 reg, unsigned int bytes,
	       u32 value)
{
	unsigned int shift = (reg & 3U) * 8;
	u32 mask;

	if (f->ecam) {
		switch (bytes) {
		case 1:
			device_write8(f->ecam + reg, (u8)value);
			return;
		case 2:
			device_write16(f->ecam + reg, (u16)value);
			return;
		default:
			device_write32(f->ecam + reg, value);
			return;
		}
	}
	spin_lock(&ports_lock);
	if (bytes < 4) {
		mask = ((1U << bytes * 8) - 1) << shift;
		value = (pci_ports_read(f->bus, f->devfn, (u8)reg) & ~mask) |
			(value << shift & mask);
		/* Of the command's neighbour, the status, ones would clear
		 * what is set. */
		if ((reg & ~3U) == PCI_COMMAND)
			value &= mask;
	}
	pci_ports_write(f->bus, f->devfn, (u8)reg, value);
	spin_unlock(&ports_lock);
}

/* ---- finding functions ---- */

struct scan {
	u16 segment;
	u8 last_bus;
	u64 maddr; /* of bus 0's configuration; 0: by ports */
	u64 seen[BUSES / 64];
	u8 todo[BUSES]; /* buses that were seen but not looked at */
	unsigned int todo_count;
	void (*found)(const struct pci_function *f);
};

static void add_bus(struct scan *s, u8 bus)
{
	if (bus > s->last_bus || (s->seen[bus / 64] >> (bus % 64) & 1))
		return;
	s->seen[bus / 64] |= 1UL << (bus % 64);
	s->todo[s->todo_count++] = bus;
}

/* False: there is none. */
static bool scan_function(struct scan *s, struct pci_function *f)
{
	u8 type;

	f->vendor = (u16)pci_read(f, PCI_VENDOR, 2);
	if (f->vendor == 0xffff || f->vendor == 0)
		return false;
	f->device = (u16)pci_read(f, PCI_VENDOR + 2, 2);
	type = (u8)pci_read(f, PCI_HEADER_TYPE, 1) & 0x7f;
	if (type == HEADER_BRIDGE)
		add_bus(s, (u8)pci_read(f, PCI_SECONDARY_BUS, 1));
	else if (type == 0)
		s->found(f);
	return true;
}

static void scan_bus(struct scan *s, u8 bus)
{
	u8 *ecam = NULL;

	if (s->maddr) {
		ecam = device_map(s->maddr + bus * BUS_BYTES, BUS_BYTES);
		if (!ecam) {
			log_warn(
				"pci: configuration of bus %u cannot be mapped",
				bus);
			return;
		}
	}
	for (unsigned int devfn = 0; devfn < 256; devfn++) {
		struct pci_function f = {
			.segment = s->segment,
			.bus = bus,
			.devfn = (u8)devfn,
			.ecam = ecam ? ecam + devfn * FUNCTION_BYTES : NULL,
		};
		bool there = scan_function(s, &f);

		if (!(devfn & 7) &&
		    (!there ||
		     !(pci_read(&f, PCI_HEADER_TYPE, 1) & HEADER_MULTI)))
			devfn |= 7;
	}
}

static void scan_segment(struct scan *s, u8 first_bus)
{
	add_bus(s, first_bus);
	while (s->todo_count)
		scan_bus(s, s->todo[--s->todo_count]);
}

void pci_scan(const struct pci_window *windows, unsigned int window_count,
	      void (*found)(const struct pci_function *f))
{
	for (unsigned int i = 0; i < window_count; i++) {
		struct scan s = {
			.segment = windows[i].segment,
			.last_bus = windows[i].last_bus,
			.maddr = windows[i].maddr,
			.found = found,
		};

		scan_segment(&s, windows[i].first_bus);
	}
	if (!window_count) {
		struct scan s = { .last_bus = BUSES - 1, .found = found };

		scan_segment(&s, 0);
	}
}

void pci_name(const struct pci_function *f, char name[PCI_NAME_BYTES])
{
	if (f->segment)
		hv_snprintf(name, PCI_NAME_BYTES, "%x:%02x:%02x.%x", f->segment,
			    f->bus, f->devfn >> 3, f->devfn & 7U);
	else
		hv_snprintf(name, PCI_NAME_BYTES, "%02x:%02x.%x", f->bus,
			    f->devfn >> 3, f->devfn & 7U);
}

/* ---- memory ---- */

static u64 size_bar(const struct pci_function *f, unsigned int i, bool wide)
{
	u32 low = pci_read(f, PCI_BAR(i), 4), high = ~0U, high_was = 0;
	u64 mask;

	pci_write(f, PCI_BAR(i), 4, ~0U);
	mask = pci_read(f, PCI_BAR(i), 4) & ~15U;
	if (wide) {
		high_was = pci_read(f, PCI_BAR(i + 1), 4);
		pci_write(f, PCI_BAR(i + 1), 4, ~0U);
		high = pci_read(f, PCI_BAR(i + 1), 4);
		pci_write(f, PCI_BAR(i + 1), 4, high_was);
	}
	pci_write(f, PCI_BAR(i), 4, low);
	if (!mask && !wide)
		return 0;
	mask |= (u64)high << 32;
	/* The lowest bit that can be set. */
	return mask & -mask;
}

void pci_read_bars(struct pci_function *f)
{
	u32 command = pci_read(f, PCI_COMMAND, 2);

	/* While sizes are asked for it must not answer there. */
	pci_write(f, PCI_COMMAND, 2, command & ~3U);
	for (unsigned int i = 0; i < PCI_BARS; i++) {
		u32 low = pci_read(f, PCI_BAR(i), 4);
		bool wide = (low & BAR_TYPE_MASK) == BAR_TYPE_64 &&
			    i + 1 < PCI_BARS;
		struct pci_bar *b = &f->bars[i];

		if (low & BAR_IO)
			continue;
		b->maddr = low & ~15U;
		if (wide)
			b->maddr |= (u64)pci_read(f, PCI_BAR(i + 1), 4) << 32;
		b->bytes = b->maddr ? size_bar(f, i, wide) : 0;
		i += wide;
	}
	pci_write(f, PCI_COMMAND, 2, command);
}

void *pci_map(const struct pci_function *f, unsigned int bar, u64 offset,
	      u64 bytes)
{
	const struct pci_bar *b;

	if (bar >= PCI_BARS)
		return NULL;
	b = &f->bars[bar];
	if (offset > b->bytes || bytes > b->bytes - offset ||
	    b->maddr + b->bytes < b->maddr)
		return NULL;
	return device_map(b->maddr + offset, bytes);
}

u8 pci_find_capability(const struct pci_function *f, u8 id, u8 after)
{
	u8 at;

	if (!(pci_read(f, PCI_STATUS, 2) & STATUS_CAPABILITIES))
		return 0;
	at = (u8)pci_read(f, after ? after + 1 : PCI_CAPABILITIES, 1);
	for (unsigned int i = 0; i < CAPABILITIES_MAX; i++) {
		at &= 0xfc;
		if (at < CAPABILITY_FIRST)
			return 0;
		if (pci_read(f, at, 1) == id)
			return at;
		at = (u8)pci_read(f, at + 1, 1);
	}
	return 0;
}

void pci_enable(const struct pci_function *f)
{
	pci_write(f, PCI_COMMAND, 2,
		  pci_read(f, PCI_COMMAND, 2) | PCI_COMMAND_MEMORY |
			  PCI_COMMAND_MASTER | PCI_COMMAND_NO_INTX);
}

void pci_stop_dma(const struct pci_function *f)
{
	pci_write(f, PCI_COMMAND, 2,
		  pci_read(f, PCI_COMMAND, 2) & ~PCI_COMMAND_MASTER);
}

/* ---- message interrupts ---- */

#define MSIX_CONTROL 2
#define MSIX_TABLE 4
#define MSIX_CONTROL_ENABLE 0x8000
#define MSIX_CONTROL_COUNT 0x7ff
#define MSIX_ENTRY_BYTES 16
#define MSIX_ENTRY_CONTROL 12

int pci_msix_enable(struct pci_function *f)
{
	u8 cap = pci_find_capability(f, PCI_CAP_MSIX, 0);
	u32 control, table;

	if (!cap || cap > CAPABILITY_LAST - 8)
		return -ENODEV;
	control = pci_read(f, cap + MSIX_CONTROL, 2);
	table = pci_read(f, cap + MSIX_TABLE, 4);
	f->msix_cap = cap;
	f->msix_count = (u16)((control & MSIX_CONTROL_COUNT) + 1);
	f->msix_table = pci_map(f, table & 7, table & ~7U,
				(u64)f->msix_count * MSIX_ENTRY_BYTES);
	if (!f->msix_table)
		return -ENODEV;
	for (unsigned int i = 0; i < f->msix_count; i++)
		device_write32(f->msix_table + i * MSIX_ENTRY_BYTES +
				       MSIX_ENTRY_CONTROL,
			       1);
	pci_write(f, cap + MSIX_CONTROL, 2,
		  (control & MSIX_CONTROL_COUNT) | MSIX_CONTROL_ENABLE);
	return 0;
}

int pci_msix_route(const struct pci_function *f, unsigned int i,
		   unsigned int cpu, void (*handler)(void *data), void *data)
{
	u8 *entry = f->msix_table + i * MSIX_ENTRY_BYTES;
	struct msi_message m;
	int vector, err;

	if (i >= f->msix_count)
		return -EINVAL;
	vector = interrupt_vector_alloc(handler, data);
	if (vector < 0)
		return vector;
	err = msi_compose(&m, cpu, (unsigned int)vector);
	if (err)
		return err;
	device_write32(entry, (u32)m.address);
	device_write32(entry + 4, (u32)(m.address >> 32));
	device_write32(entry + 8, m.data);
	device_write32(entry + MSIX_ENTRY_CONTROL, 0);
	return 0;
}
