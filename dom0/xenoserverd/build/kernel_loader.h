/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads a kernel file that nobody vouches for. The parser, which Domain 0's
 * own start uses as well, runs in a child process that may compute and exit
 * and nothing else; what it says is copied here and checked before use.
 */
#ifndef BUILD_KERNEL_LOADER_H
#define BUILD_KERNEL_LOADER_H

#include <hv/kernel_image.h>

#include "util/error.h"

struct loaded_kernel {
	struct kernel_notes notes;
	u64 start_paddr, end_paddr; /* page aligned */
	struct kernel_segment segments[KERNEL_SEGMENTS_MAX];
	u32 segment_count;
	/* Byte i is that of address start_paddr + i. */
	const u8 *bytes;
	void *mapping;
	size_t mapping_bytes;
};

int kernel_load(struct loaded_kernel *out, const char *path, struct error *err);
void kernel_unload(struct loaded_kernel *k);

/* The same of a file in memory. */
int kernel_load_bytes(struct loaded_kernel *out, const void *file,
		      size_t file_bytes, struct error *err);

#endif
