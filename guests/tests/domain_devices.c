/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a domain be destroyed at any moment while its disk and its
 *           interface are at work, and what if it spoils its own rings?
 * Rule:     destruction waits for what the devices have, and then nothing of
 *           the domain is held; a front end that breaks the protocol harms
 *           itself.
 * Source:   include/xeno/vbd.h, include/xeno/vif.h.
 * Expected: each destruction returns 0 and the domain is gone; from the second
 *           round on the frames in use are the same; Domain 0's own requests to
 *           the same disk are served all the time.
 * test: vcpus=1 cpus=2 disk=8 nic=1 audit=200 time=120
 */
#include <xeno/vif.h>

#include "blkfront.h"
#include "child.h"
#include "netfront.h"

#define ROUNDS 24U
#define CHILD_SECTORS 8192U
#define TX_REF 200U
#define RX_REF 201U
#define FRAME_BYTES 1000U

static struct child child;
static struct blkfront own;
static const u8 mac[6] = { 2, 0, 0, 0, 0, 99 };
static const u8 broadcast[6] = { 255, 255, 255, 255, 255, 255 };
static const u8 ip[4] = { 10, 0, 2, 99 }, other[4] = { 10, 0, 2, 2 };

/* Between parent and child, in the mailbox. */
struct offer {
	u32 ready, connected, hostile;
	u32 block_port, net_port;
};
#define OFFER_OF(page) ((volatile struct offer *)((u8 *)(page) + MAILBOX_TEXT))

/* ---- the child ---- */

static u8 block_ring[4096] __attribute__((aligned(4096)));
static u8 tx_ring[4096] __attribute__((aligned(4096)));
static u8 rx_ring[4096] __attribute__((aligned(4096)));

static u32 next_random(u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Twelve pages at a time, read and written in turn, whatever the answers say.
 */
static void fill_block(struct blkfront *f, u32 hostile, u32 *state)
{
	u32 answered = READ_ONCE(f->sring->rsp_prod);

	while (f->req_prod - answered < f->entries) {
		u32 n = next_random(state);
		struct blkif_request r =
			blk_request(n & 1 ? BLKIF_OP_WRITE : BLKIF_OP_READ, n,
				    n % (CHILD_SECTORS - 88), n % 37, 11);

		if (hostile && n % 5 == 0)
			for (u32 i = 0; i < sizeof(r); i += 4)
				*(u32 *)((u8 *)&r + i) = next_random(state);
		blk_put(f, &r);
	}
	f->sring->rsp_event = answered + 1;
	blk_push(f);
	if (hostile && next_random(state) % 64 == 0) {
		f->sring->req_prod = next_random(state);
		send_event(f->port);
	}
}

static void fill_net(u32 port, u32 hostile, u32 *state)
{
	struct net_ring *tx = (struct net_ring *)tx_ring;
	struct net_rx_ring *rx = (struct net_rx_ring *)rx_ring;
	u32 made = tx->req_prod, answered = READ_ONCE(tx->rsp_prod);

	while (made - answered < NET_RING) {
		u32 i = made++ % NET_RING, n = next_random(state);

		tx->slot[i].tx.ref = BLK_DATA_REF + 47;
		tx->slot[i].tx.offset = 0;
		tx->slot[i].tx.id = (u16)i;
		tx->slot[i].tx.size = FRAME_BYTES;
		tx->slot[i].tx.flags = 0;
		if (hostile && n % 7 == 0) {
			tx->slot[i].tx.flags = (u16)n;
			tx->slot[i].tx.size = (u16)(n >> 4);
			tx->slot[i].tx.ref = n % 300;
		}
	}
	rx->req_prod = rx->rsp_prod + (hostile ? next_random(state) % 400 : 9);
	__atomic_store_n(&tx->req_prod, made, __ATOMIC_SEQ_CST);
	send_event(port);
}

static void child_main(void)
{
	volatile struct offer *o = OFFER_OF(mailbox);
	struct net_frame frame = { .bytes = FRAME_BYTES };
	struct frame_head head = { broadcast, mac, ip, other, 17, 7, 9 };
	struct blkfront f = { .sring = (void *)block_ring, .entries = 32 };
	u32 state = (u32)now_ns();

	for (u32 p = 0; p < BLK_PAGES; p++)
		blk_grant(BLK_DATA_REF + p, blk_data[p], 0);
	blk_grant(BLK_RING_REF, block_ring, 0);
	blk_grant(TX_REF, tx_ring, 0);
	blk_grant(RX_REF, rx_ring, 0);
	frame_ip(&frame, &head, FRAME_BYTES - 42);
	memcpy(blk_data[47], frame.data, FRAME_BYTES);
	f.port = (u32)alloc_unbound(DOMID_SELF, XENO_DOMAIN_BACKEND);
	o->block_port = f.port;
	o->net_port = (u32)alloc_unbound(DOMID_SELF, XENO_DOMAIN_BACKEND);
	o->ready = 1;
	while (!o->connected)
		sched_op(SCHEDOP_yield, NULL);
	for (;;) {
		fill_block(&f, o->hostile, &state);
		fill_net(o->net_port, o->hostile, &state);
	}
}

/* ---- Domain 0 ---- */

static void give_devices(void)
{
	const struct xeno_vbd_extent extent = { .sectors = CHILD_SECTORS };
	struct xeno_vbd_create disk = {
		.domain_id = child.id,
		.vbd = 51712,
		.extent_count = 1,
		.extents = HC_ARG(&extent),
	};
	struct xeno_vif_create vif = { .domain_id = child.id, .ipv4_count = 1 };

	memcpy(vif.mac, mac, 6);
	memcpy(vif.ipv4[0], ip, 4);
	check_eq(net_control(&disk, XENO_OP_VBD_CREATE, XENO_VBD_CREATE_VERSION,
			     sizeof(disk)),
		 0);
	check_eq(net_control(&vif, XENO_OP_VIF_CREATE, XENO_VIF_CREATE_VERSION,
			     sizeof(vif)),
		 0);
}

static void connect_devices(bool hostile)
{
	volatile struct offer *o = OFFER_OF(child_page(&child, mailbox));
	struct xeno_vbd_connect disk = { .domain_id = child.id,
					 .vbd = 51712,
					 .ring_pages = 1,
					 .ring_refs = { BLK_RING_REF } };
	struct xeno_vif_connect vif = { .domain_id = child.id,
					.tx_ref = TX_REF,
					.rx_ref = RX_REF };

	check(spin_until(o->ready, MS(5000)), "child is not ready");
	disk.port = o->block_port;
	vif.tx_port = vif.rx_port = o->net_port;
	check_eq(net_control(&disk, XENO_OP_VBD_CONNECT,
			     XENO_VBD_CONNECT_VERSION, sizeof(disk)),
		 0);
	check_eq(net_control(&vif, XENO_OP_VIF_CONNECT,
			     XENO_VIF_CONNECT_VERSION, sizeof(vif)),
		 0);
	o->hostile = hostile;
	o->connected = 1;
	child_page_done();
}

static bool same_counts(const struct frame_counts *a,
			const struct frame_counts *b)
{
	return a->free == b->free && a->hypervisor == b->hypervisor &&
	       a->domains == b->domains;
}

static u64 child_requests(void)
{
	struct xeno_vbd_info i = { .domain_id = child.id, .vbd = 51712 };

	check_eq(net_control(&i, XENO_OP_VBD_INFO, XENO_VBD_INFO_VERSION,
			     sizeof(i)),
		 0);
	return i.requests[0] + i.requests[1] + i.refused;
}

static u64 round(u32 number)
{
	struct blkif_request r = blk_request(BLKIF_OP_READ, 1, 0, 0, 1);
	u64 requests;

	child_build(&child, child_main);
	give_devices();
	child_start(&child);
	connect_devices(number % 3 == 2);
	(void)!spin_until(false, MS(1) * (number * 7 % 30));
	check_eq(blk_do(&own, &r), BLKIF_RSP_OKAY);
	requests = child_requests();
	check_eq(child_destroy(&child), 0);
	/* Dying until the devices have let go of its pages. */
	for (unsigned int i = 0; i < 1000 && child_flags(child.id) != ~0U; i++)
		(void)!spin_until(false, MS(1));
	check(child_flags(child.id) == ~0U, "still there");
	return requests;
}

void test_main(void)
{
	const struct xeno_vbd_extent all = { .sectors = CHILD_SECTORS };
	struct frame_counts first = { 0, 0, 0 }, now;
	u64 requests = 0;

	blk_begin();
	check_eq(blk_create(1, 0, &all, 1), 0);
	check_eq(blk_connect(&own, 1, 0, 1), 0);
	for (u32 i = 0; i < ROUNDS; i++) {
		requests += round(i);
		/* It cannot be found any more, but its last frames go back
		 * when every CPU has passed by. */
		(void)!spin_until(false, MS(i == 1 ? 200 : 1));
		now = frame_counts();
		for (unsigned int n = 0;
		     i > 1 && n < 1000 && !same_counts(&now, &first); n++) {
			(void)!spin_until(false, MS(1));
			now = frame_counts();
		}
		if (i == 1)
			first = now;
		if (i > 1) {
			check_eq(now.free, first.free);
			check_eq(now.hypervisor, first.hypervisor);
			check_eq(now.domains, first.domains);
		}
	}
	check(requests > ROUNDS, "only %lu requests", requests);
	pass("%u domains, %lu requests", ROUNDS, requests);
}
