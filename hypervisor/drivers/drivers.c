// SPDX-License-Identifier: Apache-2.0
/* Which driver is for which PCI function. */
#include <hv/drivers.h>

#include "pci.h"
#include "virtio.h"

/* A device id for each kind, and a transitional one. */
static const struct {
	u16 vendor, device;
	void (*found)(const struct pci_function *f);
} drivers[] = {
	{ VIRTIO_VENDOR, 0x1042, virtio_blk_found },
	{ VIRTIO_VENDOR, 0x1001, virtio_blk_found },
	{ VIRTIO_VENDOR, 0x1041, virtio_net_found },
	{ VIRTIO_VENDOR, 0x1000, virtio_net_found },
};

static void found(const struct pci_function *f)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(drivers); i++)
		if (drivers[i].vendor == f->vendor &&
		    drivers[i].device == f->device)
			drivers[i].found(f);
}

void drivers_init(const struct pci_window *windows, unsigned int window_count)
{
	pci_scan(windows, window_count, found);
}
