/* SPDX-License-Identifier: Apache-2.0 */
/* Which segment descriptors a guest may have in its GDT and LDT. Pure. */
#ifndef HV_DESCRIPTOR_H
#define HV_DESCRIPTOR_H

#include <hv/types.h>

/*
 * Makes *desc harmless or refuses it (-EINVAL, *desc unchanged). Not present:
 * anything goes. Present: code or data only, no gate, TSS or LDT; DPL becomes
 * 3 and the accessed bit set, so that the CPU never writes the table.
 */
int descriptor_check(u64 *desc) MUST_CHECK;

#endif
