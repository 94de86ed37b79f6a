// SPDX-License-Identifier: Apache-2.0
/* The Internet checksum (contract in checksum.h), eight bytes at a step. */
#include "checksum.h"

#include <hv/string.h>

static u16 fold(u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (u16)sum;
}

/* With the carry added back, as one's complement wants it. */
static u64 add(u64 sum, u64 word)
{
	sum += word;
	return sum + (sum < word);
}

u16 checksum_add(u16 sum, const void *data, u32 bytes, bool odd)
{
	const u8 *p = data;
	u64 total = 0, word;
	u16 folded;

	for (; bytes >= 32; bytes -= 32, p += 32) {
		u64 w[4];

		__builtin_memcpy(w, p, sizeof(w));
		total = add(total, w[0]);
		total = add(total, w[1]);
		total = add(total, w[2]);
		total = add(total, w[3]);
	}
	for (; bytes >= 8; bytes -= 8, p += 8) {
		__builtin_memcpy(&word, p, sizeof(word));
		total = add(total, word);
	}
	word = 0;
	for (u32 i = 0; i < bytes; i++)
		word |= (u64)p[i] << (8 * i);
	folded = fold(add(total, word));
	if (odd)
		folded = (u16)(folded << 8 | folded >> 8);
	return checksum_sum(sum, folded);
}

u16 checksum_pseudo(const u8 *ip, u8 family, u8 protocol, u32 bytes)
{
	const u8 tail[8] = { (u8)(bytes >> 24),
			     (u8)(bytes >> 16),
			     (u8)(bytes >> 8),
			     (u8)bytes,
			     0,
			     0,
			     0,
			     protocol };
	u16 sum;

	if (family == 4)
		sum = checksum_add(0, ip + 12, 8, false);
	else
		sum = checksum_add(0, ip + 8, 32, false);
	return checksum_add(sum, tail, sizeof(tail), false);
}

void checksum_replace(u8 *field, const void *old, const void *fresh, u32 bytes,
		      bool partial)
{
	u16 sum, minus = checksum_add(0, old, bytes, false);
	u16 plus = checksum_add(0, fresh, bytes, false);

	__builtin_memcpy(&sum, field, sizeof(sum));
	if (!partial)
		sum = (u16)~sum;
	sum = checksum_sum(sum, (u16)~minus);
	sum = checksum_sum(sum, plus);
	if (!partial)
		sum = (u16)~sum;
	__builtin_memcpy(field, &sum, sizeof(sum));
}
