/* SPDX-License-Identifier: Apache-2.0 */
/* Single words of guest memory, inline: hv/guest_access.h's rules, for the
 * few calls where its function call would be most of the cost. */
#ifndef ARCH_UACCESS_H
#define ARCH_UACCESS_H

#include <hv/errno.h>
#include <hv/types.h>

#include <arch/cpu.h>
#include <arch/layout.h>

/* Eight bytes at va, read once; -EFAULT. */
static inline int guest_read_u64(u64 va, u64 *out)
{
	int err = 0;
	u64 v;

	/* A word that starts below the hypervisor ends below it, too: before
	 * its first address lies the non-canonical hole. */
	if (unlikely(va >= HV_VIRT_START && va < HV_VIRT_END))
		return -EFAULT;
	__asm__ volatile("1: movq %2, %1\n"
			 "2:\n"
			 ".pushsection .fixup, \"ax\"\n"
			 "3: movl %3, %0\n"
			 "   jmp 2b\n"
			 ".popsection\n"
			 ".pushsection .extable, \"a\"\n"
			 ".balign 8\n"
			 ".quad 1b, 3b\n"
			 ".popsection\n"
			 : "+r"(err), "=r"(v)
			 : "m"(*(const u64 *)va), "i"(-EFAULT));
	*out = v;
	return err;
}

#endif
