/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PCI functions: finding them, their registers, capabilities, memory and
 * message interrupts (PCI Local Bus 3.0, PCI Express 4.0). Boot only, but for
 * pci_stop_dma and pci_msix_*. What a device says of itself is checked: it can
 * name no memory beyond its BARs, and no list that never ends.
 */
#ifndef DRIVERS_PCI_H
#define DRIVERS_PCI_H

#include <hv/types.h>

#define PCI_BARS 6

#define PCI_VENDOR 0x00
#define PCI_COMMAND 0x04
#define PCI_STATUS 0x06
#define PCI_REVISION 0x08
#define PCI_CLASS 0x0a
#define PCI_HEADER_TYPE 0x0e
#define PCI_BAR(i) (0x10 + 4 * (i))
#define PCI_SECONDARY_BUS 0x19
#define PCI_SUBSYSTEM 0x2e
#define PCI_CAPABILITIES 0x34

#define PCI_COMMAND_MEMORY 0x2
#define PCI_COMMAND_MASTER 0x4
#define PCI_COMMAND_NO_INTX 0x400

#define PCI_CAP_VENDOR 0x09
#define PCI_CAP_MSIX 0x11

struct pci_function {
	u16 segment;
	u8 bus, devfn;
	u16 vendor, device;
	u8 *ecam; /* its 4 KiB of configuration; NULL: by ports */
	struct pci_bar {
		u64 maddr, bytes; /* 0: none, or not of memory */
	} bars[PCI_BARS];
	u8 *msix_table;
	u16 msix_count, msix_cap;
};

struct pci_window;

/* Calls found for every function there is, whatever it is. */
void pci_scan(const struct pci_window *windows, unsigned int window_count,
	      void (*found)(const struct pci_function *f));

u32 pci_read(const struct pci_function *f, u16 reg, unsigned int bytes);
void pci_write(const struct pci_function *f, u16 reg, unsigned int bytes,
	       u32 value);

/* Finds addresses and sizes of the BARs. */
void pci_read_bars(struct pci_function *f);
/* The next capability of that kind after `after` (0: the first), or 0. */
u8 pci_find_capability(const struct pci_function *f, u8 id, u8 after);
/* Maps part of a BAR; NULL: it is not within one, or cannot be mapped. */
void *pci_map(const struct pci_function *f, unsigned int bar, u64 offset,
	      u64 bytes) MUST_CHECK;
/* Lets it answer and reach memory; its pin makes no interrupt. */
void pci_enable(const struct pci_function *f);
/* It must not reach memory from here on. Any time. */
void pci_stop_dma(const struct pci_function *f);

/* Turns message interrupts on, all masked. -ENODEV: has none. */
int pci_msix_enable(struct pci_function *f) MUST_CHECK;
/* Entry i interrupts that CPU with a vector of its own. -EINVAL, -ENOSPC. */
int pci_msix_route(const struct pci_function *f, unsigned int i,
		   unsigned int cpu, void (*handler)(void *data), void *data)
	MUST_CHECK;

#define PCI_NAME_BYTES 16
/* "SS:BB:DD.F", without "SS:" in segment 0. */
void pci_name(const struct pci_function *f, char name[PCI_NAME_BYTES]);

#endif
