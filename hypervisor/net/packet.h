/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a packet says about itself: one pass over a private copy of its first
 * bytes, Ethernet up to the ports. Pure: nobody else can change the copy, and
 * nothing but the copy is looked at. Whatever the bytes, the parser stays in
 * them; what contradicts itself is refused, what is merely unknown is not.
 */
#ifndef NET_PACKET_H
#define NET_PACKET_H

#include <hv/types.h>

/* Bytes of a packet that are copied before anything is decided. */
#define PACKET_HEADER_BYTES 128
#define ETHERNET_BYTES 14
/* Of a packet: what a length field of IP can say, and its Ethernet header. */
#define PACKET_MAX_BYTES (65535 + 18)

#define ETHERTYPE_IPV4 0x0800
#define ETHERTYPE_ARP 0x0806
#define ETHERTYPE_VLAN 0x8100
#define ETHERTYPE_IPV6 0x86dd

#define IP_ICMP 1
#define IP_TCP 6
#define IP_UDP 17
#define IP_ICMPV6 58

#define ICMPV6_MLD_REPORT 131
#define ICMPV6_MLD_DONE 132
#define ICMPV6_ROUTER_SOLICIT 133
#define ICMPV6_ROUTER_ADVERT 134
#define ICMPV6_NEIGHBOUR_SOLICIT 135
#define ICMPV6_NEIGHBOUR_ADVERT 136
#define ICMPV6_REDIRECT 137
#define ICMPV6_MLDV2_REPORT 143

#define ARP_REQUEST 1
#define ARP_REPLY 2

/* An address: of IPv4 in the first four bytes, the others zero. */
union net_address {
	u8 bytes[16];
	u32 words[4];
	u64 halves[2];
};

/* key->flags */
#define KEY_VLAN 1
#define KEY_PORTS 2    /* the port fields are the packet's */
#define KEY_FRAGMENT 4 /* of IP, first or later */
#define KEY_LATER 8    /* a fragment but the first: nothing above IP in it */
#define KEY_ARP 16     /* source and target are ARP's, arp_op is set */
#define KEY_ND 32      /* neighbour discovery: nd_target is set, ... */
#define KEY_ND_MAC 64  /* ... and nd_mac, from its option */

struct packet_key {
	union net_address source, target;
	u8 target_mac[6], source_mac[6];
	u16 ethertype;                /* host order, behind a VLAN tag */
	u8 family;                    /* 4, 6; 0: not IP */
	u8 protocol;                  /* IP's number of what is in it */
	u16 source_port, target_port; /* host order */
	u8 flags;
	u8 icmp_type;    /* ICMP and ICMPv6 */
	u16 arp_op;      /* host order */
	u8 arp_mac[6];   /* ARP's sender */
	u16 l3_offset;   /* of the IP header */
	u16 l4_offset;   /* of what is in it; 0: none seen */
	u16 data_offset; /* TCP and UDP: of the payload, perhaps past the copy
			  */
	u32 l4_end;      /* where IP says the packet ends; 0: not IP */
	union net_address nd_target;
	u8 nd_mac[6];
};

/* header: the first MIN(total_bytes, PACKET_HEADER_BYTES) bytes. False:
 * malformed. gso: the packet is to be cut into pieces. */
bool packet_parse(const u8 *header, u32 total_bytes, bool gso,
		  struct packet_key *key) MUST_CHECK;

/* Where the checksum of TCP or UDP is in its header; 0: neither. */
static inline u16 packet_csum_offset(const struct packet_key *k)
{
	if (!(k->flags & KEY_PORTS) || (k->flags & KEY_FRAGMENT))
		return 0;
	return k->protocol == IP_TCP ? 16 : 6;
}

static inline u16 get_be16(const u8 *p)
{
	return (u16)(p[0] << 8 | p[1]);
}

static inline u32 get_be32(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

static inline void put_be16(u8 *p, u16 v)
{
	p[0] = (u8)(v >> 8);
	p[1] = (u8)v;
}

static inline void put_be32(u8 *p, u32 v)
{
	put_be16(p, (u16)(v >> 16));
	put_be16(p + 2, (u16)v);
}

/* A MAC as a number; 48 bits, only to be compared and hashed. */
static inline u64 mac_word(const u8 *mac)
{
	u32 low;
	u16 high;

	__builtin_memcpy(&low, mac, 4);
	__builtin_memcpy(&high, mac + 4, 2);
	return (u64)high << 32 | low;
}

static inline bool mac_is_multicast(const u8 *mac)
{
	return mac[0] & 1;
}

static inline bool address_equal(const union net_address *a,
				 const union net_address *b)
{
	return a->halves[0] == b->halves[0] && a->halves[1] == b->halves[1];
}

static inline bool address_is_zero(const union net_address *a)
{
	return !(a->halves[0] | a->halves[1]);
}

/* fe80::, and the interface identifier that belongs to the MAC. */
void address_link_local(union net_address *out, const u8 *mac);

#endif
