/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What drivers need of the machine: device registers, PCI configuration ports,
 * interrupt vectors and barriers. Device memory is little endian, as we are.
 */
#ifndef ARCH_DEVICE_H
#define ARCH_DEVICE_H

#include <hv/types.h>

/* Maps device registers uncached. Boot only; NULL: memory of the machine is
 * there, or it is out of reach. */
void *device_map(u64 maddr, u64 bytes) MUST_CHECK;

static inline u8 device_read8(const volatile void *p)
{
	return *(const volatile u8 *)p;
}

static inline u16 device_read16(const volatile void *p)
{
	return *(const volatile u16 *)p;
}

static inline u32 device_read32(const volatile void *p)
{
	return *(const volatile u32 *)p;
}

static inline void device_write8(volatile void *p, u8 v)
{
	*(volatile u8 *)p = v;
}

static inline void device_write16(volatile void *p, u16 v)
{
	*(volatile u16 *)p = v;
}

static inline void device_write32(volatile void *p, u32 v)
{
	*(volatile u32 *)p = v;
}

/* PCI configuration through ports 0xcf8 and 0xcfc: 4 aligned bytes of the
 * first 256 of a function of segment 0. Boot, or one CPU at a time. */
u32 pci_ports_read(u8 bus, u8 devfn, u8 reg);
void pci_ports_write(u8 bus, u8 devfn, u8 reg, u32 value);

/* An interrupt vector of its own for a device; handler is called with
 * interrupts off, in the time of interrupts, and only queues work. Boot only;
 * -ENOSPC. */
int interrupt_vector_alloc(void (*handler)(void *data), void *data) MUST_CHECK;

/* What a device writes where to interrupt that CPU with that vector. */
struct msi_message {
	u64 address;
	u32 data;
};
/* -EINVAL: such messages do not reach that CPU. */
int msi_compose(struct msi_message *m, unsigned int cpu, unsigned int vector)
	MUST_CHECK;

/* What was written before is visible to devices before what is read or
 * written after. */
static inline void device_fence(void)
{
	__asm__ volatile("mfence" : : : "memory");
}

#endif
