/* SPDX-License-Identifier: Apache-2.0 */
/* Fake address map for hosted tests: memory, frame table and M2P are arrays
 * that the test allocates (arch/host/machine.c). */
#ifndef ARCH_LAYOUT_H
#define ARCH_LAYOUT_H

#include <hv/types.h>

#define HV_VIRT_START 0xffff800000000000UL
#define HV_VIRT_END 0xffff880000000000UL
#define HV_L4_FIRST 256
#define HV_L4_LAST 271

extern u64 *host_m2p;
extern struct frame *host_frame_table;
extern u8 *host_memory; /* page aligned; index = machine address */

#define m2p_table host_m2p
#define frame_table host_frame_table

static inline void *maddr_to_virt(u64 maddr)
{
	return host_memory + maddr;
}

static inline void *mfn_to_virt(u64 mfn)
{
	return host_memory + (mfn << PAGE_SHIFT);
}

static inline u64 virt_to_mfn(const void *p)
{
	return (u64)((const u8 *)p - host_memory) >> PAGE_SHIFT;
}
#endif
