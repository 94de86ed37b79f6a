// SPDX-License-Identifier: Apache-2.0
/*
 * What a card would do for a sender, for receivers that have none: completing
 * checksums and cutting large TCP packets (contract in net_packet.h). Pure.
 */
#include <hv/frame.h>

#include "checksum.h"
#include "net_packet.h"

#define TCP_FIN 0x01
#define TCP_PSH 0x08
#define TCP_CWR 0x80

void cursor_copy(struct packet_cursor *c, u8 *to, u32 bytes)
{
	const struct net_packet *p = c->packet;

	while (bytes) {
		const u8 *from = p->header;
		u32 length = p->header_bytes, n;

		if (c->piece) {
			from = p->pieces[c->piece - 1].data;
			length = p->pieces[c->piece - 1].bytes;
		}
		n = MIN(bytes, length - c->offset);
		memcpy(to, from + c->offset, n);
		to += n;
		bytes -= n;
		c->offset += n;
		if (c->offset == length) {
			c->piece++;
			c->offset = 0;
		}
	}
}

/* Sum of the packet's bytes from offset, in the header, to end. */
static u16 sum_from(const struct net_packet *p, u32 offset, u32 end)
{
	u32 in_header = MIN(end, p->header_bytes) - offset;
	u16 sum = checksum_add(0, p->header + offset, in_header, false);
	u32 at = offset + in_header;

	for (u32 i = 0; i < p->piece_count && at < end; i++) {
		u32 n = MIN(p->pieces[i].bytes, end - at);

		sum = checksum_add(sum, p->pieces[i].data, n,
				   (at - offset) & 1);
		at += n;
	}
	return sum;
}

void packet_complete_csum(struct net_packet *p)
{
	u32 field = (u32)p->offload.csum_start + p->offload.csum_offset;
	u16 sum = (u16)~sum_from(p, p->offload.csum_start, p->key.l4_end);

	/* 0 would say that there is none. */
	if (!sum && p->key.protocol == IP_UDP)
		sum = 0xffff;
	__builtin_memcpy(p->header + field, &sum, sizeof(sum));
	p->offload.flags &= (u16)~PACKET_CSUM_BLANK;
}

bool gso_valid(const struct net_packet *p)
{
	const struct packet_key *k = &p->key;
	u8 family = p->offload.flags & PACKET_GSO_TCPV4 ? 4 : 6;

	return (p->offload.flags & PACKET_GSO) != PACKET_GSO &&
	       (p->offload.flags & PACKET_CSUM_BLANK) && k->family == family &&
	       k->protocol == IP_TCP && (k->flags & KEY_PORTS) &&
	       !mac_is_multicast(k->target_mac) && !(k->flags & KEY_FRAGMENT) &&
	       p->offload.gso_bytes >= GSO_BYTES_MIN &&
	       k->data_offset <= p->header_bytes &&
	       k->data_offset < p->total_bytes;
}

u32 gso_count(const struct net_packet *p)
{
	u32 payload = p->total_bytes - p->key.data_offset;

	return (payload + p->offload.gso_bytes - 1) / p->offload.gso_bytes;
}

static void add_piece(struct net_packet *p, const u8 *data, u32 bytes,
		      u16 owner_id)
{
	p->pieces[p->piece_count++] =
		(struct packet_piece){ data, bytes, owner_id };
}

/* The payload's bytes [from, from + bytes), counted from the packet's start. */
static void take_payload(const struct net_packet *whole, u32 from, u32 bytes,
			 struct net_packet *out)
{
	u32 at = whole->header_bytes;

	out->piece_count = 0;
	if (from < at) {
		u32 n = MIN(bytes, at - from);

		add_piece(out, whole->header + from, n, OWNER_HV);
		from += n;
		bytes -= n;
	}
	for (u32 i = 0; bytes; i++) {
		const struct packet_piece *piece = &whole->pieces[i];

		if (from < at + piece->bytes) {
			u32 n = MIN(bytes, at + piece->bytes - from);

			add_piece(out, piece->data + (from - at), n,
				  piece->owner_id);
			from += n;
			bytes -= n;
		}
		at += piece->bytes;
	}
}

static void fix_ip(struct net_packet *p, u32 index)
{
	u8 *ip = p->header + p->key.l3_offset;
	u32 bytes = p->total_bytes - p->key.l3_offset;
	u16 sum;

	if (p->key.family == 6) {
		put_be16(ip + 4, (u16)(bytes - 40));
		return;
	}
	put_be16(ip + 2, (u16)bytes);
	put_be16(ip + 4, (u16)(get_be16(ip + 4) + index));
	put_be16(ip + 10, 0);
	sum = (u16)~checksum_add(0, ip, (ip[0] & 15) * 4U, false);
	__builtin_memcpy(ip + 10, &sum, sizeof(sum));
}

static void fix_tcp(struct net_packet *p, u32 sent, bool first, bool last)
{
	u8 *tcp = p->header + p->key.l4_offset;
	u16 sum;

	put_be32(tcp + 4, get_be32(tcp + 4) + sent);
	if (!last)
		tcp[13] &= (u8) ~(TCP_FIN | TCP_PSH);
	if (!first)
		tcp[13] &= (u8)~TCP_CWR;
	sum = checksum_pseudo(p->header + p->key.l3_offset, p->key.family,
			      IP_TCP, p->total_bytes - p->key.l4_offset);
	__builtin_memcpy(tcp + 16, &sum, sizeof(sum));
}

void gso_piece(const struct net_packet *whole, u32 index,
	       struct net_packet *out)
{
	u32 headers = whole->key.data_offset;
	u32 payload = whole->total_bytes - headers;
	u32 sent = index * whole->offload.gso_bytes;
	u32 bytes = MIN(payload - sent, (u32)whole->offload.gso_bytes);

	out->key = whole->key;
	out->offload = (struct packet_offload){
		.flags = PACKET_CSUM_BLANK,
		.csum_start = whole->offload.csum_start,
		.csum_offset = whole->offload.csum_offset,
	};
	out->header_bytes = headers;
	out->total_bytes = headers + bytes;
	out->key.l4_end = out->total_bytes;
	memcpy(out->header, whole->header, headers);
	take_payload(whole, headers + sent, bytes, out);
	fix_ip(out, index);
	fix_tcp(out, sent, !index, sent + bytes == payload);
}
