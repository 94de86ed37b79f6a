// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a packet: the parser and what works from its word (rewriting,
 * completing, cutting) stay inside the packet. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <hv/log.h>

#include "../../net/net_packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void cut(const struct net_packet *p)
{
	struct net_packet part;
	u32 count = gso_count(p), payload = 0;

	for (u32 i = 0; i < count && i < 8; i++) {
		gso_piece(p, i, &part);
		packet_complete_csum(&part);
		payload += part.total_bytes - part.header_bytes;
	}
	CHECK(payload <= p->total_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct net_packet p = { .piece_count = 0 };
	u8 *header, *rest = NULL;
	u32 bytes;
	bool gso;

	if (size < 3)
		return 0;
	gso = data[0] & 1;
	p.offload.gso_bytes = data[1];
	data += 2;
	bytes = (u32)size - 2;
	p.total_bytes = bytes;
	p.header_bytes = MIN(bytes, (u32)PACKET_HEADER_BYTES);
	header = malloc(p.header_bytes);
	CHECK(header);
	memcpy(header, data, p.header_bytes);
	memcpy(p.header, data, p.header_bytes);
	if (bytes > p.header_bytes) {
		rest = malloc(bytes - p.header_bytes);
		CHECK(rest);
		memcpy(rest, data + p.header_bytes, bytes - p.header_bytes);
		p.pieces[0].data = rest;
		p.pieces[0].bytes = bytes - p.header_bytes;
		p.piece_count = 1;
	}
	if (packet_parse(header, bytes, gso, &p.key)) {
		CHECK(p.key.l4_end <= bytes);
		p.offload.csum_start = p.key.l4_offset;
		p.offload.csum_offset = packet_csum_offset(&p.key);
		if (p.offload.csum_offset) {
			p.offload.flags = PACKET_CSUM_BLANK;
			if (gso)
				p.offload.flags |= p.key.family == 4
							   ? PACKET_GSO_TCPV4
							   : PACKET_GSO_TCPV6;
			if (gso && gso_valid(&p))
				cut(&p);
			packet_complete_csum(&p);
		}
	}
	free(header);
	free(rest);
	return 0;
}
