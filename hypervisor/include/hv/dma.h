/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that devices reach. Nothing but the drivers' care keeps a device off
 * other memory, so debug builds check every address that one is handed: its
 * frames are the hypervisor's or are referenced, and where the device writes,
 * referenced as writable, so that none can be or become a page table.
 */
#ifndef HV_DMA_H
#define HV_DMA_H

#include <hv/types.h>

#ifdef XENO_DEBUG
/* Panics unless [maddr, maddr + bytes) may be given to a device now. */
void dma_check(u64 maddr, u32 bytes, bool device_writes);
#else
static inline void dma_check(u64 maddr, u32 bytes, bool device_writes)
{
	(void)maddr;
	(void)bytes;
	(void)device_writes;
}
#endif

#endif
