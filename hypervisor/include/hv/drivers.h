/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers: found devices are registered with the plugs of hv/disk.h and
 * hv/uplink.h. Who may call: boot, once all CPUs run. */
#ifndef HV_DRIVERS_H
#define HV_DRIVERS_H

#include <hv/types.h>

/* PCI configuration space that lies in memory. */
struct pci_window {
	u64 maddr; /* of bus 0 */
	u16 segment;
	u8 first_bus, last_bus;
};

/* Looks at every PCI function and starts what it knows; one line in the log
 * for each. window_count 0: only what the old ports reach. */
void drivers_init(const struct pci_window *windows, unsigned int window_count);

#endif
