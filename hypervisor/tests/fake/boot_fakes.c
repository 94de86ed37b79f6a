// SPDX-License-Identifier: Apache-2.0
/* See boot_fakes.h. Also the one function of <hv/string.h> that this libc
 * lacks. */
#include "boot_fakes.h"

#include <stdlib.h>
#include <string.h>

#include <hv/string.h>

static const void *fake_map(void *ctx, u64 maddr, u64 size_bytes)
{
	struct fake_memory *m = ctx;

	free(m->mapped);
	m->mapped = NULL;
	if (maddr < m->base || maddr - m->base > m->size ||
	    size_bytes > m->size - (maddr - m->base))
		return NULL;
	m->mapped = malloc(size_bytes ? size_bytes : 1);
	if (m->mapped)
		memcpy(m->mapped, m->bytes + (maddr - m->base), size_bytes);
	return m->mapped;
}

void fake_memory_init(struct fake_memory *m, const void *bytes, u64 base,
		      u64 size)
{
	*m = (struct fake_memory){ .view = { fake_map, m },
				   .bytes = bytes,
				   .base = base,
				   .size = size };
}

void fake_memory_exit(struct fake_memory *m)
{
	free(m->mapped);
	m->mapped = NULL;
}

static void *fake_alloc(void *ctx, size_t size_bytes)
{
	struct fake_scratch *s = ctx;
	void *p;

	if (s->count == FAKE_SCRATCH_BLOCKS || size_bytes > s->left_bytes)
		return NULL;
	p = aligned_alloc(64, ALIGN_UP(size_bytes ? size_bytes : 1, 64UL));
	if (!p)
		return NULL;
	memset(p, 0, size_bytes);
	s->left_bytes -= size_bytes;
	s->blocks[s->count++] = p;
	return p;
}

void fake_scratch_init(struct fake_scratch *s, u64 limit_bytes)
{
	memset(s, 0, sizeof(*s));
	s->memory = (struct scratch){ fake_alloc, s };
	s->left_bytes = limit_bytes;
}

void fake_scratch_exit(struct fake_scratch *s)
{
	while (s->count)
		free(s->blocks[--s->count]);
}

__attribute__((weak)) size_t strlcpy(char *dst, const char *src, size_t size)
{
	size_t len = strlen(src);

	if (size) {
		size_t copied = MIN(len, size - 1);

		memcpy(dst, src, copied);
		dst[copied] = '\0';
	}
	return len;
}
