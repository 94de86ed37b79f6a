/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a VIF send as somebody else?
 * Rule:     MAC, IPv4 address and ARP's sender are those of the VIF; what is
 *           not is dropped and counted with the sender.
 * Source:   xeno/vif.h.
 * Expected: four dropped; the honest ones before and after arrive.
 */
#include "netfront.h"

static struct netfront a, b;
static struct net_frame f, got;

static void refused(const char *what)
{
	u64 before = netfront_info(&a).tx_drops[XENO_DROP_SPOOFED];

	netfront_send(&a, &f);
	check(!netfront_receive(&b, &got, NULL, MS(2)), "%s: delivered", what);
	check(netfront_info(&a).tx_drops[XENO_DROP_SPOOFED] == before + 1,
	      "%s: not counted", what);
}

static void honest(void)
{
	frame_ip(&f, &(struct frame_head){ b.mac, a.mac, a.ip, b.ip, 17, 5, 6 },
		 100);
	netfront_send(&a, &f);
	check(netfront_receive(&b, &got, NULL, MS(100)), "honest: lost");
	frame_arp(&f, a.mac, 1, a.mac, a.ip, b.ip);
	netfront_send(&a, &f);
	check(netfront_receive(&b, &got, NULL, MS(100)), "ARP: lost");
}

void test_main(void)
{
	netfront_start(&a, 0, 0, 0);
	netfront_start(&b, 1, 0, 0);
	honest();
	frame_ip(&f, &(struct frame_head){ b.mac, b.mac, a.ip, b.ip, 17, 5, 6 },
		 100);
	refused("MAC");
	frame_ip(&f, &(struct frame_head){ b.mac, a.mac, b.ip, b.ip, 17, 5, 6 },
		 100);
	refused("address");
	frame_arp(&f, a.mac, 2, b.mac, a.ip, b.ip);
	refused("ARP's MAC");
	frame_arp(&f, a.mac, 2, a.mac, b.ip, b.ip);
	refused("ARP's address");
	honest();
	netfront_reap(&a);
	check(a.dropped == 4, "%u answers say dropped", a.dropped);
	pass("4 refused");
}
