/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual address map. The ABI reserves L4 slots 256..271 for the hypervisor
 * (HYPERVISOR_VIRT_START/END); the same slots appear in every L4.
 *
 *   256  ffff8000_00000000  M2P, read-only for guests (512 GiB)
 *   257  ffff8080_00000000  frame table (512 GiB)
 *   258  ffff8100_00000000  hypervisor image, 4 GiB used
 *   259  ffff8180_00000000  descriptor-table windows of the vCPUs
 *   260  ffff8200_00000000  device registers (local APIC, I/O APIC)
 *   261  ffff8280_00000000  M2P again, writable, for the hypervisor only
 *   262  ffff8300_00000000  direct map of all memory, up to 5 TiB
 */
#ifndef ARCH_LAYOUT_H
#define ARCH_LAYOUT_H

#define HV_VIRT_START 0xffff800000000000UL
#define HV_VIRT_END 0xffff880000000000UL
#define HV_L4_FIRST 256
#define HV_L4_LAST 271

#define M2P_VIRT 0xffff800000000000UL
#define FRAME_TABLE_VIRT 0xffff808000000000UL
#define IMAGE_VIRT 0xffff810000000000UL
#define DESC_WINDOWS_VIRT 0xffff818000000000UL
#define DEVICES_VIRT 0xffff820000000000UL
#define M2P_WRITABLE_VIRT 0xffff828000000000UL
#define DIRECT_MAP_VIRT 0xffff830000000000UL
#define DIRECT_MAP_END HV_VIRT_END

#ifndef __ASSEMBLER__
#include <hv/types.h>

#define m2p_table ((u64 *)M2P_WRITABLE_VIRT)
#define frame_table ((struct frame *)FRAME_TABLE_VIRT)

static inline void *maddr_to_virt(u64 maddr)
{
	return (void *)(DIRECT_MAP_VIRT + maddr);
}

static inline void *mfn_to_virt(u64 mfn)
{
	return maddr_to_virt(mfn << PAGE_SHIFT);
}

/* Of a direct-map address. */
static inline u64 virt_to_mfn(const void *p)
{
	return ((u64)p - DIRECT_MAP_VIRT) >> PAGE_SHIFT;
}
#endif
#endif
