// SPDX-License-Identifier: Apache-2.0
/*
 * Segment descriptors of guests. Base and limit do not matter: in 64-bit mode
 * most are ignored, and the page tables, not segments, keep ring 3 out of the
 * hypervisor. What matters is that no descriptor leads to another ring: gates,
 * task segments and nested tables are refused, and DPL is always 3.
 */
#include <hv/descriptor.h>
#include <hv/errno.h>

#define DESC_ACCESSED (1UL << 40)
#define DESC_S (1UL << 44) /* code or data, not a system descriptor */
#define DESC_DPL (3UL << 45)
#define DESC_P (1UL << 47)

int descriptor_check(u64 *desc)
{
	u64 d = *desc;

	if (!(d & DESC_P))
		return 0;
	if (!(d & DESC_S))
		return -EINVAL;
	*desc = d | DESC_DPL | DESC_ACCESSED;
	return 0;
}
