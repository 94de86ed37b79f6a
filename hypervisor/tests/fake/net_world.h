/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Front ends and a card for tests of the net room, on the fake machine with the
 * real grants, events, memory and deferred work. A front end behaves as
 * netfront does unless a test writes to its rings itself. The card keeps what
 * it is sent until it is told to be done.
 */
#ifndef FAKE_NET_WORLD_H
#define FAKE_NET_WORLD_H

#include <hv/domain.h>
#include <hv/net.h>
#include <hv/uplink.h>

#include "../../net/vif.h"
#include "packets.h"

#define FRONT_BUFFERS                                                          \
	64u /* pages to send from, and as many to receive into                 \
	     */
#define CARD_PACKETS 256u

struct front {
	struct domain *d;
	u32 number;
	u32 port;
	u32 first_ref; /* tx ring, rx ring, tx pages, rx pages */
	struct tx_ring *tx;
	struct rx_ring *rx;
	u8 *tx_page[FRONT_BUFFERS], *rx_page[FRONT_BUFFERS];
	u32 tx_prod, tx_seen, rx_prod, rx_seen;
	u32 tx_errors, tx_dropped; /* answers so far */
};

struct received {
	struct frame_bytes frame;
	u32 slots;
	u16 flags; /* of the first answer */
	u16 gso_bytes;
	u8 gso_type;
	bool error;
};

struct card_packet {
	struct uplink_packet *packet;
	struct packet_offload offload;
	u8 *data;
	u32 bytes;
};

extern struct uplink card;
extern struct card_packet card_sent[CARD_PACKETS];
extern u32 card_count, card_kicks;
extern bool card_full;

extern const u8 world_mac[4][6], world_ip[4][4], world_ip6[4][16];

/* Machine, card with those UPLINK_* flags (the first call decides whether there
 * is one), and domain 0 as the caller. */
struct domain *world_init(u32 card_flags);
/* Destroys domains 0 to 3 and checks that nothing is left. */
void world_exit(void);
struct domain *world_domain(u16 id);

/* VIF `number` of d with the i-th MAC and addresses; flags of creation. */
void world_vif(struct domain *d, u32 number, u32 i, u32 flags);
/* Connects it with those features and posts all receive pages. */
void front_connect(struct front *f, struct domain *d, u32 number, u32 features,
		   u32 headroom);
/* Domain 0's VIF a, which takes everything, and b of a domain 1, with the first
 * two MACs and addresses. Returns domain 0. */
struct domain *world_two_guests(u32 card_flags, u32 features, u32 headroom,
				struct front *a, struct front *b);
/* A grant entry of f's domain. */
void front_grant(struct front *f, u32 ref, u64 mfn, u16 flags);

/* Puts a packet on the ring in slots of at most chunk bytes, the first one
 * first bytes long; gso_bytes 0: not to be cut. No notification. */
void front_put(struct front *f, const struct frame_bytes *b, u32 first,
	       u32 chunk, u16 flags, u16 gso_bytes);
/* One raw slot. */
void front_slot(struct front *f, u32 ref, u16 offset, u16 flags, u16 size);
void front_push(struct front *f);
/* Usual: put in page-sized slots, push, notify, run everything. */
void front_send(struct front *f, const struct frame_bytes *b, u16 flags,
		u16 gso_bytes);
/* Runs deferred work until none is left. */
void world_run(void);
/* Takes answers of the transmit ring; how many. */
u32 front_reap(struct front *f);
/* The next packet received, its pages posted again; false: none. */
bool front_receive(struct front *f, struct received *r);
void front_post(struct front *f);

/* What the card has got becomes done, oldest first; all of it. */
void card_complete(u32 n);
/* As if it came from the wire. */
void card_receive(const struct frame_bytes *b,
		  const struct packet_offload *offload);

struct xeno_vif_info front_info(const struct front *f);
u64 drops_of(const u64 *drops);
/* net_rules_replace until it is through; the structure as it came back. */
struct xeno_rules_replace world_rules(const struct xeno_rule *rules, u32 count);
/* A rule that matches everything of that interface. */
struct xeno_rule world_rule(u8 action, u8 direction, u32 domain_id, u16 vif);

#endif
