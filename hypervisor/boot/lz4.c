// SPDX-License-Identifier: Apache-2.0
/*
 * A block of LZ4 is a row of sequences: a token byte, literals, and then, but
 * for the last sequence, a match of at least four bytes that were put out
 * before. The token's halves are both lengths; 15 means that bytes follow which
 * are added, up to the first that is not 255.
 */
#include "lz4.h"

#include <hv/string.h>

#define MATCH_BYTES_MIN 4
#define LENGTH_FOLLOWS 15

struct input {
	const u8 *at, *end;
};

static bool read_length(struct input *in, u64 first, u64 *length)
{
	u8 more;

	*length = first;
	if (first != LENGTH_FOLLOWS)
		return true;
	do {
		if (in->at == in->end)
			return false;
		more = *in->at++;
		*length += more;
	} while (more == 255);
	return true;
}

/* The distance may be shorter than the match, which then repeats itself. */
static void copy_match(u8 *out, u64 distance, u64 length)
{
	if (distance >= length) {
		memcpy(out, out - distance, length);
		return;
	}
	for (u64 i = 0; i < length; i++)
		out[i] = out[i - distance];
}

bool lz4_decode_block(const u8 *block, u64 in_bytes, u8 *out, u64 out_bytes,
		      u64 *done)
{
	struct input in = { block, block + in_bytes };
	u64 length, distance, at = 0;

	while (in.at < in.end) {
		u8 token = *in.at++;

		if (!read_length(&in, token >> 4, &length) ||
		    length > (u64)(in.end - in.at) || length > out_bytes - at)
			return false;
		memcpy(out + at, in.at, length);
		in.at += length;
		at += length;
		if (in.at == in.end) {
			*done = at;
			return true;
		}
		if (in.end - in.at < 2)
			return false;
		distance = in.at[0] | (u64)in.at[1] << 8;
		in.at += 2;
		if (!read_length(&in, token & 15, &length))
			return false;
		length += MATCH_BYTES_MIN;
		if (!distance || distance > at || length > out_bytes - at)
			return false;
		copy_match(out + at, distance, length);
		at += length;
	}
	return false;
}
