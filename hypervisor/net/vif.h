/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A virtual interface, private to the net room. It is one page of its domain's
 * state, and more while it is connected: pieces, for packets that a card is
 * still reading. Locks in this order: the look-up lock of switch.h, tx_lock of
 * the sender, rx_lock of one receiver, flow_lock.
 */
#ifndef NET_VIF_H
#define NET_VIF_H

#include <hv/domain.h>
#include <hv/domain_meter.h>
#include <hv/event.h>
#include <hv/uplink.h>
#include <hv/work.h>

#include <xeno/vif.h>

#include "net_packet.h"

/* xen/io/netif.h is written for programs; the ring's layout is all we take. */
#define RING_ENTRIES 256U
/* Data slots of one packet, by the protocol. */
#define TX_SLOTS_MAX 18U
#define TX_EXTRAS_MAX 4U
/* In a count of packets: somebody waits for the last one. */
#define IN_FLIGHT_WAITED 0x80000000U
#define DROP_NONE (-1)

/* netif: kinds of a packet to be cut, and answers. */
#define GSO_TCPV4 1
#define GSO_TCPV6 2
#define ANSWER_OKAY 0
#define ANSWER_ERROR (-1)
#define ANSWER_DROPPED (-2)
#define ANSWER_NULL 1 /* of an extra slot */

struct ring_head {
	u32 req_prod, req_event, rsp_prod, rsp_event;
	u8 pad[48];
};

struct tx_wire {
	u32 ref;
	u16 offset, flags, id, size;
};

struct tx_answer {
	u16 id;
	s16 status;
};

struct rx_wire {
	u16 id, pad;
	u32 ref;
};

struct rx_answer {
	u16 id, offset, flags;
	s16 status;
};

struct tx_ring {
	struct ring_head head;
	union {
		struct tx_wire request;
		struct tx_answer answer;
	} slot[RING_ENTRIES];
};

struct rx_ring {
	struct ring_head head;
	union {
		struct rx_wire request;
		struct rx_answer answer;
	} slot[RING_ENTRIES];
};

/* A packet as its sender asked for it, copied from the ring and checked. */
struct tx_request {
	u32 slot_count, extra_count;
	u32 total_bytes;
	bool csum_blank;
	u8 gso_type; /* 0: none */
	u16 gso_bytes;
	struct {
		struct frame *frame;
		u32 ref;
		u16 offset, bytes, id;
	} slot[TX_SLOTS_MAX];
	bool handed_over; /* slots are answered when the card is done */
};

/* A packet, or a part of one that has been cut, on its way to the card. */
struct tx_piece {
	struct uplink_packet packet; /* first */
	struct tx_piece *next;       /* free or done */
	struct tx_piece *parent;     /* whose grants hold the payload */
	struct vif *vif;
	u32 pending; /* of a parent: pieces not done, itself included */
	u8 slot_count, extra_count;
	u16 ids[TX_SLOTS_MAX];
	u32 refs[TX_SLOTS_MAX];
	struct frame *frames[TX_SLOTS_MAX];
	u8 header[PACKET_HEADER_BYTES];
};

#define PIECES_PER_PAGE (PAGE_SIZE / sizeof(struct tx_piece))
#define PIECE_PAGES_MAX 20

_Static_assert(PIECES_PER_PAGE *PIECE_PAGES_MAX >= GSO_PIECES_MAX,
	       "the largest packet fits");

/* An address that the switch knows its owner by. */
struct vif_address {
	union net_address address;
	struct vif_address *next; /* in the switch's bucket */
	struct vif *vif;
};

struct flow_table;

struct vif {
	struct domain *domain;
	u32 number;
	u32 interface; /* as the rules see it */
	u32 flags;     /* XENO_VIF_*, of its creation */
	u8 mac[6];
	u8 ipv4_count, ipv6_count;
	union net_address link_local;
	struct vif_address ipv4[XENO_VIF_IPV4_MAX], ipv6[XENO_VIF_IPV6_MAX];

	/* The switch's, changed under the control lock. */
	struct vif *mac_next;
	struct vif *all_next;

	/* Its counters: tx under tx_lock, rx under rx_lock. */
	struct xeno_meter_vif *meter;

	struct work work;
	struct event_backend tx_event, rx_event;
	struct event_backend *rx_notify; /* either of them */
	u32 features, rx_headroom;
	u32 tx_ref, rx_ref;
	struct frame *tx_frame, *rx_frame;

	/* Changes with both locks held, read with either. */
	bool connected;
	/* Their ring's lock: broken by the guest, not looked at any more. */
	bool tx_broken, rx_broken;
	bool unkicked; /* tx_lock: the card has packets it was not told of */

	struct spinlock tx_lock;
	struct tx_ring *tx;
	u32 tx_cons;          /* requests taken */
	u32 tx_rsp, tx_shown; /* answers given, and those made known */
	s64 deficit_bytes;    /* what it may send in this turn */
	u32 piece_pages;
	u32 free_count;
	struct tx_piece *free;
	void *pages[PIECE_PAGES_MAX];

	/* Atomic: packets that the card has, with IN_FLIGHT_WAITED, and those
	 * it is done with. */
	u32 in_flight;
	struct tx_piece *done;

	struct spinlock rx_lock;
	struct rx_ring *rx;
	u32 rx_cons, rx_shown; /* requests answered, and made known */

	struct spinlock flow_lock;
	struct flow_table *flows; /* NULL: none yet */
};

_Static_assert(sizeof(struct vif) <= PAGE_SIZE, "one state page");

struct net_state {
	struct vif *vif[XENO_VIFS_PER_DOMAIN];
};

/* guard.c. Pure: true when the packet is one that v may send. */
bool guard_allows(const struct vif *v, const struct packet_key *k) MUST_CHECK;

/* True when the address is in v's lists, or is its MAC's link-local one. */
bool vif_owns(const struct vif *v, const union net_address *a, u8 family);

/* netif_tx.c */
void tx_run(struct work *w);
/* Takes back what the card is done with; tx_lock held. True: answered. */
bool tx_reap(struct vif *v);
/* Lets the guest know of answers; tx_lock held. */
void tx_publish(struct vif *v);
void tx_answer(struct vif *v, u16 id, s16 status);

/* tx_uplink.c: to the card, in parts if it cannot cut itself; tx_lock of v
 * held. A reason to drop it, or DROP_NONE; r->handed_over says who answers. */
int tx_to_uplink(struct vif *v, struct net_packet *p, struct tx_request *r);
/* Makes pieces for a packet that may go there. False: some will be free later,
 * when v->work runs because the card is done. */
bool tx_pieces_ready(struct vif *v, const struct tx_request *r);
void tx_pieces_free(struct vif *v);

/* netif_rx.c: into the buffers that v has posted; counts. From anyone, with at
 * most one tx_lock held. False: nobody got it. */
bool rx_deliver(struct vif *v, struct net_packet *p);
void rx_count_drop(struct vif *v, enum xeno_drop why);

#endif
