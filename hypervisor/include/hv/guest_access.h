/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies between hypervisor and the current vCPU's address space (its kernel
 * tables are loaded during every hypercall). Addresses come from the guest
 * and are hostile: ranges touching the hypervisor's part are refused and
 * faults inside are recovered. Each byte is read or written once. May be
 * called with any lock held. 0, or -EFAULT (bytes before the fault may have
 * been copied).
 */
#ifndef HV_GUEST_ACCESS_H
#define HV_GUEST_ACCESS_H

#include <hv/types.h>

int guest_copy_in(void *dst, u64 src_va, size_t size_bytes) MUST_CHECK;
int guest_copy_out(u64 dst_va, const void *src, size_t size_bytes) MUST_CHECK;

#endif
