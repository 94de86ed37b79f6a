/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control operations on virtual interfaces and the virtual firewall-router.
 *
 * All VIFs and the uplink are ports of one Ethernet switch inside the
 * hypervisor; the rules stand on its ports. A VIF sends only from the MAC and
 * the addresses that it was created with (ARP and neighbour discovery
 * included) unless XENO_VIF_ANY_SOURCE. Addresses and ports in network byte
 * order unless said otherwise.
 *
 * Domain 0 plays the xenstore half of the netif protocol as it does for VBDs;
 * the front end addresses everything to XENO_DOMAIN_BACKEND.
 *
 * -ESRCH: no such domain; -ENOENT: no such VIF or uplink.
 */
#ifndef XENO_VIF_H
#define XENO_VIF_H

#include <xeno/abi.h>

#define XENO_UPLINK_INFO_VERSION 1

struct xeno_uplink_info {
	struct xeno_envelope head;
	/* in */
	uint32_t uplink; /* from 0; the first one carries traffic */
	uint32_t mbz;
	/* out */
	uint8_t mac[6];
	uint16_t mtu; /* host byte order */
	uint32_t link_up;
	char name[32]; /* "pci-0000:00:03.0" */
	uint64_t rx_packets, rx_bytes, rx_dropped;
	uint64_t tx_packets, tx_bytes, tx_dropped;
};

_Static_assert(sizeof(struct xeno_uplink_info) == 116 + 4, "part of the ABI");

/* ---- a VIF's life ---- */

#define XENO_VIF_CREATE_VERSION 1
#define XENO_VIF_IPV4_MAX 8
#define XENO_VIF_IPV6_MAX 8
#define XENO_VIFS_PER_DOMAIN 8

#define XENO_VIF_ANY_SOURCE 1 /* Domain 0 only: no anti-spoofing */
/* Broadcasts of DHCP from VIFs go to this one, and only it may answer. */
#define XENO_VIF_DHCP_SERVER 2

/* -EEXIST: the VIF's number, MAC or an address is taken; -EINVAL: a multicast
 * or zero MAC, too many addresses; -ENOSPC; -ENOMEM. */
struct xeno_vif_create {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	uint32_t vif; /* 0..XENO_VIFS_PER_DOMAIN - 1 */
	uint32_t flags;
	uint8_t mac[6];
	uint8_t ipv4_count, ipv6_count;
	uint32_t mbz;
	uint8_t ipv4[XENO_VIF_IPV4_MAX][4];
	uint8_t ipv6[XENO_VIF_IPV6_MAX][16];
};

_Static_assert(sizeof(struct xeno_vif_create) == 200, "part of the ABI");

#define XENO_VIF_CONNECT_VERSION 1

#define XENO_VIF_SG 1 /* the front end takes packets in fragments */
#define XENO_VIF_GSO_TCPV4 2
#define XENO_VIF_GSO_TCPV6 4
#define XENO_VIF_CSUM_BLANK 8 /* takes packets without checksums, IPv4 */
#define XENO_VIF_CSUM_BLANK_V6 16

/* -EBUSY: connected; -EINVAL: bad grant or port. */
struct xeno_vif_connect {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	uint32_t vif;
	uint32_t tx_ref, rx_ref;
	uint32_t tx_port, rx_port; /* equal: one port for both */
	uint32_t features;         /* XENO_VIF_SG and so on */
	uint32_t rx_headroom;      /* bytes left free before a packet; <= 256 */
};

_Static_assert(sizeof(struct xeno_vif_connect) == 48, "part of the ABI");

#define XENO_VIF_DISCONNECT_VERSION 1
#define XENO_VIF_DESTROY_VERSION 1

/* As for VBDs. */
struct xeno_vif_name {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	uint32_t vif;
};

_Static_assert(sizeof(struct xeno_vif_name) == 24, "part of the ABI");

/* Why a packet was dropped. */
enum xeno_drop {
	XENO_DROP_RULE = 0,
	XENO_DROP_SPOOFED = 1,   /* not the sender's MAC or address */
	XENO_DROP_MALFORMED = 2, /* or a broken ring request */
	XENO_DROP_NO_BUFFER = 3, /* the receiver posted none */
	XENO_DROP_NO_ROUTE = 4,  /* nobody has that address */
	XENO_DROP_UPLINK = 5,    /* the card's queue is full, or no card */
	XENO_DROP_TOO_LONG = 6,  /* for the receiver */
	XENO_DROPS = 8
};

#define XENO_VIF_INFO_VERSION 1

struct xeno_vif_info {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	uint32_t vif;
	/* out */
	uint32_t flags;
	uint32_t connected;
	uint8_t mac[6];
	uint8_t pad[2];
	/* tx: sent by the guest and accepted; rx: delivered to it. Bytes are
	 * those of whole Ethernet frames without FCS. */
	uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes;
	uint64_t tx_drops[XENO_DROPS]; /* of what it sent; by reason */
	uint64_t rx_drops[XENO_DROPS]; /* of what was for it */
};

_Static_assert(sizeof(struct xeno_vif_info) == 200, "part of the ABI");

/* ---- rules ---- */

#define XENO_RULES_REPLACE_VERSION 1
#define XENO_RULES_MAX 4096

enum xeno_rule_action {
	XENO_RULE_ACCEPT = 0,
	XENO_RULE_DROP = 1,
	XENO_RULE_COUNT = 2,    /* counts, and the next rules decide */
	XENO_RULE_REDIRECT = 3, /* a node's port to a guest's */
};

enum xeno_rule_direction {
	XENO_RULE_FROM = 1, /* packets that the interface sends */
	XENO_RULE_TO = 2,   /* packets that it is about to get */
	XENO_RULE_BOTH = 3,
};

#define XENO_RULE_ANY_DOMAIN 0x7ff4 /* any domain's, not the uplink */
#define XENO_RULE_UPLINK 0x7f01     /* as domain_id: the uplink's port */
#define XENO_RULE_ANY_VIF 0xffff

/*
 * The first rule with an action other than COUNT that matches decides; none:
 * accepted. A packet between two VIFs passes the rules twice: FROM its sender,
 * then TO its receiver. REDIRECT is for FROM the uplink, with protocol TCP or
 * UDP and one destination address and port: the packet gets the target's MAC,
 * address and port, answers get the original ones back.
 */
struct xeno_rule {
	uint8_t action;
	uint8_t direction;
	uint8_t family;     /* 0: any; 4; 6 */
	uint8_t protocol;   /* IP's number; 0: any */
	uint32_t domain_id; /* whose interface, or ANY_DOMAIN, or UPLINK */
	uint16_t vif;       /* or XENO_RULE_ANY_VIF */
	uint8_t source_prefix, target_prefix; /* bits that must match */
	uint8_t source[16], target[16];       /* IPv4: the first four bytes */
	/* Host byte order, inclusive; 0..65535: any. */
	uint16_t source_port_first, source_port_last;
	uint16_t target_port_first, target_port_last;
	uint32_t redirect_domain_id;
	uint16_t redirect_vif;
	uint16_t redirect_port; /* host byte order */
	uint8_t redirect_address[16];
	uint32_t mbz;
};

_Static_assert(sizeof(struct xeno_rule) == 80, "part of the ABI");

/*
 * All rules at once: packets see the old table or the new one, whole. Counters
 * start at 0; count 0: no rules. -EINVAL: count too large; -EFAULT; -ENOMEM.
 * A table that is refused is told with result 0, and the old one and its
 * generation stay: status is -EINVAL, bad_rule says which rule is wrong and
 * bad_field at which byte; or -E2BIG, from bad_rule to the last there are too
 * many that one packet would have to be compared with, because they are of too
 * many shapes (sets of bits that matter) or too many differ in nothing but
 * ranges of ports.
 */
struct xeno_rules_replace {
	struct xeno_envelope head;
	/* in */
	uint32_t count;
	uint32_t mbz;
	uint64_t rules; /* address of struct xeno_rule[count] */
	/* out */
	uint64_t generation;
	uint32_t bad_rule, bad_field;
	int32_t status; /* 0, or why there is no new table */
	uint32_t pad;
};

_Static_assert(sizeof(struct xeno_rules_replace) == 56, "part of the ABI");

#define XENO_RULES_COUNTERS_VERSION 1

struct xeno_rule_counter {
	uint64_t packets, bytes;
};

/* Of rules first .. first + count - 1; -EAGAIN: not that generation. */
struct xeno_rules_counters {
	struct xeno_envelope head;
	/* in */
	uint64_t generation;
	uint32_t first, count;
	uint64_t counters; /* address of struct xeno_rule_counter[count] */
};

_Static_assert(sizeof(struct xeno_rules_counters) == 40, "part of the ABI");

#endif
