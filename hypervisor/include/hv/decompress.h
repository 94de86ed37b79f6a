/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams a compressed image from memory: the reader says where each piece of
 * the result goes, so that it is written once, to its final place.
 */
#ifndef HV_DECOMPRESS_H
#define HV_DECOMPRESS_H

#include <hv/scratch.h>
#include <hv/types.h>

enum compression {
	COMPRESSION_NONE,
	COMPRESSION_GZIP,
	COMPRESSION_XZ,
	COMPRESSION_ZSTD,
	/* Recognised so that they can be named, but not supported. */
	COMPRESSION_BZIP2,
	COMPRESSION_LZMA,
	COMPRESSION_LZO,
	COMPRESSION_LZ4,
	COMPRESSION_UNKNOWN,
};

/* By the first bytes; NONE is an ELF file. */
enum compression compression_of(const u8 *data, u64 size_bytes);
const char *compression_name(enum compression c);
bool compression_supported(enum compression c);

struct decoder;

struct decompressor {
	enum compression kind;
	const u8 *in; /* what is not consumed yet */
	u64 in_left;
	struct decoder *state; /* the library's, in scratch memory */
	const char *error;     /* after a failure: what the decoder said */
};

/* Scratch memory is used until decompress_finish; the decoder may ask for
 * more of it during decompress_read. 0, or -ENOMEM. */
int decompress_start(struct decompressor *d, enum compression kind,
		     const u8 *data, u64 size_bytes,
		     const struct scratch *scratch) MUST_CHECK;
/* Produces exactly size_bytes: 0, -EINVAL (damaged, or ends before) or
 * -ENOMEM, with d->error set. */
int decompress_read(struct decompressor *d, void *dst, u64 size_bytes)
	MUST_CHECK;
/* Everything must have been read: checks that the stream ends here and that
 * its check sum is right. 0, -EINVAL or -ENOMEM. */
int decompress_finish(struct decompressor *d) MUST_CHECK;

#endif
