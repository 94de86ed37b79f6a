/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does a VIF reach what is behind the card, and do the counters
 * agree? Rule:     what nobody here has goes out; what comes back for a VIF's
 * MAC is its; a frame counted as sent by the VIF is counted by the uplink.
 * Source:   xeno/vif.h.
 * Expected: the gateway answers ARP and a ping of any size that fits; without
 *           rules to the contrary.
 * test: nic=1
 */
#include "netfront.h"

static const u8 gateway[4] = { 10, 0, 2, 2 };
static u8 gateway_mac[6];
static struct netfront n;
static struct net_frame f, got;

static struct xeno_uplink_info uplink(void)
{
	struct xeno_uplink_info op = { .uplink = 0 };
	long rc = net_control(&op, XENO_OP_UPLINK_INFO,
			      XENO_UPLINK_INFO_VERSION, sizeof(op));

	if (rc == -XEN_ENOSYS || rc == -XEN_ENOENT)
		skip("no uplink: %ld", rc);
	check(!rc, "uplink info: %ld", rc);
	return op;
}

static void find_gateway(void)
{
	frame_arp(&f, n.mac, 1, n.mac, n.ip, gateway);
	netfront_send(&n, &f);
	do
		check(netfront_receive(&n, &got, NULL, MS(5000)), "no answer");
	while (got.data[12] != 8 || got.data[13] != 6 || got.data[21] != 2);
	memcpy(gateway_mac, got.data + 22, 6);
}

static u32 icmp_sum(const u8 *p, u32 bytes)
{
	u32 s = 0;

	for (u32 i = 0; i < bytes; i++) {
		s += i & 1 ? p[i] : (u32)p[i] << 8;
		s = (s & 0xffff) + (s >> 16);
	}
	return s;
}

static void ping(u32 payload, u32 chunk)
{
	u32 s;

	frame_ip(&f,
		 &(struct frame_head){ gateway_mac, n.mac, n.ip, gateway, 17, 0,
				       0 },
		 payload);
	/* A UDP header is as long as that of an echo request. */
	f.data[23] = 1;
	f.data[24] = f.data[25] = 0;
	s = ~icmp_sum(f.data + 14, 20);
	f.data[24] = (u8)(s >> 8);
	f.data[25] = (u8)s;
	memset(f.data + 34, 0, 8);
	f.data[34] = 8;
	f.data[39] = (u8)payload;
	s = ~icmp_sum(f.data + 34, 8 + payload);
	f.data[36] = (u8)(s >> 8);
	f.data[37] = (u8)s;
	netfront_put(&n, &f, chunk, 0);
	netfront_kick(&n);
	do
		check(netfront_receive(&n, &got, NULL, MS(5000)),
		      "ping of %u: no answer", payload);
	while (got.data[23] != 1 || got.data[34] != 0);
	check(got.bytes == f.bytes &&
		      !memcmp(got.data + 42, f.data + 42, payload),
	      "ping of %u: %u came back", payload, got.bytes);
	netfront_reap(&n);
}

void test_main(void)
{
	struct xeno_uplink_info before = uplink(), after;
	struct xeno_vif_info i;

	netfront_start(&n, 0, 0, NET_FEATURES);
	find_gateway();
	for (u32 payload = 0; payload <= 1472; payload += 64)
		ping(payload, payload % 3 ? 200 : 4096);
	i = netfront_info(&n);
	/* What has been answered has been sent. */
	after = uplink();
	check(after.tx_packets - before.tx_packets == i.tx_packets &&
		      after.tx_bytes - before.tx_bytes == i.tx_bytes,
	      "sent %lu of %lu bytes, the uplink %lu of %lu", i.tx_packets,
	      i.tx_bytes, after.tx_packets - before.tx_packets,
	      after.tx_bytes - before.tx_bytes);
	check(after.rx_packets - before.rx_packets >= i.rx_packets,
	      "got %lu, the uplink %lu", i.rx_packets,
	      after.rx_packets - before.rx_packets);
	check(!n.errors && !n.dropped, "%u dropped", n.dropped);
	netfront_stop(&n);
	pass("%lu packets out, %lu in", i.tx_packets, i.rx_packets);
}
