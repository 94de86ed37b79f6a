/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch memory (hv/scratch.h) out of free frames, given back as a whole. */
#ifndef BOOT_SCRATCH_H
#define BOOT_SCRATCH_H

#include <hv/frame.h>
#include <hv/scratch.h>

#define BOOT_SCRATCH_BLOCKS 32

struct boot_scratch {
	struct scratch memory;
	u8 *next; /* free part of the newest small block */
	size_t left_bytes;
	struct {
		struct frame *frames;
		u64 count;
	} blocks[BOOT_SCRATCH_BLOCKS];
	u32 block_count;
};

void boot_scratch_init(struct boot_scratch *s);
void boot_scratch_free(struct boot_scratch *s);

#endif
