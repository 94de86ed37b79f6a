/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARCH_UACCESS_H
#define ARCH_UACCESS_H

#include <hv/guest_access.h>

static inline int guest_read_u64(u64 va, u64 *out)
{
	return guest_copy_in(out, va, sizeof(*out));
}

#endif
