// SPDX-License-Identifier: Apache-2.0
/* The parser against packets built by hand, cut, and of random bytes; the
 * checksum against RFC 1071's own words. */
#include <stdlib.h>

#include "../../net/checksum.h"
#include "../../net/packet.h"
#include "../fake/packets.h"
#include "check.h"

static const u8 mac_a[6] = { 2, 0, 0, 0, 0, 1 };
static const u8 mac_b[6] = { 2, 0, 0, 0, 0, 2 };
static const u8 ip_a[4] = { 10, 0, 0, 1 }, ip_b[4] = { 10, 0, 0, 2 };
static const u8 ip6_a[16] = { 0xfd, [15] = 1 }, ip6_b[16] = { 0xfd, [15] = 2 };
static struct frame_bytes f;

/* As the net room calls it: with a copy that ends where copies end, so that
 * the address sanitizer sees a step beyond. */
static bool parse(bool gso, struct packet_key *k)
{
	u32 n = f.bytes < PACKET_HEADER_BYTES ? f.bytes : PACKET_HEADER_BYTES;
	u8 *copy = malloc(n ? n : 1);
	bool good;

	assert_non_null(copy);
	memcpy(copy, f.data, n);
	good = packet_parse(copy, f.bytes, gso, k);
	free(copy);
	return good;
}

static void test_fields(void **state)
{
	struct packet_key k;

	(void)state;
	frame_ip(&f, mac_b, mac_a, 4, ip_a, ip_b, 6, 1234, 80, 100, 0);
	assert_true(parse(false, &k));
	assert_int_equal(k.family, 4);
	assert_int_equal(k.protocol, 6);
	assert_int_equal(k.flags, KEY_PORTS);
	assert_int_equal(k.source_port, 1234);
	assert_int_equal(k.target_port, 80);
	assert_int_equal(k.l4_offset, 34);
	assert_int_equal(k.data_offset, 54);
	assert_int_equal(k.l4_end, f.bytes);
	assert_memory_equal(k.source.bytes, ip_a, 4);
	assert_memory_equal(k.target.bytes, ip_b, 4);
	assert_memory_equal(k.source_mac, mac_a, 6);
	assert_int_equal(packet_csum_offset(&k), 16);

	frame_ip(&f, mac_b, mac_a, 6, ip6_a, ip6_b, 17, 53, 5353, 9, 0);
	assert_true(parse(false, &k));
	assert_int_equal(k.family, 6);
	assert_int_equal(k.protocol, 17);
	assert_int_equal(k.target_port, 5353);
	assert_memory_equal(k.target.bytes, ip6_b, 16);
	assert_int_equal(packet_csum_offset(&k), 6);

	frame_arp(&f, mac_b, mac_a, 1, mac_a, ip_a, ip_b);
	assert_true(parse(false, &k));
	assert_int_equal(k.flags, KEY_ARP);
	assert_int_equal(k.arp_op, ARP_REQUEST);
	assert_memory_equal(k.target.bytes, ip_b, 4);

	frame_nd(&f, mac_b, mac_a, ip6_a, ip6_b, 136, ip6_a, mac_a);
	assert_true(parse(false, &k));
	assert_int_equal(k.flags, KEY_ND | KEY_ND_MAC);
	assert_memory_equal(k.nd_target.bytes, ip6_a, 16);
	assert_memory_equal(k.nd_mac, mac_a, 6);
}

static void test_vlan_and_padding(void **state)
{
	struct packet_key k;

	(void)state;
	frame_ip(&f, mac_b, mac_a, 4, ip_a, ip_b, 17, 1, 2, 5, 0);
	memmove(f.data + 18, f.data + 14, f.bytes);
	put16(f.data + 12, 0x8100);
	put16(f.data + 14, 7);
	put16(f.data + 16, 0x0800);
	f.bytes += 4 + 10; /* and ten bytes behind the packet */
	assert_true(parse(false, &k));
	assert_int_equal(k.flags, KEY_VLAN | KEY_PORTS);
	assert_int_equal(k.l3_offset, 18);
	assert_int_equal(k.l4_end, f.bytes - 10);
	/* A packet that is to be cut has no such bytes. */
	assert_false(parse(true, &k));
}

static void test_fragments(void **state)
{
	struct packet_key k;

	(void)state;
	frame_ip(&f, mac_b, mac_a, 4, ip_a, ip_b, 6, 1, 2, 64, 0);
	put16(f.data + 20, 0x2000);
	assert_true(parse(false, &k));
	assert_int_equal(k.flags, KEY_PORTS | KEY_FRAGMENT);
	assert_int_equal(packet_csum_offset(&k), 0);
	put16(f.data + 20, 100);
	assert_true(parse(false, &k));
	assert_int_equal(k.flags, KEY_FRAGMENT | KEY_LATER);
	assert_int_equal(k.target_port, 0);
	/* Would overwrite the flags of the first. */
	put16(f.data + 20, 1);
	assert_false(parse(false, &k));
	/* The first, too short to show its ports. */
	frame_ip(&f, mac_b, mac_a, 4, ip_a, ip_b, 6, 1, 2, 0, 0);
	put16(f.data + 20, 0x2000);
	put16(f.data + 16, 28);
	f.bytes = 42;
	assert_false(parse(false, &k));
}

static void test_malformed(void **state)
{
	static const struct {
		u32 offset;
		u8 value;
	} bad[] = {
		{ 6, 1 },     /* multicast source */
		{ 14, 0x65 }, /* version */
		{ 14, 0x44 }, /* header too short */
		{ 14, 0x4f }, /* header beyond the length */
		{ 16, 0xff }, /* length beyond the packet */
		{ 46, 0x40 }, /* TCP header too short */
		{ 46, 0xf0 }, /* TCP header beyond the packet */
	};
	struct packet_key k;

	(void)state;
	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		frame_ip(&f, mac_b, mac_a, 4, ip_a, ip_b, 6, 1, 2, 3, 0);
		assert_true(parse(false, &k));
		f.data[bad[i].offset] = bad[i].value;
		assert_false(parse(false, &k));
	}
	frame_arp(&f, mac_b, mac_a, 1, mac_a, ip_a, ip_b);
	f.data[18] = 8;
	assert_false(parse(false, &k));
	/* A solicitation that a router has passed on; two options of a kind. */
	frame_nd(&f, mac_b, mac_a, ip6_a, ip6_b, 135, ip6_b, mac_a);
	f.data[21] = 254;
	assert_false(parse(false, &k));
	frame_nd(&f, mac_b, mac_a, ip6_a, ip6_b, 135, ip6_b, mac_a);
	memcpy(f.data + f.bytes, f.data + f.bytes - 8, 8);
	f.bytes += 8;
	put16(f.data + 18, 40);
	assert_false(parse(false, &k));
}

/* Every prefix of good packets, and random damage: the sanitizer watches the
 * copy's end, and offsets stay inside. */
static void test_any_bytes(void **state)
{
	u64 seed = 42;
	struct packet_key k;

	(void)state;
	for (u32 i = 0; i < 200000; i++) {
		switch (random_next(&seed) % 4) {
		case 0:
			frame_ip(&f, mac_b, mac_a, 4, ip_a, ip_b,
				 i & 1 ? 6 : 17, 1, 2, i % 90, 0);
			break;
		case 1:
			frame_ip(&f, mac_b, mac_a, 6, ip6_a, ip6_b,
				 i & 1 ? 6 : 17, 1, 2, i % 90, 0);
			break;
		case 2:
			frame_arp(&f, mac_b, mac_a, 1, mac_a, ip_a, ip_b);
			break;
		default:
			frame_nd(&f, mac_b, mac_a, ip6_a, ip6_b, 136, ip6_a,
				 mac_a);
		}
		for (u32 n = random_next(&seed) % 4; n; n--)
			f.data[random_next(&seed) % 80] =
				(u8)random_next(&seed);
		f.bytes = (u32)(random_next(&seed) % (f.bytes + 1));
		if (!parse(i & 2, &k))
			continue;
		assert_true(k.l4_end <= f.bytes);
		assert_true(k.l4_offset <= f.bytes);
		if (packet_csum_offset(&k)) {
			u32 field = k.l4_offset + packet_csum_offset(&k);

			assert_true(field + 2 <= f.bytes);
			assert_true(field + 2 <= PACKET_HEADER_BYTES);
		}
	}
}

static u16 naive_native(const u8 *p, u32 bytes)
{
	u32 sum = naive_sum(p, bytes, 0);

	return (u16)(sum << 8 | sum >> 8);
}

/* Equal as one's complement numbers, in which 0 is ffff. */
static bool same_sum(u16 a, u16 b)
{
	return a == b || ((a == 0 || a == 0xffff) && (b == 0 || b == 0xffff));
}

static void test_checksum(void **state)
{
	static u8 bytes[4096];
	u64 seed = 7;

	(void)state;
	for (u32 i = 0; i < 20000; i++) {
		u32 n = (u32)(random_next(&seed) % 300), cut;
		u8 *p = bytes + random_next(&seed) % 64;
		u16 sum;

		for (u32 j = 0; j < n; j++)
			p[j] = i % 3 ? (u8)random_next(&seed) : 0xff;
		sum = checksum_add(0, p, n, false);
		assert_true(same_sum(sum, naive_native(p, n)));
		/* In two pieces, also at an odd place. */
		cut = n ? (u32)(random_next(&seed) % n) : 0;
		sum = checksum_add(0, p, cut, false);
		sum = checksum_add(sum, p + cut, n - cut, cut & 1);
		assert_true(same_sum(sum, naive_native(p, n)));
	}
}

static void test_replace(void **state)
{
	u64 seed = 9;

	(void)state;
	for (u32 i = 0; i < 20000; i++) {
		u8 data[40], fresh[16];
		u16 sum;

		for (u32 j = 0; j < sizeof(data); j++)
			data[j] = (u8)random_next(&seed);
		for (u32 j = 0; j < sizeof(fresh); j++)
			fresh[j] = (u8)random_next(&seed);
		data[38] = data[39] = 0;
		sum = (u16)~naive_native(data, 38);
		memcpy(data + 38, &sum, 2);
		checksum_replace(data + 38, data + 12, fresh, 16, false);
		memcpy(data + 12, fresh, 16);
		assert_true(same_sum(naive_native(data, 40), 0xffff));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_vlan_and_padding),
		cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_checksum),
		cmocka_unit_test(test_replace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
