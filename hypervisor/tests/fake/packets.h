/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets for tests, built byte by byte and independent of the code under test,
 * and the checksum as RFC 1071 writes it down.
 */
#ifndef FAKE_PACKETS_H
#define FAKE_PACKETS_H

#include <stdint.h>
#include <string.h>

struct frame_bytes {
	uint8_t data[65600];
	uint32_t bytes;
};

static inline void put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline uint32_t naive_sum(const uint8_t *p, uint32_t bytes, uint32_t sum)
{
	for (uint32_t i = 0; i < bytes; i++) {
		sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static inline void frame_ethernet(struct frame_bytes *f, const uint8_t *to,
				  const uint8_t *from, uint16_t type)
{
	memset(f->data, 0, 256);
	memcpy(f->data, to, 6);
	memcpy(f->data + 6, from, 6);
	put16(f->data + 12, type);
	f->bytes = 14;
}

/* Where the transport starts. */
static inline uint32_t frame_transport(const struct frame_bytes *f)
{
	return f->data[14] >> 4 == 6 ? 54 : 14 + (f->data[14] & 15) * 4u;
}

/* Pseudo header and transport of a whole frame, its checksum field included. */
static inline uint32_t naive_transport_sum(const struct frame_bytes *f)
{
	uint32_t l4 = frame_transport(f), n, sum;

	if (f->data[14] >> 4 == 6) {
		n = (uint32_t)(f->data[18] << 8 | f->data[19]);
		sum = naive_sum(f->data + 22, 32, 0);
		sum += f->data[20] + n;
	} else {
		n = (uint32_t)(f->data[16] << 8 | f->data[17]) - (l4 - 14);
		sum = naive_sum(f->data + 26, 8, 0);
		sum += f->data[23] + n;
	}
	sum = (sum & 0xffff) + (sum >> 16);
	return naive_sum(f->data + l4, n, sum);
}

/* TCP (6) or UDP (17) over IPv4 or IPv6 with payload bytes, i-th of them
 * i * 7 + seed, right checksums. */
static inline void frame_ip(struct frame_bytes *f, const uint8_t *to,
			    const uint8_t *from, int family,
			    const uint8_t *source, const uint8_t *target,
			    uint8_t protocol, uint16_t sport, uint16_t dport,
			    uint32_t payload, uint8_t seed)
{
	uint32_t head = protocol == 6 ? 20 : 8, l4;
	uint8_t *ip = f->data + 14;

	frame_ethernet(f, to, from, family == 4 ? 0x0800 : 0x86dd);
	if (family == 4) {
		ip[0] = 0x45;
		put16(ip + 2, 20 + head + payload);
		put16(ip + 4, 77);
		ip[8] = 64;
		ip[9] = protocol;
		memcpy(ip + 12, source, 4);
		memcpy(ip + 16, target, 4);
		put16(ip + 10, ~naive_sum(ip, 20, 0) & 0xffff);
	} else {
		ip[0] = 0x60;
		put16(ip + 4, head + payload);
		ip[6] = protocol;
		ip[7] = 255;
		memcpy(ip + 8, source, 16);
		memcpy(ip + 24, target, 16);
	}
	l4 = frame_transport(f);
	put16(f->data + l4, sport);
	put16(f->data + l4 + 2, dport);
	if (protocol == 6) {
		put16(f->data + l4 + 6, 1000);
		f->data[l4 + 12] = 0x50;
		f->data[l4 + 13] = 0x18;
	} else {
		put16(f->data + l4 + 4, 8 + payload);
	}
	for (uint32_t i = 0; i < payload; i++)
		f->data[l4 + head + i] = (uint8_t)(i * 7 + seed);
	f->bytes = l4 + head + payload;
	put16(f->data + l4 + (protocol == 6 ? 16 : 6),
	      ~naive_transport_sum(f) & 0xffff);
}

static inline void frame_arp(struct frame_bytes *f, const uint8_t *to,
			     const uint8_t *from, uint16_t op,
			     const uint8_t *sender_mac, const uint8_t *sender,
			     const uint8_t *target)
{
	static const uint8_t head[6] = { 0, 1, 8, 0, 6, 4 };

	frame_ethernet(f, to, from, 0x0806);
	memcpy(f->data + 14, head, 6);
	put16(f->data + 20, op);
	memcpy(f->data + 22, sender_mac, 6);
	memcpy(f->data + 28, sender, 4);
	memcpy(f->data + 38, target, 4);
	f->bytes = 42;
}

/* A neighbour solicitation or advertisement with one option, checksum right. */
static inline void frame_nd(struct frame_bytes *f, const uint8_t *to,
			    const uint8_t *from, const uint8_t *source,
			    const uint8_t *target, uint8_t type,
			    const uint8_t *about, const uint8_t *mac)
{
	uint8_t *ip = f->data + 14;

	frame_ethernet(f, to, from, 0x86dd);
	ip[0] = 0x60;
	put16(ip + 4, 32);
	ip[6] = 58;
	ip[7] = 255;
	memcpy(ip + 8, source, 16);
	memcpy(ip + 24, target, 16);
	ip[40] = type;
	memcpy(ip + 48, about, 16);
	ip[64] = type == 135 ? 1 : 2;
	ip[65] = 1;
	memcpy(ip + 66, mac, 6);
	f->bytes = 14 + 40 + 32;
	put16(ip + 42, ~naive_transport_sum(f) & 0xffff);
}

#endif
