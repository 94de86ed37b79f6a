/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Internet checksum: of bytes in pieces, and changed along with a field
 * instead of computed anew. Pure. A sum is folded to 16 bits in the order of
 * the machine's memory, which is how the field is stored: sums of parts at even
 * offsets just add up.
 */
#ifndef NET_CHECKSUM_H
#define NET_CHECKSUM_H

#include <hv/types.h>

/* The sum of bytes, added to sum; of a piece at an odd offset odd is set. */
u16 checksum_add(u16 sum, const void *data, u32 bytes, bool odd) MUST_CHECK;

/* Of the pseudo header in front of TCP and UDP: ip points to the IP header,
 * bytes counts from the transport's header. */
u16 checksum_pseudo(const u8 *ip, u8 family, u8 protocol, u32 bytes) MUST_CHECK;

static inline u16 checksum_sum(u16 a, u16 b)
{
	u32 sum = (u32)a + b;

	return (u16)(sum + (sum >> 16));
}

/* A field with a checksum over old bytes, from now on over fresh ones, at an
 * even offset. bytes is even. partial: it holds a plain sum, to be completed
 * by whoever sends it. */
void checksum_replace(u8 *field, const void *old, const void *fresh, u32 bytes,
		      bool partial);

#endif
