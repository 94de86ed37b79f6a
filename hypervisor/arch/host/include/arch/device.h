/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of hosted tests: every access goes to the test's fake device
 * (hypervisor/tests/fake/), which answers as it likes. */
#ifndef ARCH_DEVICE_H
#define ARCH_DEVICE_H

#include <hv/types.h>

void *device_map(u64 maddr, u64 bytes) MUST_CHECK;
u64 host_device_read(const volatile void *p, unsigned int bytes);
void host_device_write(volatile void *p, unsigned int bytes, u64 value);

static inline u8 device_read8(const volatile void *p)
{
	return (u8)host_device_read(p, 1);
}

static inline u16 device_read16(const volatile void *p)
{
	return (u16)host_device_read(p, 2);
}

static inline u32 device_read32(const volatile void *p)
{
	return (u32)host_device_read(p, 4);
}

static inline void device_write8(volatile void *p, u8 v)
{
	host_device_write(p, 1, v);
}

static inline void device_write16(volatile void *p, u16 v)
{
	host_device_write(p, 2, v);
}

static inline void device_write32(volatile void *p, u32 v)
{
	host_device_write(p, 4, v);
}

u32 pci_ports_read(u8 bus, u8 devfn, u8 reg);
void pci_ports_write(u8 bus, u8 devfn, u8 reg, u32 value);

int interrupt_vector_alloc(void (*handler)(void *data), void *data) MUST_CHECK;

struct msi_message {
	u64 address;
	u32 data;
};
int msi_compose(struct msi_message *m, unsigned int cpu, unsigned int vector)
	MUST_CHECK;

static inline void device_fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#endif
