/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: what does a front end get that breaks the protocol?
 * Rule:     slots across pages, grants that are none and sizes that do not add
 *           up are answered with an error; a ring whose next packet cannot be
 *           found is not served any more; connecting anew heals it; others are
 *           not affected.
 * Source:   checklist 57, guest-abi.md 13.3.
 * Expected: errors counted, the neighbour's packets arrive throughout.
 */
#include "netfront.h"

static struct netfront a, b, c;
static struct net_frame f, got;
static u64 rng = 12345;

static void slot(u32 ref, u16 offset, u16 flags, u16 size)
{
	u32 i = a.tx_prod++ % NET_RING;

	a.tx->slot[i].tx.ref = ref;
	a.tx->slot[i].tx.offset = offset;
	a.tx->slot[i].tx.flags = flags;
	a.tx->slot[i].tx.id = (u16)i;
	a.tx->slot[i].tx.size = size;
}

static void neighbours(void)
{
	frame_ip(&f, &(struct frame_head){ b.mac, c.mac, c.ip, b.ip, 17, 5, 6 },
		 100);
	netfront_send(&c, &f);
	netfront_reap(&c);
	do
		check(netfront_receive(&b, &got, NULL, MS(100)), "lost");
	while (!frame_same(&f, &got));
}

static void reconnect(void)
{
	struct xeno_vif_name name = { .vif = a.vif };
	struct xeno_vif_connect op = {
		.vif = a.vif,
		.tx_ref = a.first_ref,
		.rx_ref = a.first_ref + 1,
		.tx_port = a.port,
		.rx_port = a.port,
	};

	check_eq(net_control(&name, XENO_OP_VIF_DISCONNECT,
			     XENO_VIF_DISCONNECT_VERSION, sizeof(name)),
		 0);
	a.tx_prod = a.tx_seen = a.tx->req_prod = a.tx->rsp_prod = 0;
	check_eq(net_control(&op, XENO_OP_VIF_CONNECT, XENO_VIF_CONNECT_VERSION,
			     sizeof(op)),
		 0);
}

static void bad_slots(void)
{
	u32 page = a.first_ref + 2;

	slot(page, 4000, 0, 142);
	slot(page, 0, 0, 13);
	slot(400, 0, 0, 142);
	slot(~0U, 0, 0, 142);
	slot(page, 0, NET_MORE, 142);
	slot(page, 0, 0, 142);
	netfront_kick(&a);
	netfront_reap(&a);
	check(a.errors == 6, "%u errors", a.errors);
	check(netfront_info(&a).tx_drops[XENO_DROP_MALFORMED] == 5, "counted");
}

static void broken(u32 prod)
{
	__atomic_store_n(&a.tx->req_prod, prod, __ATOMIC_SEQ_CST);
	send_event(a.port);
	neighbours();
	frame_ip(&f, &(struct frame_head){ b.mac, a.mac, a.ip, b.ip, 17, 5, 6 },
		 100);
	reconnect();
	netfront_send(&a, &f);
	check(netfront_receive(&b, &got, NULL, MS(100)), "not healed");
}

void test_main(void)
{
	u64 malformed;

	netfront_start(&a, 0, 0, 0);
	netfront_start(&b, 1, 0, 0);
	netfront_start(&c, 2, 0, 0);
	frame_ip(&f, &(struct frame_head){ b.mac, a.mac, a.ip, b.ip, 17, 5, 6 },
		 100);
	memcpy(a.tx_page[0], f.data, f.bytes);
	bad_slots();
	broken(0x40000000);
	for (u32 i = 0; i < 40; i++)
		slot(a.first_ref + 2, 0, NET_MORE, 60);
	broken(a.tx_prod);
	for (u32 round = 0; round < 500; round++) {
		u8 *bytes = (u8 *)a.tx->slot;

		for (u32 i = 0; i < 12 * NET_RING; i++)
			bytes[i] = (u8)(fuzz_random(&rng) & fuzz_random(&rng));
		a.tx_prod += (u32)fuzz_random(&rng) % NET_RING;
		__atomic_store_n(&a.tx->req_prod, a.tx_prod, __ATOMIC_SEQ_CST);
		send_event(a.port);
		if (round % 20 == 0) {
			neighbours();
			reconnect();
		}
	}
	b.rx->req_prod += 0x10000;
	frame_ip(&f, &(struct frame_head){ b.mac, c.mac, c.ip, b.ip, 17, 5, 6 },
		 100);
	netfront_send(&c, &f);
	check(!netfront_receive(&b, &got, NULL, MS(2)), "from a broken ring");
	malformed = netfront_info(&a).tx_drops[XENO_DROP_MALFORMED];
	netfront_stop(&a);
	netfront_stop(&b);
	netfront_stop(&c);
	pass("%lu malformed", malformed);
}
