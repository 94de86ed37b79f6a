// SPDX-License-Identifier: Apache-2.0
/* The parser of packets (contract in packet.h). */
#include "packet.h"

#include <hv/string.h>

#define IPV4_MORE_FRAGMENTS 0x2000
#define IPV4_OFFSET_MASK 0x1fff
/* Extension headers of IPv6 that are walked through. */
#define IPV6_EXTENSIONS_MAX 6
#define IPV6_HOP_BY_HOP 0
#define IPV6_ROUTING 43
#define IPV6_FRAGMENT 44
#define IPV6_DESTINATION 60
#define ND_SOURCE_MAC 1
#define ND_TARGET_MAC 2
#define ND_BODY_BYTES 24

struct parser {
	const u8 *header;
	u32 copied; /* bytes at header */
	u32 total;  /* bytes of the packet */
	u32 end;    /* where IP says it ends */
	bool gso;
	struct packet_key *key;
};

/* True when bytes at offset are in the copy. */
static bool has(const struct parser *p, u32 offset, u32 bytes)
{
	return offset + bytes <= p->copied;
}

/* The options behind a solicitation or an advertisement. */
static bool parse_nd(struct parser *p, u32 at)
{
	struct packet_key *k = p->key;
	u8 wanted = k->icmp_type == ICMPV6_NEIGHBOUR_SOLICIT ? ND_SOURCE_MAC
							     : ND_TARGET_MAC;

	/* No fragments of it (RFC 6980), and all of it must be seen. */
	if ((k->flags & KEY_FRAGMENT) || p->end > p->copied ||
	    at + ND_BODY_BYTES > p->end || p->header[at + 1])
		return false;
	/* Routers do not pass it on, so it has been sent on this link. */
	if (p->header[k->l3_offset + 7] != 255)
		return false;
	memcpy(k->nd_target.bytes, p->header + at + 8, 16);
	k->flags |= KEY_ND;
	for (at += ND_BODY_BYTES; at < p->end;) {
		const u8 *option = p->header + at;

		if (p->end - at < 8 || !option[1] ||
		    option[1] * 8U > p->end - at)
			return false;
		if (option[0] == wanted) {
			/* A second one could say something else. */
			if (option[1] != 1 || (k->flags & KEY_ND_MAC))
				return false;
			memcpy(k->nd_mac, option + 2, 6);
			k->flags |= KEY_ND_MAC;
		}
		at += option[1] * 8U;
	}
	return true;
}

static bool parse_tcp(struct parser *p, u32 at)
{
	u32 header_bytes;

	if (!has(p, at, 20))
		return false;
	header_bytes = (p->header[at + 12] >> 4) * 4U;
	if (header_bytes < 20)
		return false;
	p->key->data_offset = (u16)(at + header_bytes);
	return (p->key->flags & KEY_FRAGMENT) || at + header_bytes <= p->end;
}

static bool parse_udp(struct parser *p, u32 at)
{
	u32 bytes;

	if (!has(p, at, 8))
		return false;
	bytes = get_be16(p->header + at + 4);
	if (bytes < 8 ||
	    (!(p->key->flags & KEY_FRAGMENT) && bytes > p->end - at))
		return false;
	p->key->data_offset = (u16)(at + 8);
	return true;
}

static bool parse_icmp(struct parser *p, u32 at)
{
	struct packet_key *k = p->key;

	if (!has(p, at, 4))
		return false;
	k->icmp_type = p->header[at];
	if (k->protocol != IP_ICMPV6)
		return true;
	if (k->icmp_type == ICMPV6_NEIGHBOUR_SOLICIT ||
	    k->icmp_type == ICMPV6_NEIGHBOUR_ADVERT)
		return parse_nd(p, at);
	return true;
}

static bool parse_transport(struct parser *p, u32 at)
{
	struct packet_key *k = p->key;

	if (at > p->end)
		return false;
	k->l4_end = p->end;
	if (k->flags & KEY_LATER)
		return true;
	k->l4_offset = (u16)at;
	switch (k->protocol) {
	case IP_TCP:
	case IP_UDP:
		if (at + 8 > p->end)
			return false;
		if (!(k->protocol == IP_TCP ? parse_tcp(p, at)
					    : parse_udp(p, at)))
			return false;
		k->source_port = get_be16(p->header + at);
		k->target_port = get_be16(p->header + at + 2);
		k->flags |= KEY_PORTS;
		return true;
	case IP_ICMP:
		return k->family != 4 || parse_icmp(p, at);
	case IP_ICMPV6:
		return k->family != 6 || parse_icmp(p, at);
	default:
		return true;
	}
}

static bool parse_ipv4(struct parser *p, u32 at)
{
	const u8 *ip = p->header + at;
	struct packet_key *k = p->key;
	u32 header_bytes, bytes, fragment;

	if (!has(p, at, 20) || ip[0] >> 4 != 4)
		return false;
	header_bytes = (ip[0] & 15) * 4U;
	bytes = get_be16(ip + 2);
	if (header_bytes < 20 || !has(p, at, header_bytes) ||
	    bytes < header_bytes || bytes > p->total - at)
		return false;
	/* Of one that is to be cut the length is that of the pieces' sum. */
	if (p->gso && bytes != p->total - at)
		return false;
	p->end = at + bytes;
	k->family = 4;
	k->protocol = ip[9];
	k->l3_offset = (u16)at;
	memcpy(k->source.bytes, ip + 12, 4);
	memcpy(k->target.bytes, ip + 16, 4);
	fragment = get_be16(ip + 6);
	if (fragment & (IPV4_MORE_FRAGMENTS | IPV4_OFFSET_MASK))
		k->flags |= KEY_FRAGMENT;
	if (fragment & IPV4_OFFSET_MASK) {
		k->flags |= KEY_LATER;
		/* It would overwrite the ports and flags of the first. */
		if (k->protocol == IP_TCP &&
		    (fragment & IPV4_OFFSET_MASK) * 8 < 20)
			return false;
	}
	return parse_transport(p, at + header_bytes);
}

/* Walks the extension headers; *at and *next: those of the last one's end. */
static bool skip_extensions(struct parser *p, u32 *at, u8 *next)
{
	for (int i = 0; i < IPV6_EXTENSIONS_MAX; i++) {
		const u8 *e = p->header + *at;

		switch (*next) {
		case IPV6_HOP_BY_HOP:
		case IPV6_ROUTING:
		case IPV6_DESTINATION:
			if (!has(p, *at, 8))
				return false;
			*at += (e[1] + 1U) * 8;
			break;
		case IPV6_FRAGMENT:
			if (!has(p, *at, 8))
				return false;
			*at += 8;
			if (get_be16(e + 2) & 0xfff9)
				p->key->flags |= KEY_FRAGMENT;
			if (get_be16(e + 2) & 0xfff8) {
				p->key->flags |= KEY_LATER;
				*next = e[0];
				return true;
			}
			break;
		default:
			return true;
		}
		*next = e[0];
	}
	return false;
}

static bool parse_ipv6(struct parser *p, u32 at)
{
	const u8 *ip = p->header + at;
	struct packet_key *k = p->key;
	u32 bytes;
	u8 next;

	if (!has(p, at, 40) || ip[0] >> 4 != 6)
		return false;
	bytes = 40U + get_be16(ip + 4);
	if (bytes > p->total - at || (p->gso && bytes != p->total - at))
		return false;
	p->end = at + bytes;
	k->family = 6;
	k->l3_offset = (u16)at;
	memcpy(k->source.bytes, ip + 8, 16);
	memcpy(k->target.bytes, ip + 24, 16);
	next = ip[6];
	at += 40;
	if (!skip_extensions(p, &at, &next))
		return false;
	k->protocol = next;
	return parse_transport(p, at);
}

static bool parse_arp(struct parser *p, u32 at)
{
	const u8 *arp = p->header + at;
	struct packet_key *k = p->key;

	/* Ethernet and IPv4, with addresses of their lengths. */
	if (!has(p, at, 28) || get_be32(arp) != 0x00010800 ||
	    get_be16(arp + 4) != 0x0604)
		return false;
	k->flags |= KEY_ARP;
	k->arp_op = get_be16(arp + 6);
	memcpy(k->arp_mac, arp + 8, 6);
	memcpy(k->source.bytes, arp + 14, 4);
	memcpy(k->target.bytes, arp + 24, 4);
	return true;
}

bool packet_parse(const u8 *header, u32 total_bytes, bool gso,
		  struct packet_key *key)
{
	struct parser p = {
		.header = header,
		.copied = MIN(total_bytes, PACKET_HEADER_BYTES),
		.total = total_bytes,
		.gso = gso,
		.key = key,
	};
	u32 at = ETHERNET_BYTES;

	memset(key, 0, sizeof(*key));
	if (total_bytes < ETHERNET_BYTES || total_bytes > PACKET_MAX_BYTES)
		return false;
	memcpy(key->target_mac, header, 6);
	memcpy(key->source_mac, header + 6, 6);
	if (mac_is_multicast(key->source_mac))
		return false;
	key->ethertype = get_be16(header + 12);
	if (key->ethertype == ETHERTYPE_VLAN) {
		if (!has(&p, at, 4))
			return false;
		key->flags |= KEY_VLAN;
		key->ethertype = get_be16(header + 16);
		at += 4;
	}
	switch (key->ethertype) {
	case ETHERTYPE_IPV4:
		return parse_ipv4(&p, at);
	case ETHERTYPE_IPV6:
		return parse_ipv6(&p, at);
	case ETHERTYPE_ARP:
		return parse_arp(&p, at);
	default:
		return true;
	}
}

void address_link_local(union net_address *out, const u8 *mac)
{
	const u8 bytes[16] = {
		0xfe,       0x80,   0,      0,    0,    0,      0,      0,
		mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, mac[3], mac[4], mac[5],
	};

	memcpy(out->bytes, bytes, sizeof(bytes));
}
