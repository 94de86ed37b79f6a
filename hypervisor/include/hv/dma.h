/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that devices reach, and that back ends copy from and to. Nothing but
 * their care keeps them off other memory, so debug builds check each address.
 */
#ifndef HV_DMA_H
#define HV_DMA_H

#include <hv/types.h>

#ifdef XENO_DEBUG
/* Panics unless [maddr, maddr + bytes) may be given to a device now: its frames
 * are the hypervisor's or are referenced, and where the device writes,
 * referenced as writable, so that none can be or become a page table. */
void dma_check(u64 maddr, u32 bytes, bool device_writes);
/* Panics unless all of it is pinned memory of the domain for which a back end
 * is at work; writes: as writable. */
void owner_check(u64 maddr, u32 bytes, u16 owner_id, bool writes);
#else
static inline void dma_check(u64 maddr, u32 bytes, bool device_writes)
{
	(void)maddr;
	(void)bytes;
	(void)device_writes;
}

static inline void owner_check(u64 maddr, u32 bytes, u16 owner_id, bool writes)
{
	(void)maddr;
	(void)bytes;
	(void)owner_id;
	(void)writes;
}
#endif

#endif
