/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: do packets cross from one VIF to another whole, and are they
 *           counted?
 * Rule:     what is sent arrives once, in order, in any number of slots; a
 *           checksum left blank is marked so, or completed for a receiver that
 *           cannot; both ends' counters agree.
 * Source:   guest-abi.md 13.3, xeno/vif.h.
 * Expected: every packet equal; nothing dropped.
 */
#include "netfront.h"

static struct netfront a, b, c;
static struct net_frame sent, got;

static void cross(u32 payload, u32 chunk)
{
	u16 flags;

	frame_ip(&sent,
		 &(struct frame_head){ b.mac, a.mac, a.ip, b.ip,
				       (u8)(payload & 1 ? 6 : 17), 1, 2 },
		 payload);
	netfront_put(&a, &sent, chunk, 0);
	netfront_kick(&a);
	check(netfront_receive(&b, &got, &flags, MS(100)), "%u in %u: lost",
	      payload, chunk);
	check(frame_same(&sent, &got) && !flags, "%u in %u: changed", payload,
	      chunk);
	netfront_reap(&a);
}

static void blank_checksum(void)
{
	struct net_frame whole;
	u16 flags;

	frame_ip(&sent,
		 &(struct frame_head){ b.mac, a.mac, a.ip, b.ip, 17, 1, 2 },
		 700);
	whole = sent;
	/* The pseudo header's sum: what the whole sum lacks. */
	sent.data[40] = sent.data[41] = 0;
	for (u32 i = 26, s = 17 + 708; i <= 34; i += 2) {
		if (i == 34) {
			sent.data[40] = (u8)(s >> 8);
			sent.data[41] = (u8)s;
			break;
		}
		s += (u32)(sent.data[i] << 8 | sent.data[i + 1]);
		s = (s & 0xffff) + (s >> 16);
	}
	netfront_put(&a, &sent, 300, NET_BLANK);
	netfront_kick(&a);
	check(netfront_receive(&b, &got, &flags, MS(100)), "blank: lost");
	check(frame_same(&sent, &got) && flags == 3, "blank: flags %u", flags);
	memcpy(sent.data, c.mac, 6);
	memcpy(whole.data, c.mac, 6);
	netfront_put(&a, &sent, 300, NET_BLANK);
	netfront_kick(&a);
	check(netfront_receive(&c, &got, &flags, MS(100)), "completed: lost");
	check(frame_same(&whole, &got) && !flags, "completed: flags %u", flags);
}

void test_main(void)
{
	struct xeno_vif_info ia, ib;
	u32 packets = 0;
	u64 bytes = 0;

	netfront_start(&a, 0, 0, NET_FEATURES);
	netfront_start(&b, 1, 0, NET_FEATURES);
	netfront_start(&c, 2, 0, 0);
	for (u32 payload = 0; payload <= 1472; payload += 92)
		for (u32 chunk = 20; chunk <= 4096; chunk *= 3) {
			if ((payload + 54) / chunk >= 18)
				continue;
			cross(payload, chunk);
			packets++;
			bytes += sent.bytes;
		}
	ia = netfront_info(&a);
	ib = netfront_info(&b);
	check(ia.tx_packets == packets && ia.tx_bytes == bytes,
	      "sent %u, counted %lu", packets, ia.tx_packets);
	check(ib.rx_packets == packets && ib.rx_bytes == bytes,
	      "got %u, counted %lu", packets, ib.rx_packets);
	blank_checksum();
	check(!a.errors && !a.dropped, "%u errors", a.errors);
	netfront_stop(&a);
	netfront_stop(&b);
	netfront_stop(&c);
	pass("%u packets", packets);
}
