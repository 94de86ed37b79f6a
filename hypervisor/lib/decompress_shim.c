// SPDX-License-Identifier: Apache-2.0
/*
 * What liblzma, zlib and libzstd expect of a C library besides <hv/string.h>.
 * Each is given its own allocator, so their default one is linked but must
 * find nothing.
 */
#include <hv/log.h>
#include <hv/types.h>

void *malloc(size_t size_bytes);
void *calloc(size_t count, size_t size_bytes);
void free(void *p);
void __stack_chk_fail(void) NORETURN;
unsigned long long ZSTD_trace_decompress_begin(const void *decoder);
void ZSTD_trace_decompress_end(unsigned long long ctx, const void *trace);

void *malloc(size_t size_bytes)
{
	(void)size_bytes;
	return NULL;
}

void *calloc(size_t count, size_t size_bytes)
{
	(void)count;
	(void)size_bytes;
	return NULL;
}

void free(void *p)
{
	CHECK(p == NULL);
}

void __stack_chk_fail(void)
{
	panic("stack overrun in a decompression library");
}

/* Weak in libzstd, but a weak symbol left at address 0 is out of reach of a
 * call from the hypervisor's addresses. 0: no tracing wanted. */
unsigned long long ZSTD_trace_decompress_begin(const void *decoder)
{
	(void)decoder;
	return 0;
}

void ZSTD_trace_decompress_end(unsigned long long ctx, const void *trace)
{
	(void)ctx;
	(void)trace;
}
