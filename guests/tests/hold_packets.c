/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: how long do floods of packets keep a CPU?
 * Rule:     what is done for packets is paid from a budget and goes on later;
 *           a packet in many pieces, for many receivers and for the card too.
 * Source:   hv/hold.h, xeno/vif.h.
 * Expected: every request is answered; builds that measure print the longest
 *           entries.
 * test: nic=1 time=120
 */
#include "netfront.h"

#define VIFS 3U
#define ROUNDS 6U
#define SLOTS 250U

static const u8 broadcast[6] = { 255, 255, 255, 255, 255, 255 };
static struct netfront n[VIFS];
static struct net_frame f, got;

static void flood(u32 chunk)
{
	u32 until;
	u64 end = now_ns() + MS(20000);

	while (n[0].tx_prod - n[0].tx_seen < SLOTS - 40)
		netfront_put(&n[0], &f, chunk, 0);
	until = n[0].tx_prod;
	netfront_kick(&n[0]);
	while (n[0].tx_seen != until) {
		netfront_reap(&n[0]);
		for (u32 i = 0; i < VIFS; i++)
			(void)!netfront_receive(&n[i], &got, NULL, 1);
		check(now_ns() < end, "%u answers are missing",
		      until - n[0].tx_seen);
	}
}

void test_main(void)
{
	for (u32 i = 0; i < VIFS; i++)
		netfront_start(&n[i], i, i ? 0 : XENO_VIF_ANY_SOURCE,
			       NET_FEATURES);
	frame_ip(&f,
		 &(struct frame_head){ broadcast, n[0].mac, n[0].ip, n[1].ip,
				       17, 5, 6 },
		 1400);
	for (u32 i = 0; i < ROUNDS; i++) {
		flood(PAGE_SIZE);
		flood(100);
	}
	pass("%u requests", n[0].tx_seen);
}
