/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's part of drivers (contract in <arch/device.h>). */
#include <hv/errno.h>
#include <hv/frame.h>
#include <hv/log.h>

#include <arch/device.h>
#include <arch/internal.h>
#include <arch/layout.h>
#include <arch/x86.h>

/* Vectors of devices: those between the ISA interrupts' and the local APIC's,
 * but for the system call's. */
#define VEC_DEVICE_FIRST 0x40
#define VEC_DEVICE_END 0xf0

static struct {
	void (*handler)(void *data);
	void *data;
} handlers[VEC_DEVICE_END - VEC_DEVICE_FIRST];
static unsigned int next_vector = VEC_DEVICE_FIRST;

int interrupt_vector_alloc(void (*handler)(void *data), void *data)
{
	unsigned int vector = next_vector;

	if (vector == VEC_INT80)
		vector++;
	if (vector >= VEC_DEVICE_END)
		return -ENOSPC;
	next_vector = vector + 1;
	handlers[vector - VEC_DEVICE_FIRST].data = data;
	handlers[vector - VEC_DEVICE_FIRST].handler = handler;
	return (int)vector;
}

bool device_interrupt(unsigned int vector)
{
	unsigned int i = vector - VEC_DEVICE_FIRST;

	if (i >= ARRAY_SIZE(handlers) || !handlers[i].handler)
		return false;
	handlers[i].handler(handlers[i].data);
	return true;
}

/* Intel SDM vol. 3, 11.11: fixed delivery, physical destination. */
int msi_compose(struct msi_message *m, unsigned int cpu, unsigned int vector)
{
	if (cpu >= cpu_count || cpus[cpu]->apic_id > 0xff)
		return -EINVAL;
	m->address = 0xfee00000UL | (u64)cpus[cpu]->apic_id << 12;
	m->data = vector;
	return 0;
}

void *device_map(u64 maddr, u64 bytes)
{
	u64 mfn = maddr >> PAGE_SHIFT;

	if (!bytes || maddr + bytes < maddr)
		return NULL;
	for (; mfn <= (maddr + bytes - 1) >> PAGE_SHIFT; mfn++) {
		const struct frame *f = frame_of_mfn(mfn);

		if (!f)
			break;
		if (f->flags & FRAME_FLAG_RAM)
			return NULL;
	}
	return map_device(maddr, bytes);
}

#define PCI_ADDRESS_PORT 0xcf8
#define PCI_DATA_PORT 0xcfc

static void select(u8 bus, u8 devfn, u8 reg)
{
	outl(PCI_ADDRESS_PORT,
	     0x80000000U | (u32)bus << 16 | (u32)devfn << 8 | (reg & 0xfcU));
}

u32 pci_ports_read(u8 bus, u8 devfn, u8 reg)
{
	select(bus, devfn, reg);
	return inl(PCI_DATA_PORT);
}

void pci_ports_write(u8 bus, u8 devfn, u8 reg, u32 value)
{
	select(bus, devfn, reg);
	outl(PCI_DATA_PORT, value);
}
