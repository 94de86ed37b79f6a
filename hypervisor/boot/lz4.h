/* SPDX-License-Identifier: Apache-2.0 */
/* One block of LZ4, as its public format description has it. Pure. */
#ifndef BOOT_LZ4_H
#define BOOT_LZ4_H

#include <hv/types.h>

/* Decodes in[0 .. in_bytes) into at most out_bytes; *done says how many.
 * False: it is no such block, or does not fit. */
bool lz4_decode_block(const u8 *in, u64 in_bytes, u8 *out, u64 out_bytes,
		      u64 *done);

#endif
