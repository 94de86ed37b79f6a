/* SPDX-License-Identifier: Apache-2.0 */
/* The memory map of struct boot_info while it is being put together. */
#ifndef BOOT_MEMORY_MAP_H
#define BOOT_MEMORY_MAP_H

#include <hv/boot_info.h>

/* Adds one firmware range in bytes, in any order, overlapping or not. False
 * when the resolved map would need more than BOOT_RANGES_MAX ranges. */
bool memory_map_add(struct boot_info *bi, u64 start, u64 size_bytes,
		    enum boot_range_type type) MUST_CHECK;

#endif
