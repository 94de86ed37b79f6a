/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netfront.h - a small network front end, and packets by hand.
 *
 * A test creates VIFs for its own domain, which is Domain 0, and talks to
 * itself. All rings and pages are open to the test, so that it can be hostile.
 */
#ifndef XT_NETFRONT_H
#define XT_NETFRONT_H

#include <xeno/vif.h>

#include "xt.h"

#define NET_PAGES 32u
#define NET_RING 256u
#define NET_BLANK 1 /* the checksum is the receiver's or the card's matter */
#define NET_MORE 4
#define NET_ANY 0xffffffff
#define NET_FEATURES 31u

struct net_ring {
	u32 req_prod, req_event, rsp_prod, rsp_event;
	u8 pad[48];
	union {
		struct {
			u32 ref;
			u16 offset, flags, id, size;
		} tx;
		struct {
			u16 id;
			short status;
		} tx_answer;
	} slot[NET_RING];
};

struct net_rx_ring {
	u32 req_prod, req_event, rsp_prod, rsp_event;
	u8 pad[48];
	union {
		struct {
			u16 id, pad;
			u32 ref;
		} rx;
		struct {
			u16 id, offset, flags;
			short status;
		} rx_answer;
	} slot[NET_RING];
};

struct netfront {
	u32 vif, first_ref, port;
	u8 mac[6], ip[4];
	struct net_ring *tx;
	struct net_rx_ring *rx;
	u8 *tx_page[NET_PAGES], *rx_page[NET_PAGES];
	u32 tx_prod, tx_seen, rx_prod, rx_seen;
	u32 errors, dropped; /* answers */
};

struct net_frame {
	u8 data[4096];
	u32 bytes;
};

struct frame_head {
	const u8 *to_mac, *from_mac, *from, *to; /* MACs, IPv4 addresses */
	u8 protocol;
	u16 from_port, to_port;
};

long net_control(void *op, u32 number, u32 version, u32 size);
/* Creates VIF `vif` with MAC 02:00:00:00:00:<vif + 16>, address
 * 10.0.2.<vif + 16> and these flags, and connects it. Skips the test when the
 * hypervisor has no such thing. */
void netfront_start(struct netfront *n, u32 vif, u32 flags, u32 features);
void netfront_stop(struct netfront *n);
struct xeno_vif_info netfront_info(const struct netfront *n);

/* One packet in slots of at most `chunk` bytes; and tells the other end. */
void netfront_put(struct netfront *n, const struct net_frame *f, u32 chunk,
		  u16 flags);
void netfront_kick(struct netfront *n);
void netfront_send(struct netfront *n, const struct net_frame *f);
void netfront_reap(struct netfront *n);
/* The next packet, waiting up to that long; false: none came. */
bool netfront_receive(struct netfront *n, struct net_frame *f, u16 *flags,
		      u64 wait_ns);

/* Right in all parts: Ethernet, IPv4, UDP (17) or TCP (6), payload bytes. */
void frame_ip(struct net_frame *f, const struct frame_head *h, u32 payload);
void frame_arp(struct net_frame *f, const u8 *from_mac, u16 op,
	       const u8 *sender_mac, const u8 *sender, const u8 *target);
/* True when the checksums of an IPv4 packet are right. */
bool frame_good(const struct net_frame *f);
bool frame_same(const struct net_frame *a, const struct net_frame *b);

#endif
