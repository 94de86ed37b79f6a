/* SPDX-License-Identifier: Apache-2.0 */
/* Copies to and from the guest's address space; contract in
 * hv/guest_access.h. The range check covers the whole access, so no base plus
 * index can reach the hypervisor. */
#include <hv/errno.h>
#include <hv/guest_access.h>

#include <arch/cpu.h>

int guest_copy_raw(void *dst, const void *src, size_t n);

static bool range_ok(u64 va, size_t size)
{
	u64 end;

	if (__builtin_add_overflow(va, size, &end))
		return false;
	return end <= HV_VIRT_START || va >= HV_VIRT_END;
}

int guest_copy_in(void *dst, u64 src_va, size_t size)
{
	if (unlikely(!range_ok(src_va, size)))
		return -EFAULT;
	this_cpu()->copied_bytes += size;
	return guest_copy_raw(dst, (const void *)src_va, size);
}

int guest_copy_out(u64 dst_va, const void *src, size_t size)
{
	if (unlikely(!range_ok(dst_va, size)))
		return -EFAULT;
	this_cpu()->copied_bytes += size;
	return guest_copy_raw((void *)dst_va, src, size);
}
