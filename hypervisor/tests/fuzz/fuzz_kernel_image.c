// SPDX-License-Identifier: Apache-2.0
/*
 * Any file as a kernel. What opens is loaded into memory of exactly its span
 * (up to 4 MiB; larger ones are only opened), in pieces of odd size.
 */
#include <stdlib.h>
#include <string.h>

#include <hv/kernel_image.h>

#include "../fake/boot_fakes.h"

#define SPAN_MAX (4UL << 20)
#define SCRATCH_MAX (64UL << 20)
#define STEP 4093UL

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct span {
	u8 *memory;
	u64 start, end;
};

static void *at(void *ctx, u64 paddr, u64 *contiguous)
{
	struct span *s = ctx;

	if (paddr < s->start || paddr >= s->end)
		abort();
	*contiguous = MIN(s->end - paddr, STEP);
	return s->memory + (paddr - s->start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kernel_image k;
	struct fake_scratch scratch;
	enum kernel_status st;
	struct span s;

	fake_scratch_init(&scratch, SCRATCH_MAX);
	st = kernel_image_open(&k, data, size, &scratch.memory);
	if (st == KERNEL_OK && k.end_paddr - k.start_paddr <= SPAN_MAX) {
		struct kernel_sink sink = { at, &s };

		s.start = k.start_paddr;
		s.end = k.end_paddr;
		s.memory = calloc(1, s.end - s.start);
		if (!s.memory)
			abort();
		st = kernel_image_load(&k, &sink);
		free(s.memory);
	}
	if (st != KERNEL_OK &&
	    (k.error[0] == '\0' ||
	     strnlen(k.error, sizeof(k.error)) == sizeof(k.error)))
		abort();
	fake_scratch_exit(&scratch);
	return 0;
}
