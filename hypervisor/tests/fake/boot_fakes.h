/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fake machine memory and a fake scratch memory for tests of boot/. Both
 * hand out exactly sized heap blocks, so that the address sanitizer sees any
 * access beyond what was asked for, or after it was given up.
 */
#ifndef TESTS_BOOT_FAKES_H
#define TESTS_BOOT_FAKES_H

#include <hv/machine_view.h>
#include <hv/scratch.h>

struct fake_memory {
	struct machine_view view;
	const u8 *bytes; /* of machine addresses [base, base + size) */
	u64 base, size;
	void *mapped; /* copy handed out last */
};

/* bytes is borrowed and may change between two maps. */
void fake_memory_init(struct fake_memory *m, const void *bytes, u64 base,
		      u64 size);
void fake_memory_exit(struct fake_memory *m);

#define FAKE_SCRATCH_BLOCKS 256

struct fake_scratch {
	struct scratch memory;
	void *blocks[FAKE_SCRATCH_BLOCKS];
	u32 count;
	u64 left_bytes; /* allocations beyond this fail */
};

void fake_scratch_init(struct fake_scratch *s, u64 limit_bytes);
void fake_scratch_exit(struct fake_scratch *s);

#endif
