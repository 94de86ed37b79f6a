// SPDX-License-Identifier: Apache-2.0
/*
 * Streaming decompression with the distribution's static libraries (liblzma,
 * zlib, libzstd), and of LZ4's blocks. They get all memory from the caller's
 * scratch memory and never free it; a decoder is used for one stream only.
 *
 * The libraries are compiled code with SSE and stack canaries: whoever calls
 * this has enabled SSE and made %fs:0x28 readable.
 */
#define Z_SOLO
#define ZSTD_STATIC_LINKING_ONLY
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <hv/decompress.h>
#include <hv/errno.h>
#include <hv/string.h>

#include "lz4.h"

/* More than any kernel's dictionary needs; a damaged header may ask for
 * gigabytes. */
#define MEMORY_LIMIT (512UL << 20)
/* zlib: gzip wrapper (16) and any window size (15). */
#define GZIP_WINDOW_BITS (16 + 15)

/* What the kernel's build makes blocks of; each is decoded on its own. */
#define LZ4_BLOCK_BYTES (8UL << 20)
#define LZ4_WORD_BYTES 4U

struct lz4_stream {
	u8 *block; /* decoded; bytes from taken to length are to be read */
	u64 taken, length;
};

struct decoder {
	union {
		lzma_stream xz;
		z_stream gzip;
		ZSTD_DStream *zstd;
		struct lz4_stream lz4;
	};
	lzma_allocator xz_allocator;
	struct scratch scratch;
	bool ended; /* the library has seen the end of its stream */
};

enum compression compression_of(const u8 *data, u64 size_bytes)
{
	static const struct {
		u8 magic[6];
		u8 len;
		enum compression kind;
	} known[] = {
		{ { 0x7f, 'E', 'L', 'F' }, 4, COMPRESSION_NONE },
		{ { 0x1f, 0x8b }, 2, COMPRESSION_GZIP },
		{ { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, COMPRESSION_XZ },
		{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, COMPRESSION_ZSTD },
		{ { 'B', 'Z', 'h' }, 3, COMPRESSION_BZIP2 },
		{ { 0x5d, 0, 0 }, 3, COMPRESSION_LZMA },
		{ { 0x89, 'L', 'Z', 'O', 0 }, 5, COMPRESSION_LZO },
		{ { 0x02, 0x21, 0x4c, 0x18 }, 4, COMPRESSION_LZ4 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (size_bytes >= known[i].len &&
		    memcmp(data, known[i].magic, known[i].len) == 0)
			return known[i].kind;
	return COMPRESSION_UNKNOWN;
}

const char *compression_name(enum compression c)
{
	static const char *const names[] = {
		[COMPRESSION_NONE] = "none",       [COMPRESSION_GZIP] = "gzip",
		[COMPRESSION_XZ] = "xz",           [COMPRESSION_ZSTD] = "zstd",
		[COMPRESSION_BZIP2] = "bzip2",     [COMPRESSION_LZMA] = "lzma",
		[COMPRESSION_LZO] = "lzo",         [COMPRESSION_LZ4] = "lz4",
		[COMPRESSION_UNKNOWN] = "unknown",
	};

	return names[c];
}

bool compression_supported(enum compression c)
{
	return c == COMPRESSION_NONE || c == COMPRESSION_GZIP ||
	       c == COMPRESSION_XZ || c == COMPRESSION_ZSTD ||
	       c == COMPRESSION_LZ4;
}

static void *scratch_calloc(const struct scratch *s, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return s->alloc(s->ctx, bytes);
}

static void *xz_alloc(void *opaque, size_t count, size_t size)
{
	return scratch_calloc(opaque, count, size);
}

static void xz_free(void *opaque, void *p)
{
	(void)opaque;
	(void)p;
}

static voidpf gzip_alloc(voidpf opaque, uInt count, uInt size)
{
	return scratch_calloc(opaque, count, size);
}

static void gzip_free(voidpf opaque, voidpf p)
{
	(void)opaque;
	(void)p;
}

static int fail(struct decompressor *d, int rc, const char *error)
{
	d->error = error;
	return rc;
}

static int start_xz(struct decompressor *d)
{
	struct decoder *s = d->state;

	s->xz = (lzma_stream)LZMA_STREAM_INIT;
	s->xz_allocator.alloc = xz_alloc;
	s->xz_allocator.free = xz_free;
	s->xz_allocator.opaque = &s->scratch;
	s->xz.allocator = &s->xz_allocator;
	if (lzma_stream_decoder(&s->xz, MEMORY_LIMIT, LZMA_TELL_ANY_CHECK) !=
	    LZMA_OK)
		return fail(d, -ENOMEM, "no memory for the decoder");
	return 0;
}

static int start_gzip(struct decompressor *d)
{
	struct decoder *s = d->state;

	s->gzip.zalloc = gzip_alloc;
	s->gzip.zfree = gzip_free;
	s->gzip.opaque = &s->scratch;
	if (inflateInit2(&s->gzip, GZIP_WINDOW_BITS) != Z_OK)
		return fail(d, -ENOMEM, "no memory for the decoder");
	return 0;
}

static int start_zstd(struct decompressor *d)
{
	size_t need = ZSTD_estimateDStreamSize_fromFrame(d->in, d->in_left);
	struct decoder *s = d->state;
	void *workspace;

	if (ZSTD_isError(need))
		return fail(d, -EINVAL, ZSTD_getErrorName(need));
	if (need > MEMORY_LIMIT)
		return fail(d, -ENOMEM, "the window is too large");
	workspace = s->scratch.alloc(s->scratch.ctx, need);
	if (workspace)
		s->zstd = ZSTD_initStaticDStream(workspace, need);
	if (!s->zstd)
		return fail(d, -ENOMEM, "no memory for the decoder");
	if (ZSTD_isError(ZSTD_DCtx_setMaxWindowSize(s->zstd, MEMORY_LIMIT)))
		return fail(d, -EINVAL, "the window is too large");
	return 0;
}

static void skip(struct decompressor *d, u64 bytes)
{
	d->in += bytes;
	d->in_left -= bytes;
}

static int start_lz4(struct decompressor *d)
{
	struct decoder *s = d->state;

	s->lz4 = (struct lz4_stream){
		.block = s->scratch.alloc(s->scratch.ctx, LZ4_BLOCK_BYTES),
	};
	if (!s->lz4.block)
		return fail(d, -ENOMEM, "no memory for the decoder");
	/* The magic number, which has been seen. */
	skip(d, LZ4_WORD_BYTES);
	return 0;
}

int decompress_start(struct decompressor *d, enum compression kind,
		     const u8 *data, u64 size_bytes,
		     const struct scratch *scratch)
{
	*d = (struct decompressor){ .kind = kind,
				    .in = data,
				    .in_left = size_bytes };
	if (kind == COMPRESSION_NONE)
		return 0;
	d->state = scratch->alloc(scratch->ctx, sizeof(*d->state));
	if (!d->state)
		return fail(d, -ENOMEM, "no memory for the decoder");
	d->state->scratch = *scratch;
	switch (kind) {
	case COMPRESSION_XZ:
		return start_xz(d);
	case COMPRESSION_GZIP:
		return start_gzip(d);
	case COMPRESSION_ZSTD:
		return start_zstd(d);
	case COMPRESSION_LZ4:
		return start_lz4(d);
	default:
		return fail(d, -EINVAL, "unsupported compression");
	}
}

static const char *xz_error(lzma_ret ret)
{
	switch (ret) {
	case LZMA_FORMAT_ERROR:
		return "not an xz stream";
	case LZMA_OPTIONS_ERROR:
		return "xz filter or check not supported";
	case LZMA_DATA_ERROR:
		return "xz data is corrupt";
	case LZMA_BUF_ERROR:
		return "xz data is truncated";
	default:
		return "xz decoder failed";
	}
}

/* Each step_ function fills [dst, dst + size) as far as the stream goes and
 * stores how many bytes it wrote. */
static int step_xz(struct decompressor *d, u8 *dst, u64 size, u64 *done)
{
	struct decoder *s = d->state;
	lzma_ret ret;

	s->xz.next_in = d->in;
	s->xz.avail_in = d->in_left;
	s->xz.next_out = dst;
	s->xz.avail_out = size;
	ret = lzma_code(&s->xz, LZMA_RUN);
	d->in = s->xz.next_in;
	d->in_left = s->xz.avail_in;
	*done = size - s->xz.avail_out;
	/* As in the kernel's own decoder. CRC64 would need a constructor of
	 * liblzma, and nobody runs constructors here. */
	if (ret == LZMA_GET_CHECK) {
		if (lzma_get_check(&s->xz) > LZMA_CHECK_CRC32)
			return fail(d, -EINVAL, "xz check is not CRC32");
		return 0;
	}
	if (ret == LZMA_STREAM_END)
		s->ended = true;
	else if (ret == LZMA_MEM_ERROR || ret == LZMA_MEMLIMIT_ERROR)
		return fail(d, -ENOMEM, "no memory for the xz dictionary");
	else if (ret != LZMA_OK)
		return fail(d, -EINVAL, xz_error(ret));
	return 0;
}

static int step_gzip(struct decompressor *d, u8 *dst, u64 size, u64 *done)
{
	struct decoder *s = d->state;
	uInt in = (uInt)MIN(d->in_left, 1UL << 30);
	uInt out = (uInt)MIN(size, 1UL << 30);
	int ret;

	/* zlib never writes through next_in; its type lacks the const. */
	s->gzip.next_in = (Bytef *)(uintptr_t)d->in;
	s->gzip.avail_in = in;
	s->gzip.next_out = dst;
	s->gzip.avail_out = out;
	ret = inflate(&s->gzip, Z_NO_FLUSH);
	d->in += in - s->gzip.avail_in;
	d->in_left -= in - s->gzip.avail_in;
	*done = out - s->gzip.avail_out;
	if (ret == Z_STREAM_END)
		s->ended = true;
	else if (ret == Z_MEM_ERROR)
		return fail(d, -ENOMEM, "no memory for the gzip window");
	else if (ret == Z_BUF_ERROR)
		return fail(d, -EINVAL, "gzip data is truncated");
	else if (ret != Z_OK)
		return fail(d, -EINVAL,
			    s->gzip.msg ? s->gzip.msg : "gzip data is corrupt");
	return 0;
}

static int step_zstd(struct decompressor *d, u8 *dst, u64 size, u64 *done)
{
	ZSTD_inBuffer in = { d->in, d->in_left, 0 };
	ZSTD_outBuffer out = { dst, size, 0 };
	struct decoder *s = d->state;
	size_t ret = ZSTD_decompressStream(s->zstd, &out, &in);

	d->in += in.pos;
	d->in_left -= in.pos;
	*done = out.pos;
	if (ZSTD_isError(ret))
		return fail(d, -EINVAL, ZSTD_getErrorName(ret));
	if (ret == 0)
		s->ended = true;
	else if (in.pos == 0 && out.pos == 0)
		return fail(d, -EINVAL, "zstd data is truncated");
	return 0;
}

/* A stream has no end mark: the kernel's size, a word, is behind the last
 * block. */
static int next_lz4_block(struct decompressor *d)
{
	struct lz4_stream *s = &d->state->lz4;
	u32 bytes;

	if (d->in_left <= LZ4_WORD_BYTES) {
		d->state->ended = true;
		return 0;
	}
	memcpy(&bytes, d->in, LZ4_WORD_BYTES);
	skip(d, LZ4_WORD_BYTES);
	if (bytes > d->in_left)
		return fail(d, -EINVAL, "lz4 data is truncated");
	if (!lz4_decode_block(d->in, bytes, s->block, LZ4_BLOCK_BYTES,
			      &s->length))
		return fail(d, -EINVAL, "lz4 data is corrupt");
	s->taken = 0;
	skip(d, bytes);
	return 0;
}

static int step_lz4(struct decompressor *d, u8 *dst, u64 size, u64 *done)
{
	struct lz4_stream *s = &d->state->lz4;

	*done = 0;
	if (s->taken == s->length)
		return next_lz4_block(d);
	*done = MIN(size, s->length - s->taken);
	memcpy(dst, s->block + s->taken, *done);
	s->taken += *done;
	return 0;
}

static int step(struct decompressor *d, u8 *dst, u64 size, u64 *done)
{
	switch (d->kind) {
	case COMPRESSION_XZ:
		return step_xz(d, dst, size, done);
	case COMPRESSION_GZIP:
		return step_gzip(d, dst, size, done);
	case COMPRESSION_LZ4:
		return step_lz4(d, dst, size, done);
	default:
		return step_zstd(d, dst, size, done);
	}
}

int decompress_read(struct decompressor *d, void *dst, u64 size_bytes)
{
	u8 *to = dst;

	if (d->kind == COMPRESSION_NONE) {
		if (size_bytes > d->in_left)
			return fail(d, -EINVAL, "the file is truncated");
		memcpy(dst, d->in, size_bytes);
		d->in += size_bytes;
		d->in_left -= size_bytes;
		return 0;
	}
	while (size_bytes) {
		u64 done;
		int rc;

		if (d->state->ended)
			return fail(d, -EINVAL, "shorter than its stated size");
		rc = step(d, to, size_bytes, &done);
		if (rc)
			return rc;
		to += done;
		size_bytes -= done;
	}
	return 0;
}

int decompress_finish(struct decompressor *d)
{
	if (d->kind == COMPRESSION_NONE)
		return d->in_left ? fail(d, -EINVAL, "data is left over") : 0;
	/* What is left is at most the check sum and the index. A byte more of
	 * data would land in `excess`. */
	while (!d->state->ended) {
		u8 excess;
		u64 done;
		int rc = step(d, &excess, sizeof(excess), &done);

		if (rc)
			return rc;
		if (done)
			return fail(d, -EINVAL, "longer than its stated size");
	}
	return 0;
}
