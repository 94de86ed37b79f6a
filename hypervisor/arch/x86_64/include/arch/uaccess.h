/* SPDX-License-Identifier: Apache-2.0 */
/* Single words of guest memory, inline: hv/guest_access.h's rules, for the
 * few calls where its function call would be most of the cost. */
#ifndef ARCH_UACCESS_H
#define ARCH_UACCESS_H

#include <hv/errno.h>
#include <hv/types.h>

#include <arch/cpu.h>
#include <arch/layout.h>

/* Eight bytes at va, read once; -EFAULT. The fix-up is the way out itself. */
static inline int guest_read_u64(u64 va, u64 *out)
{
	u64 v;

	/* A word that starts below the hypervisor ends below it, too: before
	 * its first address lies the non-canonical hole. */
	if (unlikely(va >= HV_VIRT_START && va < HV_VIRT_END))
		return -EFAULT;
	__asm__ goto("1: movq %1, %0\n"
		     ".pushsection .extable, \"a\"\n"
		     ".balign 8\n"
		     ".quad 1b, %l[fault]\n"
		     ".popsection\n"
		     : "=r"(v)
		     : "m"(*(const u64 *)va)
		     :
		     : fault);
	*out = v;
	return 0;
fault:
	return -EFAULT;
}

#endif
