/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plug of network cards: drivers register uplinks, the net room sends to
 * them and is given what they receive. Neither knows the other.
 */
#ifndef HV_UPLINK_H
#define HV_UPLINK_H

#include <hv/list.h>
#include <hv/types.h>

#define UPLINKS_MAX 4
#define UPLINK_SEGMENTS_MAX 24

/* uplink->flags: what the card does for a sender. */
#define UPLINK_CSUM 1
#define UPLINK_TSO4 2
#define UPLINK_TSO6 4

/* What is still to be done to a packet, or need not be. */
#define PACKET_CSUM_BLANK 1 /* checksum at csum_start + csum_offset missing */
#define PACKET_CSUM_GOOD 2  /* has been verified */
#define PACKET_GSO_TCPV4 4  /* to be cut in pieces of gso_bytes */
#define PACKET_GSO_TCPV6 8

struct packet_offload {
	u16 flags;                   /* PACKET_* */
	u16 csum_start, csum_offset; /* bytes; with CSUM_BLANK */
	u16 gso_bytes;               /* payload of each piece; with GSO */
	u16 header_bytes;            /* up to the payload; with GSO */
};

struct uplink_segment {
	u64 maddr; /* of memory that stays pinned until done */
	u32 bytes;
};

/* Owned by whoever sends it, untouched by him from send until done. */
struct uplink_packet {
	struct list link; /* the driver's */
	struct packet_offload offload;
	u32 segment_count;
	struct uplink_segment segments[UPLINK_SEGMENTS_MAX];
	/* Called with none of the driver's locks held, on any CPU. */
	void (*done)(struct uplink_packet *p);
};

struct uplink {
	u32 id;
	u32 flags;
	u8 mac[6];
	u16 mtu;
	bool link_up;
	char name[32];
	u64 rx_packets, rx_bytes, rx_dropped; /* atomic */
	u64 tx_packets, tx_bytes, tx_dropped;
	const struct uplink_driver *driver;
	/* Set by the net room. data: the whole frame, in one piece of the
	 * driver's memory, valid during the call only. A card that cheats may
	 * change it meanwhile: what is checked must be a copy. In deferred
	 * work. Returns about how many instructions it took. */
	u32 (*receive)(struct uplink *u, const void *data, u32 bytes,
		       const struct packet_offload *offload);
};

struct uplink_driver {
	/* Takes the packet, or -EBUSY: full. Any CPU. */
	int (*send)(struct uplink *u, struct uplink_packet *p);
	void (*kick)(struct uplink *u);
};

/* Boot only: u stays; gives it its id. -ENOSPC. */
int uplink_register(struct uplink *u) MUST_CHECK;
struct uplink *uplink_find(u32 id);

#endif
