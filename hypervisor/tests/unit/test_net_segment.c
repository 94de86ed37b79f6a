// SPDX-License-Identifier: Apache-2.0
/* Cutting large TCP packets, however they lie in memory: the parts' payloads
 * make up the whole, and every part is a good packet. */
#include <stdlib.h>

#include <hv/log.h>

#include "../../net/net_packet.h"
#include "../fake/packets.h"
#include "check.h"

static const u8 mac_a[6] = { 2, 0, 0, 0, 0, 1 };
static const u8 ip_a[4] = { 10, 0, 0, 1 };
static const u8 ip6_a[16] = { 0xfd, [15] = 1 };
static struct frame_bytes frame, part_bytes;

/* The frame as a packet in random pieces, each of its own memory. */
static void scatter(struct net_packet *p, u64 *seed, u8 **memory)
{
	u32 at;

	memset(p, 0, sizeof(*p));
	p->total_bytes = frame.bytes;
	p->header_bytes = MIN(frame.bytes, (u32)PACKET_HEADER_BYTES);
	memcpy(p->header, frame.data, p->header_bytes);
	for (at = p->header_bytes; at < frame.bytes;) {
		u32 left = frame.bytes - at;
		u32 n = p->piece_count == 18
				? left
				: 1 + (u32)(random_next(seed) % (left / 4 + 1));
		u8 *m = malloc(n);

		CHECK(m);
		memcpy(m, frame.data + at, n);
		memory[p->piece_count] = m;
		p->pieces[p->piece_count].data = m;
		p->pieces[p->piece_count].bytes = n;
		p->piece_count++;
		at += n;
	}
	CHECK(packet_parse(p->header, p->total_bytes, true, &p->key));
}

static void one(u64 *seed)
{
	int family = random_next(seed) & 1 ? 4 : 6;
	const u8 *address = family == 4 ? ip_a : ip6_a;
	u32 payload = 1 + (u32)(random_next(seed) % 60000), at = 0, count;
	u32 head = family == 4 ? 54 : 74;
	struct net_packet whole, part;
	u8 *memory[20];

	frame_ip(&frame, mac_a, mac_a, family, address, address, 6, 1, 2,
		 payload, (u8)random_next(seed));
	scatter(&whole, seed, memory);
	whole.offload = (struct packet_offload){
		.flags = PACKET_CSUM_BLANK |
			 (family == 4 ? PACKET_GSO_TCPV4 : PACKET_GSO_TCPV6),
		.csum_start = whole.key.l4_offset,
		.csum_offset = 16,
		.gso_bytes = (u16)(GSO_BYTES_MIN + random_next(seed) % 3000),
		.header_bytes = whole.key.data_offset,
	};
	assert_true(gso_valid(&whole));
	count = gso_count(&whole);
	for (u32 i = 0; i < count; i++) {
		struct packet_cursor c;
		u32 n;

		memset(&part, 0xee, sizeof(part));
		gso_piece(&whole, i, &part);
		packet_complete_csum(&part);
		assert_int_equal(part.offload.flags, 0);
		part_bytes.bytes = part.total_bytes;
		cursor_init(&c, &part);
		/* In two steps, wherever the cut is. */
		n = (u32)(random_next(seed) % part.total_bytes);
		cursor_copy(&c, part_bytes.data, n);
		cursor_copy(&c, part_bytes.data + n, part.total_bytes - n);
		n = part.total_bytes - head;
		assert_true(n && n <= whole.offload.gso_bytes);
		assert_memory_equal(part_bytes.data + head,
				    frame.data + head + at, n);
		assert_int_equal(naive_transport_sum(&part_bytes), 0xffff);
		if (family == 4)
			assert_int_equal(naive_sum(part_bytes.data + 14, 20, 0),
					 0xffff);
		assert_true(packet_parse(part.header, part.total_bytes, true,
					 &part.key));
		assert_int_equal(get_be32(part_bytes.data + head - 16),
				 get_be32(frame.data + head - 16) + at);
		at += n;
	}
	assert_int_equal(at, payload);
	for (u32 i = 0; i < whole.piece_count; i++)
		free(memory[i]);
}

static void test_cut(void **state)
{
	u64 seed = 5;

	(void)state;
	for (u32 i = 0; i < 400; i++)
		one(&seed);
}

/* 0 says that UDP has no checksum, so the sum 0 is written as ffff. */
static void test_udp_zero(void **state)
{
	struct net_packet p = { .piece_count = 0 };
	u32 sum;

	(void)state;
	frame_ip(&frame, mac_a, mac_a, 4, ip_a, ip_a, 17, 1, 2, 2, 0);
	put16(frame.data + 40, 0);
	put16(frame.data + 42, 0);
	sum = naive_transport_sum(&frame);
	put16(frame.data + 42, 0xffff - sum);
	p.total_bytes = p.header_bytes = frame.bytes;
	memcpy(p.header, frame.data, frame.bytes);
	CHECK(packet_parse(p.header, p.total_bytes, false, &p.key));
	/* The pseudo header's sum stands in the field. */
	sum = naive_sum(frame.data + 26, 8, 0) + 17 + 10;
	put16(p.header + 40, (sum & 0xffff) + (sum >> 16));
	p.offload.flags = PACKET_CSUM_BLANK;
	p.offload.csum_start = 34;
	p.offload.csum_offset = 6;
	packet_complete_csum(&p);
	assert_int_equal(get_be16(p.header + 40), 0xffff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_udp_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
