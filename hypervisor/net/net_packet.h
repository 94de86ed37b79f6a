/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A packet on its way through the switch: its first bytes in a private copy,
 * which is what has been checked and what is delivered, and the rest where the
 * sender left it, in memory that stays until the call returns. Pieces may be
 * changed by a hostile sender meanwhile; nobody but the receiver interprets
 * them.
 */
#ifndef NET_NET_PACKET_H
#define NET_NET_PACKET_H

#include <hv/string.h>
#include <hv/types.h>
#include <hv/uplink.h>

#include "packet.h"

/* Fragments of a request, the rest of the first one's among them. */
#define PACKET_PIECES_MAX 20
#define PACKET_GSO (PACKET_GSO_TCPV4 | PACKET_GSO_TCPV6)
/* Pieces that software cuts a packet into at most. */
#define GSO_PIECES_MAX 64
/* Less is no path's maximum segment size. */
#define GSO_BYTES_MIN 48

struct packet_piece {
	const u8 *data; /* in the direct map, if it is a domain's */
	u32 bytes;
	u16 owner_id; /* whose memory: a domain's, or OWNER_HV */
};

struct net_packet {
	struct packet_key key;
	struct packet_offload offload;
	u32 total_bytes;
	u32 header_bytes; /* of them in header */
	u32 piece_count;
	struct packet_piece pieces[PACKET_PIECES_MAX]; /* after the header */
	u8 header[PACKET_HEADER_BYTES] ALIGNED(8);
};

/* Where in a packet the next byte to be copied is. */
struct packet_cursor {
	const struct net_packet *packet;
	u32 piece; /* 0: the header */
	u32 offset;
};

static inline void cursor_init(struct packet_cursor *c,
			       const struct net_packet *p)
{
	c->packet = p;
	c->piece = c->offset = 0;
}

/* Copies the next bytes, of which there are as many. */
void cursor_copy(struct packet_cursor *c, u8 *to, u32 bytes);

/* Computes what CSUM_BLANK says is missing. */
void packet_complete_csum(struct net_packet *p);

/* How many packets software makes out of one with PACKET_GSO. */
u32 gso_count(const struct net_packet *p);
/* The index-th of them; whether whole asks for something possible has been
 * checked by gso_valid. Its checksum is blank. */
void gso_piece(const struct net_packet *whole, u32 index,
	       struct net_packet *out);
/* True when the offload fields of a packet fit what is in it. */
bool gso_valid(const struct net_packet *p);

#endif
